import type { ErrorCode } from '../contract/errors.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import { findJsonFault } from './json-fault.ts'
import { isJsonSpace, skipJsonSpace } from './json-scanner.ts'
import { parseJson } from './parse-json.ts'

/**
 * What the framings share: text → parsed events. What cannot be read is reported, with its place, and skipped. Nothing
 * depends on where the text was cut: lines are handed on whole, joined once.
 */

export interface FrameSink {
  /** Lent until it returns: an event of growing text may come as the same object again, with other text in it. */
  value(value: JsonObject): void
  /** The mark `[DONE]`. */
  done(): void
  /** Asked for its words only when they are told: a stream of garbage has millions. */
  problem(code: ErrorCode, message: () => string): void
}

export interface Frames {
  push(text: string): void
  end(): void
}

/** The object that `text` is, if it is one. What cannot be one costs no exception. */
export function parsed(text: string): JsonObject | undefined {
  const from = skipJsonSpace(text)
  let end = text.length
  while (end > from && isJsonSpace(text.charCodeAt(end - 1))) end--
  if (text.charAt(from) !== '{' || text.charAt(end - 1) !== '}') return undefined
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function faultOf(text: string): string {
  const fault = findJsonFault(text)
  return fault === undefined ? 'it is no JSON object' : `at position ${fault.position} ${fault.message}`
}

/** One line after the other, without a list of them all: there may be millions. */
export function* linesOf(text: string): Generator<string, void, void> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start)
    yield end === -1 ? text.slice(start) : text.slice(start, end)
    if (end === -1) return
    start = end + 1
  }
}
