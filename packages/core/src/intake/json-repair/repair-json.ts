import type { ArgumentRepair } from '../../contract/call.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { RepairLog } from './repair-log.ts'
import { TolerantReader } from './tolerant-reader.ts'

/**
 * Owns the reading of arguments that are no JSON, but could be meant in one way only. Used only after strict parsing failed. What it
 * gives was derivable from the text, and every departure is recorded with its place: whoever decides on the call is shown it. Where two
 * readings hold, or a value may be half-written, it refuses. That record is why this is written here instead of taken from a library:
 * those mend silently, and mend everything.
 *
 * Deterministic, never throws, linear in the text, no recursion beyond `depth`.
 */

export type RepairOutcome =
  | { readonly ok: true; readonly value: JsonObject; readonly repairs: readonly ArgumentRepair[] }
  | { readonly ok: false; readonly message: string; readonly at: number }

export interface RepairOptions {
  /** Levels of nesting. */
  readonly depth: number
  /** The sender said that it had finished by itself. Then brackets missing at the end may be added. Default false. */
  readonly ended?: boolean
}

const FENCE_BEFORE = /^[^`]*```[\w-]*\s*$/
const FENCE_AFTER = /^\s*```/
/** Signs of further JSON: text that has them is not merely words around an object. */
const JSON_SIGNS = /[{}[\]"]/

function refused(message: string, at: number): RepairOutcome {
  return { ok: false, message, at }
}

/**
 * Reads one object from text that is almost JSON.
 *
 * @example
 * ```ts
 * repairJson("{'paths': ['app.py',]}", { depth: 100 })
 * // { ok: true, value: { paths: ['app.py'] }, repairs: [{ rule: 'single-quotes', at: 1, … }, … { rule: 'trailing-comma', at: 19, … }] }
 * ```
 */
export function repairJson(text: string, options: RepairOptions): RepairOutcome {
  const log = new RepairLog()
  const reader = new TolerantReader(text, log, { depth: options.depth, ended: options.ended ?? false })
  const start = openingOf(text, reader, log)
  if (typeof start !== 'number') return start
  const value = reader.object(start)
  if (value === undefined) return refused(reader.fault.message, reader.fault.at)
  const rest = closingOf(text, reader, value, log, options)
  return rest ?? { ok: true, value, repairs: log.list() }
}

/** Where the object opens, or the refusal. */
function openingOf(text: string, reader: TolerantReader, log: RepairLog): number | RepairOutcome {
  const from = reader.skip(0)
  if (text.charCodeAt(from) === 0x7b) return from
  const start = text.indexOf('{', from)
  if (start === -1) return refused('there is no JSON object', from)
  const before = text.slice(from, start)
  if (JSON_SIGNS.test(before)) return refused('what stands before the object is no plain text', from)
  if (FENCE_BEFORE.test(before)) log.add('fence', from, 'took the object out of a fenced block')
  else log.add('text-around', from, `left out ${before.trim().length} characters of text before the object`)
  return start
}

/** Looks at what follows the object; gives the refusal where it may not stand there. */
function closingOf(
  text: string,
  reader: TolerantReader,
  value: JsonObject,
  log: RepairLog,
  options: RepairOptions,
): RepairOutcome | undefined {
  let same: string | undefined
  let closings = 0
  let firstClosing = 0
  for (let at = reader.skip(reader.at); at < text.length; at = reader.skip(at)) {
    const sign = text.charAt(at)
    if (sign === '}' || sign === ']') {
      if (closings++ === 0) firstClosing = at
      at++
      continue
    }
    if (sign === '{') {
      const again = new TolerantReader(text, log, { depth: options.depth, ended: false })
      const further = again.object(at)
      if (further === undefined) return refused(again.fault.message, again.fault.at)
      same ??= canonicalJson(value)
      if (canonicalJson(further) !== same) return refused('there are several objects, and they differ', at)
      log.add('doubled-object', at, 'took the same object once, which stands several times')
      at = again.at
      continue
    }
    const rest = text.slice(at)
    if (JSON_SIGNS.test(rest)) return refused('what stands after the object is no plain text', at)
    if (FENCE_AFTER.test(rest)) {
      const words = rest.replace(FENCE_AFTER, '').trim()
      if (words !== '') log.add('text-around', at, `left out ${words.length} characters of text after the fenced block`)
    } else log.add('text-around', at, `left out ${rest.trim().length} characters of text after the object`)
    break
  }
  if (closings > 0) log.add('stray-closing', firstClosing, `left out ${closings} closing brackets too many`)
  return undefined
}

/**
 * Reads any JSON value exactly: for text that is right JSON, but has numbers, keys or characters that `JSON.parse` would
 * change without a word.
 * @returns undefined when it cannot be read so
 */
export function readExactly(text: string, depth: number): { readonly value: JsonValue; readonly log: RepairLog } | undefined {
  const log = new RepairLog()
  const reader = new TolerantReader(text, log, { depth, ended: false })
  const value = reader.value(0)
  return value === undefined || reader.skip(reader.at) < text.length ? undefined : { value, log }
}

/** Reads the object in a JSON text that was itself written as a JSON string. */
export function fromEncodedText(text: string, options: RepairOptions): RepairOutcome {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return repairJson(text, options)
  }
  if (!isJsonObject(value)) return refused('the text is no JSON object', 0)
  const read = repairJson(text, options)
  if (!read.ok) return read
  const first = { rule: 'double-encoded', at: 0, note: 'took the object out of the JSON string that held it' }
  return { ok: true, value: read.value, repairs: [first, ...read.repairs] }
}
