/** One line that says what a call is about: `path=notes.md limit=20`. */
import type { CallArguments, JsonValue } from '@adjutant/core'
import { printableLine, shorten } from './printable.ts'

/** Of one value, so that a long text does not push out the arguments behind it. */
const VALUE_CHARS = 60

function shortValue(value: JsonValue): string {
  if (typeof value === 'string') return shorten(printableLine(value.slice(0, VALUE_CHARS * 2)), VALUE_CHARS)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.length}]`
  if (typeof value === 'object' && value !== null) return '{…}'
  return String(value)
}

/**
 * Never longer than `width`; control characters are shown. A single argument stands without its name.
 *
 * @example
 * ```ts
 * summarise({ ok: true, value: { path: 'a.txt' } }, 40) // 'a.txt'
 * ```
 */
export function summarise(args: CallArguments, width: number): string {
  if (!args.ok) return shorten(printableLine(args.raw.slice(0, width * 2)), width)
  const entries = Object.entries(args.value)
  const [only] = entries
  if (entries.length === 1 && only !== undefined && typeof only[1] === 'string') return shorten(shortValue(only[1]), width)
  let line = ''
  for (const [name, value] of entries) {
    if (line.length > width) break
    line += `${line === '' ? '' : ' '}${printableLine(name.slice(0, VALUE_CHARS))}=${shortValue(value)}`
  }
  return shorten(line, width)
}

/**
 * @example
 * ```ts
 * duration(1234) // '1.2 s'
 * ```
 */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}
