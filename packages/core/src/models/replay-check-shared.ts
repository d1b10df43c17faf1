import { isJsonObject, type JsonValue } from '../contract/json.ts'

/** What all providers take as the name of a tool. */
export const NAME = /^[a-zA-Z0-9_-]{1,64}$/

export function isJsonText(text: JsonValue | undefined): boolean {
  if (typeof text !== 'string') return false
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
