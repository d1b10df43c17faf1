import { hash } from 'node:crypto'

/** Names of kept results: a call id is a provider's free text and becomes a file name only if it is harmless as one. */

const HARMLESS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/

/** The folder of a session's namespace where whole results are kept. */
export const RESULTS_FOLDER = 'results'
export const RESULT_SUFFIX = '.txt'

/**
 * The id under which a call's result is kept: the call's own where it is letters, digits, `_` and `-`; else what is left of it
 * and a digest, so that two ids never meet. Never holds a path separator or a dot.
 */
export function spillIdOf(callId: string): string {
  if (HARMLESS.test(callId)) return callId
  const readable = callId
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 40)
  return `${readable === '' ? 'result' : readable}-${hash('sha256', callId).slice(0, 16)}`
}
