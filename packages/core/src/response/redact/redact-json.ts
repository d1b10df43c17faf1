import type { JsonValue } from '../../contract/json.ts'
import type { Redacted, Redactor } from '../../contract/redact.ts'
import { setOwn } from '../../util/set-own.ts'

/** What became of a value whose secrets were taken out; the very same value where there were none. */
export interface RedactedJson<T extends JsonValue> {
  readonly value: T | JsonValue
  readonly count: number
}

/** Values nested deeper than this are replaced by a note and counted: nobody can read them, and the walk must end. */
const MAX_DEPTH = 200

/**
 * Takes secrets out of every string of a JSON value, names of members too: for audit records, traces and questions. A member such as
 * `{ "password": "…" }` is looked at together with its name. Synchronous when nothing in it has to be asked about. Never throws or rejects.
 *
 * @example
 * ```ts
 * const { value } = await redactJson(redactor, { headers: { authorization: `Bearer ${token}` } })
 * // { headers: { authorization: '[secret removed: authorization #1]' } }
 * ```
 */
export function redactJson(redactor: Redactor, value: JsonValue): RedactedJson<JsonValue> | Promise<RedactedJson<JsonValue>> {
  return walk(redactor, value, undefined, 0)
}

type Walked = RedactedJson<JsonValue> | Promise<RedactedJson<JsonValue>>

function walk(redactor: Redactor, value: JsonValue, name: string | undefined, depth: number): Walked {
  if (typeof value === 'string') return walkText(redactor, value, name)
  if (typeof value !== 'object' || value === null) return { value, count: 0 }
  if (depth >= MAX_DEPTH) return { value: '[nested too deeply to be shown]', count: 1 }
  if (Array.isArray(value)) {
    return joined(
      value.map((item) => walk(redactor, item, name, depth + 1)),
      (items, count) => ({ value: count === 0 ? value : items, count }),
    )
  }
  const entries = Object.entries(value)
  const names = entries.map(([key]): Walked => walkText(redactor, key, undefined))
  const values = entries.map(([key, item]) => walk(redactor, item, key, depth + 1))
  return joined([...names, ...values], (all, count) => {
    if (count === 0) return { value, count }
    const copy: Record<string, JsonValue> = {}
    for (const [index] of entries.entries()) setOwn(copy, String(all[index]), all[entries.length + index] ?? null)
    return { value: copy, count }
  })
}

function walkText(redactor: Redactor, text: string, name: string | undefined): Walked {
  const own = redactor.redact(text)
  const settle = (redacted: Redacted): Walked => {
    if (redacted.count > 0 || name === undefined) return { value: redacted.text, count: redacted.count }
    return beside(redactor, text, name)
  }
  return own instanceof Promise ? own.then(settle, () => UNREADABLE) : settle(own)
}

/** The text behind its name, as a line of settings would have it. */
function beside(redactor: Redactor, text: string, name: string): Walked {
  const head = `${name}: `
  const settle = (redacted: Redacted): RedactedJson<JsonValue> =>
    redacted.count > 0 && redacted.text.startsWith(head)
      ? { value: redacted.text.slice(head.length), count: redacted.count }
      : { value: text, count: 0 }
  const together = redactor.redact(head + text)
  return together instanceof Promise ? together.then(settle, () => UNREADABLE) : settle(together)
}

const UNREADABLE: RedactedJson<JsonValue> = { value: '[it could not be looked at for secrets]', count: 1 }

function joined(parts: readonly Walked[], settle: (values: JsonValue[], count: number) => RedactedJson<JsonValue>): Walked {
  const finish = (all: readonly RedactedJson<JsonValue>[]): RedactedJson<JsonValue> =>
    settle(
      all.map(({ value }) => value),
      all.reduce((sum, { count }) => sum + count, 0),
    )
  const ready: RedactedJson<JsonValue>[] = []
  for (const part of parts) {
    if (part instanceof Promise) return Promise.all(parts).then(finish)
    ready.push(part)
  }
  return finish(ready)
}
