/**
 * Owns the one look at a piece of text: what is a secret for certain, what the rule set has to be asked about, where a private key begins.
 * What is found at a place depends on no more than {@link LOOK_BACK} characters before it and SHAPE_REACH behind it, so that a text that
 * comes in pieces gives the same as one that comes whole.
 */
import { assignedSecretAt, bearerToken, urlSecretAt } from './assigned-secrets.ts'
import type { Finding } from './finding.ts'
import { keyHeaderEnd } from './key-block.ts'
import type { ValueSearch } from './secret-values.ts'
import { inRun, type LongRun, MIN_RUN, nextLongRun } from './token-runs.ts'
import { hasTokenBeginning, ownTokenAt, presetShapeEnd, tokenBeginnings } from './token-shapes.ts'

export const LOOK_BACK = 128
/** Two of them are a path of names in a program. */
const COLON = 58

export interface RankedFinding extends Finding {
  /** Whose label wins at one place: 0 exact values, 1 own kinds, 2 the rule set. */
  readonly rank: 0 | 1 | 2
}

export interface Candidate {
  readonly at: number
  /** Where what looks like a token ends. */
  readonly end: number
}

export interface Scan {
  readonly findings: RankedFinding[]
  /** In order, each place once. */
  readonly candidates: Candidate[]
  /** Where private keys begin and their first line ends, in order. */
  readonly keys: { readonly at: number; readonly headerEnd: number }[]
}

/** Places from `from` inclusive to `to` exclusive; the whole of `text` may be looked at. Undefined: nothing at all. */
export function scan(text: string, from: number, to: number, values: ValueSearch | undefined, rules: boolean): Scan | undefined {
  const notes = new Notes(text)
  if (values?.isIn(text, from, to) === true) {
    values.each(text, from, to, (start, end, { kind, value }) => notes.add({ start, end, kind, identity: value }, 0))
  }
  if (!rules) return notes.scan
  const signs = signsIn(text)
  if ((signs & LONG_RUN) !== 0) {
    for (let run = nextLongRun(text, from, to, undefined); run !== undefined; run = nextLongRun(text, from, to, run)) {
      longRun(notes, run, from, to)
    }
  }
  if ((signs & EQUALS) !== 0) {
    for (let at = nextOf(text, '=', from, to); at !== -1; at = nextOf(text, '=', at + 1, to)) notes.add(assignedSecretAt(text, at), 1)
  }
  if ((signs & COLONS) !== 0) {
    for (let at = nextOf(text, ':', from, to); at !== -1; at = nextOf(text, ':', at + 1, to)) {
      if (text.startsWith('//', at + 1)) notes.add(urlSecretAt(text, at), 1)
      else if (text.charCodeAt(at + 1) !== COLON && text.charCodeAt(at - 1) !== COLON) notes.add(assignedSecretAt(text, at), 1)
    }
  }
  if ((signs & DASHES) !== 0) {
    for (let at = nextOf(text, '-----BEGIN', from, to); at !== -1; at = nextOf(text, '-----BEGIN', at + 1, to)) {
      const headerEnd = keyHeaderEnd(text, at)
      if (headerEnd !== undefined) notes.key(at, headerEnd)
    }
  }
  if ((signs & SHORT_TOKENS) !== 0) {
    // The rule set takes them also when they are shorter than a long word.
    for (const beginning of ['SG.', 'xox', 'xapp-']) {
      for (let at = nextOf(text, beginning, from, to); at !== -1; at = nextOf(text, beginning, at + 1, to)) notes.token(at)
    }
  }
  return notes.scan
}

function longRun(notes: Notes, { start, end }: LongRun, from: number, to: number): void {
  const { text } = notes
  const word = text.slice(start, end)
  if (hasTokenBeginning(word)) {
    for (const offset of tokenBeginnings(word)) {
      const at = start + offset
      if (at >= from && at < to) notes.token(at)
    }
  }
  if (start >= from && start < to) notes.add(bearerToken(text, start, end), 1)
}

/** What is found; made into something only when there is something. */
class Notes {
  readonly text: string
  #scan: Scan | undefined

  constructor(text: string) {
    this.text = text
  }

  get scan(): Scan | undefined {
    return this.#scan === undefined ? undefined : { ...this.#scan, candidates: inOrder(this.#scan.candidates) }
  }

  add(finding: Finding | undefined, rank: 0 | 1): void {
    if (finding !== undefined) this.#noted().findings.push({ ...finding, rank })
  }

  key(at: number, headerEnd: number): void {
    this.#noted().keys.push({ at, headerEnd })
  }

  /** A place where a token may begin. */
  token(at: number): void {
    const end = presetShapeEnd(this.text, at)
    if (end !== undefined) this.#noted().candidates.push({ at, end })
    const own = ownTokenAt(this.text, at)
    if (own !== undefined) this.add({ start: at, end: own.end, kind: own.kind }, 1)
  }

  #noted(): Scan {
    this.#scan ??= { findings: [], candidates: [], keys: [] }
    return this.#scan
  }
}

/** The first place of a word from `at` on and before `to`, or -1. */
function nextOf(text: string, word: string, at: number, to: number): number {
  const found = text.indexOf(word, at)
  return found < to ? found : -1
}

const LONG_RUN = 1
const EQUALS = 2
const COLONS = 4
const DASHES = 8
const SHORT_TOKENS = 16
const ALL_SIGNS = LONG_RUN | EQUALS | COLONS | DASHES | SHORT_TOKENS

/** Up to so many characters one look at each tells which searches can find anything; above, the searches themselves skip most of them. */
const SHORT_TEXT = 256

const SIGN_OF = new Uint8Array(128)
for (const [letter, sign] of [
  ['=', EQUALS],
  [':', COLONS],
  ['-', DASHES],
  ['S', SHORT_TOKENS],
  ['x', SHORT_TOKENS],
] as const) {
  SIGN_OF[letter.charCodeAt(0)] = sign
}

/** What may be in a text: never too little. Names, ids and short results have next to nothing. */
function signsIn(text: string): number {
  const { length } = text
  if (length > SHORT_TEXT) return ALL_SIGNS
  let signs = 0
  let run = 0
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 128) signs |= SIGN_OF[code] ?? 0
    run = inRun(code) ? run + 1 : 0
    if (run === MIN_RUN) signs |= LONG_RUN
  }
  return signs
}

function inOrder(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((one, other) => one.at - other.at).filter(({ at }, index, all) => index === 0 || all[index - 1]?.at !== at)
}
