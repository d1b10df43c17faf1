import type { JsonObject, JsonValue } from '../contract/json.ts'

/** Empty shells of calls: some servers send `function_call: {}` with every answer. */
export function isNothing(args: JsonValue | undefined): boolean {
  return args === undefined || args === null || (typeof args === 'string' && args.trim() === '')
}

/** Providers send `""` and `null` for "as before", and a few a number. */
export function idOf(entry: JsonObject): string | undefined {
  const id = entry.id
  if (typeof id === 'string') return id === '' ? undefined : id
  return typeof id === 'number' ? String(id) : undefined
}
