/**
 * Owns the one look at a piece of text: what is a secret for certain, what the rule set has to be asked about, where a private key begins.
 * What is found at a place depends on no more than {@link LOOK_BACK} characters before it and SHAPE_REACH behind it, so that a text that
 * comes in pieces gives the same as one that comes whole.
 */
import { assignedSecretAt, bearerToken, urlSecretAt } from './assigned-secrets.ts'
import type { Finding } from './finding.ts'
import { keyHeaderEnd } from './key-block.ts'
import type { ValueSearch } from './secret-values.ts'
import { eachLongRun } from './token-runs.ts'
import { ownTokenAt, presetShapeEnd, tokenBeginnings } from './token-shapes.ts'

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
  let result: Scan | undefined
  const noted = (): Scan => {
    result ??= { findings: [], candidates: [], keys: [] }
    return result
  }
  const add = (finding: Finding | undefined, rank: 0 | 1): void => {
    if (finding !== undefined) noted().findings.push({ ...finding, rank })
  }
  values?.each(text, from, to, (start, end, { kind, value }) => add({ start, end, kind, identity: value }, 0))
  if (!rules) return result
  const tokenAt = (at: number): void => {
    const end = presetShapeEnd(text, at)
    if (end !== undefined) noted().candidates.push({ at, end })
    const own = ownTokenAt(text, at)
    if (own !== undefined) add({ start: at, end: own.end, kind: own.kind }, 1)
  }
  eachLongRun(text, from, to, (start, end) => {
    for (const offset of tokenBeginnings(text.slice(start, end))) {
      const at = start + offset
      if (at >= from && at < to) tokenAt(at)
    }
    if (start >= from && start < to) add(bearerToken(text, start, end), 1)
  })
  each(text, '=', from, to, (at) => add(assignedSecretAt(text, at), 1))
  each(text, ':', from, to, (at) => {
    if (text.startsWith('//', at + 1)) add(urlSecretAt(text, at), 1)
    else if (text.charCodeAt(at + 1) !== COLON && text.charCodeAt(at - 1) !== COLON) add(assignedSecretAt(text, at), 1)
  })
  each(text, '-----BEGIN', from, to, (at) => {
    const headerEnd = keyHeaderEnd(text, at)
    if (headerEnd !== undefined) noted().keys.push({ at, headerEnd })
  })
  // The rule set takes them also when they are shorter than a long word.
  each(text, 'SG.', from, to, tokenAt)
  each(text, 'xox', from, to, tokenAt)
  each(text, 'xapp-', from, to, tokenAt)
  return result === undefined ? undefined : { ...result, candidates: inOrder(result.candidates) }
}

function each(text: string, word: string, from: number, to: number, visit: (at: number) => void): void {
  for (let at = text.indexOf(word, from); at !== -1 && at < to; at = text.indexOf(word, at + 1)) visit(at)
}

function inOrder(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((one, other) => one.at - other.at).filter(({ at }, index, all) => index === 0 || all[index - 1]?.at !== at)
}
