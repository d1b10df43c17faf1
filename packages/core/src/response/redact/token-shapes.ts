/**
 * Owns how tokens of services begin and roughly go on, for two uses: what of a text is worth giving to the rule set (a shape takes in
 * more than its rule, never less: a test compares them), and the few kinds that the rule set has no rule for.
 * Every repetition is bounded, so that a shape looks ahead no further than {@link SHAPE_REACH}.
 */

/** Characters that a decision at one place may look ahead. */
export const SHAPE_REACH = 2_048

/** Beginnings; the rule set decides. In the order of its rules. */
const PRESET_SHAPES: readonly string[] = [
  'npm_[A-Za-z0-9_]{36}',
  '(?:xoxb|xoxp|xapp|xoxa|xoxo|xoxr)-[a-zA-Z0-9]{1,40}-',
  '[hH][oO][oO][kK][sS]\\.[sS][lL][aA][cC][kK]\\.[cC][oO][mM]/',
  'SG\\.\\w{1,128}\\.',
  'shp(?:pa|ca|at|ss)_[a-zA-Z0-9]{32}',
  '[sr]k_(?:live|test)_[a-zA-Z0-9]{24}',
  'gh[pousr]_[A-Za-z0-9_]{36}',
  'ghs_[0-9]{1,20}_',
  'github_pat_[A-Za-z0-9_]{82}',
  'glpat-[A-Za-z0-9_-]{20}',
  'glc_[A-Za-z0-9+/]{32}',
  'glsa_[A-Za-z0-9]{32}_',
  'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{58}|sk-[a-zA-Z0-9]{20}T3|sk-ant-api0',
  'gsk_[a-zA-Z0-9]{52}',
  'hf_[a-zA-Z]{34}',
  'lin_api_[a-zA-Z0-9_]{32}',
  'ntn_[0-9]{11}[A-Za-z0-9]{35}',
  'ops_ey[A-Za-z0-9+/=]{100}',
  'hv[sbr]\\.[A-Za-z0-9_-]{90}',
  'vc[pirak]_[A-Za-z0-9]{20}|vck_[A-Za-z0-9]{20}',
  'dapi[A-Fa-f0-9]{32}',
  'dckr_pat_[a-zA-Z0-9_-]{27}',
  'figd_[A-Za-z0-9_-]{40}',
  'cf(?:k|ut|at)_[A-Za-z0-9]{40}',
  'tskey-[a-z]{2,20}-',
]

/** Every shape above and below begins with one of these: a search for them in a long word is the second step of the pre-filter. */
const BEGINNINGS =
  'A3T|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA|npm_|xox[bpaor]-|xapp-|[hH][oO][oO][kK][sS]\\.|SG\\.|shp(?:pa|ca|at|ss)_|[sr]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|glc_|glsa_|sk-|gsk_|hf_|lin_api_|ntn_|ops_ey|hv[sbr]\\.|vc[pirak]_|dapi|dckr_pat_|figd_|cf(?:k|ut|at)_|tskey-|eyJ|AIza|pypi-'

interface OwnShape {
  readonly kind: string
  readonly pattern: RegExp
}

/** Kinds that the rule set does not know. A letter or digit before the token makes it something else. */
const OWN_SHAPES: readonly OwnShape[] = [
  // Three parts in base64url, the first two JSON objects: signed claims, good for a login while they last.
  { kind: 'json-web-token', pattern: /eyJ[\w-]{8,1024}\.eyJ[\w-]{4,600}\.[\w-]{8,400}/y },
  // Ids of access keys of AWS: no secret alone, but what a stolen key needs; the rule set leaves them.
  { kind: 'aws-access-key-id', pattern: /(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)(?!\w{0,16}EXAMPLE)[A-Z0-9]{16}(?!\w)/y },
  // Keys of Google's APIs.
  { kind: 'google-api-key', pattern: /AIza[\w-]{35}(?![\w-])/y },
  // Upload tokens of the Python package index: a macaroon, whose beginning is always the same.
  { kind: 'pypi-token', pattern: /pypi-AgE[\w-]{50,512}/y },
  // Newer keys of model providers, whose middle the rule set does not know: long, with digits and capitals.
  { kind: 'model-provider-key', pattern: /sk-(?=[\w-]{0,200}?\d)(?=[\w-]{0,200}?[A-Z])[\w-]{40,256}/y },
  // Keys of routers to model providers: hex.
  { kind: 'model-provider-key', pattern: /sk-or-v\d-[0-9a-f]{48,128}/y },
]

const PRESET_SHAPE = new RegExp(PRESET_SHAPES.join('|'), 'y')
const BEGINNING = new RegExp(BEGINNINGS, 'g')
const WORD_BEFORE = /[A-Za-z0-9]/

/** Whether there is any; most words have none. */
export function hasTokenBeginning(word: string): boolean {
  BEGINNING.lastIndex = 0
  return BEGINNING.test(word)
}

/** Offsets in `word` at which a token may begin, in order. */
export function* tokenBeginnings(word: string): Generator<number> {
  BEGINNING.lastIndex = 0
  // Collected first: the pattern is shared, and whoever reads may search again in between.
  const offsets: number[] = []
  for (let found = BEGINNING.exec(word); found !== null; found = BEGINNING.exec(word)) {
    offsets.push(found.index)
    BEGINNING.lastIndex = found.index + 1
  }
  yield* offsets
}

/** Where what looks like a token of the rule set ends, or undefined where there is none. */
export function presetShapeEnd(text: string, at: number): number | undefined {
  PRESET_SHAPE.lastIndex = at
  return PRESET_SHAPE.test(text) ? PRESET_SHAPE.lastIndex : undefined
}

/** A token of our own kinds that begins exactly there. */
export function ownTokenAt(text: string, at: number): { readonly kind: string; readonly end: number } | undefined {
  if (at > 0 && WORD_BEFORE.test(text.charAt(at - 1))) return undefined
  for (const { kind, pattern } of OWN_SHAPES) {
    pattern.lastIndex = at
    if (pattern.test(text)) return { kind, end: pattern.lastIndex }
  }
  return undefined
}
