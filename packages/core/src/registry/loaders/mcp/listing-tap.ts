import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isJsonObject, type JsonObject } from '../../../contract/json.ts'

/**
 * Takes the answers to `tools/list` out of a transport's messages as they came. The client checks such an answer as a whole
 * and would drop a hundred good tools for a bad one; so it gets an empty list, and the tools are looked at here one by one.
 */
export class ListingTap {
  readonly #asked = new Set<string | number>()
  #answer: JsonObject | undefined

  /** Called with each message that goes out. */
  sent(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'tools/list' && 'id' in message) this.#asked.add(message.id)
  }

  /** Called with each message that comes in; gives what the client is to see. */
  received(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#asked.size === 0 || !('id' in message) || message.id === undefined || 'method' in message) return message
    if (!this.#asked.delete(message.id) || !('result' in message)) return message
    const result: unknown = message.result
    if (!isJsonObject(result) || !Array.isArray(result.tools)) return message
    this.#answer = result
    const { nextCursor: _, ...rest } = message.result
    return { ...message, result: { ...rest, tools: [] } }
  }

  /** The last answer, once. */
  take(): JsonObject | undefined {
    const answer = this.#answer
    this.#answer = undefined
    return answer
  }
}
