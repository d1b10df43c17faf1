import { isJsonObject, type JsonValue } from '../contract/json.ts'

/** A part of a parsed event that is written into again. */
export type Place = Record<string, JsonValue>

export function isPlace(value: JsonValue | undefined): value is Place {
  return isJsonObject(value)
}

/** Nothing in it but texts, numbers and the like, `nested` left out: nothing that someone might keep and find changed. */
function isFlat(place: Place, nested?: string): boolean {
  return Object.entries(place).every(
    ([key, value]) => key === nested || typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0),
  )
}

/** The one thing in a list of one. */
function only(list: JsonValue | undefined): Place | undefined {
  const first: JsonValue | undefined = Array.isArray(list) && list.length === 1 ? list[0] : undefined
  return isPlace(first) ? first : undefined
}

/**
 * The parts of an event that may be the same object in the next one, because no reader keeps anything of them but texts and numbers; none
 * for events of another kind, such as those that carry blocks that go back as they came, or arguments that are an object.
 */
export function placesOf(root: Place): readonly Place[] {
  if (Array.isArray(root.choices)) return chatPlaces(root)
  const { type, delta } = root
  if (type === 'content_block_delta') return isPlace(delta) && isFlat(root, 'delta') && isFlat(delta) ? [root, delta] : []
  return typeof type === 'string' && type.startsWith('response.') && type.endsWith('.delta') && isFlat(root) ? [root] : []
}

function chatPlaces(root: Place): readonly Place[] {
  const choice = only(root.choices)
  const delta = choice?.delta
  if (choice === undefined || !isPlace(delta) || !isFlat(choice, 'delta')) return []
  if (delta.tool_calls === undefined) return isFlat(delta) ? [root, choice, delta] : []
  const call = only(delta.tool_calls)
  const body = call?.function
  if (call === undefined || !isPlace(body)) return []
  return isFlat(delta, 'tool_calls') && isFlat(call, 'function') && isFlat(body) ? [root, choice, delta, call, body] : []
}
