import type { FinishReason } from '../contract/decode.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { AnswerWire } from './answer-wire.ts'
import { CallSlot } from './call-slot.ts'
import { feedSlot } from './feed-slot.ts'
import { numberOf, objectOf, providerError, stringOf } from './wire.ts'

/**
 * Reads version 2 of Cohere's chat form, streamed and whole. A call is announced by `tool-call-start` and handed over at `tool-call-end`;
 * its index counts the calls. The plan that a model writes before it calls is its reasoning.
 */

const EVENT = /^(?:message|content|tool-plan|tool-call|citation)-(?:start|delta|end)$/

/** True for an event or a whole answer of this wire. */
export function isCohere(value: JsonObject): boolean {
  if (typeof value.type === 'string' && EVENT.test(value.type)) return true
  const message = objectOf(value.message)
  return typeof value.finish_reason === 'string' && (Array.isArray(message?.content) || Array.isArray(message?.tool_calls))
}

const FINISH: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['TOOL_CALL', 'tool-calls'],
  ['MAX_TOKENS', 'length'],
  ['ERROR_TOXIC', 'content-filter'],
  ['ERROR', 'error'],
  ['ERROR_LIMIT', 'error'],
  ['TIMEOUT', 'error'],
])

export class CohereWire extends AnswerWire {
  readonly dialect = 'cohere'
  readonly #calls = new Map<number, CallSlot>()
  #stray = false

  protected override read(value: JsonObject): boolean {
    const delta = objectOf(value.delta)
    const message = objectOf(delta?.message)
    const place = numberOf(value.index) ?? 0
    switch (value.type) {
      case 'content-start':
      case 'content-delta':
        this.#content(message?.content)
        return true
      case 'tool-plan-delta':
        this.#say('reasoning', message?.tool_plan)
        return true
      case 'tool-call-start':
        this.#start(place, objectOf(message?.tool_calls))
        return true
      case 'tool-call-delta':
        this.#piece(place, objectOf(objectOf(message?.tool_calls)?.function)?.arguments)
        return true
      case 'tool-call-end':
        this.#close(place, false)
        return true
      case 'message-end':
        this.#finished(delta ?? {})
        return true
      default:
        return this.#readOther(value)
    }
  }

  #readOther(value: JsonObject): boolean {
    if (typeof value.type === 'string' && EVENT.test(value.type)) return true
    if (isCohere(value)) {
      this.#whole(value, objectOf(value.message) ?? {})
      return true
    }
    const error = value.error
    if (error === undefined || error === null) return false
    this.#fail(error)
    return true
  }

  #fail(error: JsonValue): void {
    this.failed = true
    this.cx.emit({ type: 'problem', ...providerError(error) })
  }

  #whole(value: JsonObject, message: JsonObject): void {
    this.#say('reasoning', message.tool_plan)
    if (Array.isArray(message.content)) for (const part of message.content) this.#content(part)
    if (Array.isArray(message.tool_calls)) {
      for (const [place, entry] of message.tool_calls.entries()) {
        this.#start(place, objectOf(entry))
        this.#close(place, false)
      }
    }
    this.#finished(value)
  }

  #content(value: JsonValue | undefined): void {
    const part = objectOf(value)
    this.#say('reasoning', part?.thinking)
    this.#say('text', part?.text)
  }

  #say(type: 'text' | 'reasoning', text: JsonValue | undefined): void {
    if (typeof text === 'string' && text !== '') this.cx.emit({ type, text })
  }

  #start(place: number, entry: JsonObject | undefined): void {
    this.#close(place, false)
    const body = objectOf(entry?.function)
    if (entry === undefined || body === undefined) return
    const slot = new CallSlot(place, this.serial, this.cx)
    slot.id = stringOf(entry.id) || undefined
    slot.name = stringOf(body.name) ?? ''
    slot.announce()
    this.#calls.set(place, slot)
    this.#piece(place, body.arguments)
  }

  #piece(place: number, piece: JsonValue | undefined): void {
    const slot = this.#calls.get(place)
    const whole = objectOf(piece)
    if (slot === undefined) this.#sayStray(place)
    else if (whole !== undefined) slot.take(whole)
    else feedSlot(slot, piece)
  }

  #sayStray(place: number): void {
    if (this.#stray) return
    this.#stray = true
    const message = `arguments came for call ${place}, which was never started; they were left out`
    this.cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
  }

  #close(place: number, cut: boolean): void {
    this.#calls.get(place)?.settle(cut ? 'cut' : 'closed')
    this.#calls.delete(place)
  }

  protected override closeAll(cut: boolean): void {
    for (const place of [...this.#calls.keys()]) this.#close(place, cut)
  }

  #finished(value: JsonObject): void {
    const word = stringOf(value.finish_reason)
    if (word !== undefined) this.finish = FINISH.get(word.toUpperCase()) ?? 'other'
    if (this.finish === 'error') this.#fail(value.error ?? `the answer ended with ${word ?? 'an error'}`)
    const usage = objectOf(value.usage)
    // What was billed leaves out what the provider adds to the prompt itself.
    const tokens = objectOf(usage?.tokens) ?? objectOf(usage?.billed_units)
    if (tokens !== undefined)
      this.usage = { inputTokens: numberOf(tokens.input_tokens) ?? 0, outputTokens: numberOf(tokens.output_tokens) ?? 0 }
    this.done()
  }
}
