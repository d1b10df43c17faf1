/** Owns what the Responses API refuses in the `input` of a request. */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import { isJsonText, NAME } from './replay-check-shared.ts'

const CALL_ID_LENGTH = 64

/** The fault in words, or `undefined`. */
export function responsesFault(body: JsonObject): string | undefined {
  const input = ownValue(body, 'input')
  if (typeof input === 'string' && input !== '') return undefined
  if (!Array.isArray(input) || input.length === 0) return 'input: must be text or a list with at least one item'
  const items = input.filter(isJsonObject)
  if (items.length !== input.length) return 'input: each item must be an object'
  const check = new InputCheck(ownValue(body, 'store') === false)
  for (const [at, item] of items.entries()) {
    const fault = check.item(item, `input[${at}]`, items[at + 1])
    if (fault !== undefined) return fault
  }
  return check.end()
}

class InputCheck {
  readonly #isStateless: boolean
  /** Ids of calls; true once answered. */
  readonly #calls = new Map<string, boolean>()

  constructor(isStateless: boolean) {
    this.#isStateless = isStateless
  }

  item(item: JsonObject, place: string, next: JsonObject | undefined): string | undefined {
    const type = ownValue(item, 'type') ?? 'message'
    switch (type) {
      case 'message':
        return messageFault(item, place)
      case 'function_call':
      case 'custom_tool_call':
        return this.#call(item, place, type === 'custom_tool_call')
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#output(item, place)
      case 'reasoning':
        return this.#reasoning(item, place, next)
      default:
        return typeof type === 'string' && /_call(?:_output)?$|^mcp_|^compaction$/.test(type)
          ? undefined
          : `Invalid value: '${place}.type': ${JSON.stringify(type)}`
    }
  }

  end(): string | undefined {
    for (const [id, answered] of this.#calls) if (!answered) return `No tool output found for function call ${id}.`
    return undefined
  }

  #call(item: JsonObject, place: string, isCustom: boolean): string | undefined {
    const id = ownValue(item, 'call_id')
    const name = ownValue(item, 'name')
    if (typeof id !== 'string' || id === '' || id.length > CALL_ID_LENGTH)
      return `Invalid '${place}.call_id': text of 1 to ${CALL_ID_LENGTH} letters is required`
    if (this.#calls.has(id)) return `Invalid '${place}.call_id': "${id}" is there twice`
    if (typeof name !== 'string' || !NAME.test(name)) return `Invalid '${place}.name': must match ${NAME.source}`
    if (isCustom && typeof ownValue(item, 'input') !== 'string') return `Missing required parameter: '${place}.input'`
    if (!isCustom && !isJsonText(ownValue(item, 'arguments'))) return `Invalid '${place}.arguments': must be a JSON object as text`
    this.#calls.set(id, false)
    return undefined
  }

  #output(item: JsonObject, place: string): string | undefined {
    const id = ownValue(item, 'call_id')
    const answered = typeof id === 'string' ? this.#calls.get(id) : undefined
    if (typeof id !== 'string' || answered === undefined)
      return `No tool call found for function call output with call_id ${typeof id === 'string' ? id : 'null'}.`
    if (answered) return `Invalid '${place}.call_id': "${id}" was answered before`
    if (!isContent(ownValue(item, 'output'))) return `Missing required parameter: '${place}.output'`
    this.#calls.set(id, true)
    return undefined
  }

  #reasoning(item: JsonObject, place: string, next: JsonObject | undefined): string | undefined {
    const id = JSON.stringify(ownValue(item, 'id') ?? null)
    if (this.#isStateless && typeof ownValue(item, 'encrypted_content') !== 'string')
      return `Item with id ${id} not found. Items are not persisted when store is set to false.`
    if (!Array.isArray(ownValue(item, 'summary'))) return `Missing required parameter: '${place}.summary'`
    if (Object.hasOwn(item, 'status')) return `Unknown parameter: '${place}.status'`
    const isFollowed = next !== undefined && !/_output$/.test(String(ownValue(next, 'type'))) && ownValue(next, 'role') !== 'user'
    return isFollowed ? undefined : `Item ${id} of type 'reasoning' was provided without its required following item.`
  }
}

function messageFault(item: JsonObject, place: string): string | undefined {
  const role = ownValue(item, 'role')
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer')
    return `Invalid value: '${place}.role': ${JSON.stringify(role ?? null)} is no role`
  return isContent(ownValue(item, 'content')) ? undefined : `Missing required parameter: '${place}.content'`
}

function isContent(content: JsonValue | undefined): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0)
}
