/**
 * The numbers of the ranking, in one place. They were tuned on kinds of requests over several public catalogues, with a part of the
 * requests held back; docs/adr/0007 has what each is worth.
 */
export interface Ranking {
  /** How much a word counts in each field, and how much a field longer than `pivot` words loses (0 nothing, 1 in proportion). */
  readonly fields: Readonly<Record<FieldName, { readonly weight: number; readonly slope: number; readonly pivot: number }>>
  /** Saturation: how soon more of the same word adds nothing. */
  readonly saturation: number
  /** Weight of words that only ask (get, show), and of words with digits and within quotation marks: they are values more often than kinds. */
  readonly request: number
  readonly digits: number
  readonly quoted: number
  /** Weight of the synonyms of a word that no tool has. Beside a word that some have they only blur it. */
  readonly synonym: number
  /** Weight of two neighbouring words written as one. */
  readonly joined: number
  /** How much a request's best sentence counts beside the whole, and how far sentences are made equal (0 not, 1 fully). */
  readonly clause: number
  readonly clauseLevel: number
  /** What a name gains when all its words are asked for; `coverFloor` is the rarity that a name must have for most of it. */
  readonly cover: number
  readonly coverFloor: number
  /** How much the words that all tools of a server cover together count, and how much large servers lose. */
  readonly server: number
  readonly serverSize: number
  /** For a tool without a server, its own score stands in for the server's, times this. */
  readonly lone: number
}

export type FieldName = 'name' | 'title' | 'description' | 'parameterNames' | 'parameterTexts' | 'choices' | 'server' | 'serverTexts'

/** What a hit tells of a field; a parameter's name, text and choices are one there. */
export const REPORTED_FIELDS = ['name', 'title', 'description', 'parameters', 'server'] as const
export type ReportedField = (typeof REPORTED_FIELDS)[number]

export const FIELD_BIT: Readonly<Record<FieldName, number>> = {
  name: 1,
  title: 2,
  description: 4,
  parameterNames: 8,
  parameterTexts: 8,
  choices: 8,
  server: 16,
  serverTexts: 16,
}

export const DEFAULT_RANKING: Ranking = {
  fields: {
    name: { weight: 2.5, slope: 0.3, pivot: 4.8 },
    title: { weight: 1.5, slope: 0.3, pivot: 3 },
    description: { weight: 1.25, slope: 0.48, pivot: 5.76 },
    parameterNames: { weight: 0.7, slope: 0.5, pivot: 2.4 },
    parameterTexts: { weight: 0.288, slope: 0.75, pivot: 32 },
    choices: { weight: 0.438, slope: 1, pivot: 10 },
    server: { weight: 0.624, slope: 0.375, pivot: 5.6 },
    serverTexts: { weight: 0.64, slope: 0.96, pivot: 27 },
  },
  saturation: 0.48,
  request: 0.6,
  digits: 0.6,
  quoted: 0.48,
  synonym: 0.5,
  joined: 0.375,
  clause: 1.6,
  clauseLevel: 1,
  cover: 0.24,
  coverFloor: 0.576,
  server: 0.6,
  serverSize: 0.4,
  lone: 0.9,
}
