import { isJsonObject, type JsonValue } from '../../../contract/json.ts'

/** More is not read by anybody who is asked about one call. */
const MAX_LINES = 12
const MAX_VALUE = 160
const AROUND = 40

/**
 * What changed between two definitions of a tool, a line for each place, short enough to be read before a call is approved. Of a
 * long text the changed part is shown with a little around it.
 *
 * @example
 * ```ts
 * diffDefinitions({ description: 'Reads.' }, { description: 'Reads and sends.' }) // ['description: "Reads." → "Reads and sends."']
 * ```
 */
export function diffDefinitions(before: JsonValue, after: JsonValue): readonly string[] {
  const lines: string[] = []
  compare('', before, after, lines)
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more`]
}

/** Definitions were measured when they were read: neither deep nor long without end. */
function compare(place: string, before: JsonValue | undefined, after: JsonValue | undefined, lines: string[]): void {
  if (before === after) return
  if (before === undefined) lines.push(`${place}: added ${shorten(JSON.stringify(after))}`)
  else if (after === undefined) lines.push(`${place}: removed ${shorten(JSON.stringify(before))}`)
  else if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(place === '' ? key : `${place}.${key}`, own(before, key), own(after, key), lines)
    }
  } else if (typeof before === 'string' && typeof after === 'string') lines.push(`${place}: ${changedPart(before, after)}`)
  else if (JSON.stringify(before) !== JSON.stringify(after)) {
    lines.push(`${place}: ${shorten(JSON.stringify(before))} → ${shorten(JSON.stringify(after))}`)
  }
}

function own(object: { readonly [key: string]: JsonValue }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function shorten(text: string): string {
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}… (${text.length} characters)`
}

function changedPart(before: string, after: string): string {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const from = start <= AROUND ? 0 : start - AROUND
  const part = (text: string): string => {
    const to = end <= AROUND ? text.length : text.length - end + AROUND
    return `${from > 0 ? '…' : ''}${shorten(JSON.stringify(text.slice(from, to)))}${to < text.length ? '…' : ''}`
  }
  return `${part(before)} → ${part(after)}`
}
