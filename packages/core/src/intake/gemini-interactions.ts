import type { FinishReason } from '../contract/decode.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { AnswerWire } from './answer-wire.ts'
import { CallSlot } from './call-slot.ts'
import { feedSlot } from './feed-slot.ts'
import { numberOf, objectOf, providerError, stringOf } from './wire.ts'

/**
 * Reads Gemini's Interactions form, streamed and whole. Steps are told apart by their index and closed by `step.stop`, which is when a
 * call is handed over. Only `function_call` is a call. Signed thoughts, signed calls, and what the provider runs itself go back
 * as `provider-block`: the step as it would have come whole.
 */

interface Step {
  readonly type: string
  readonly call: CallSlot | undefined
  /** As it was announced, with what the pieces added. */
  readonly whole: Record<string, JsonValue>
}

/** True for an event or a whole answer of this wire. */
export function isGeminiInteractions(value: JsonObject): boolean {
  if (typeof value.event_type === 'string') return /^(?:interaction|step)\./.test(value.event_type)
  return value.object === 'interaction' || (Array.isArray(value.steps) && typeof value.status === 'string')
}

export class GeminiInteractionsWire extends AnswerWire {
  readonly dialect = 'gemini-interactions'
  readonly #steps = new Map<number, Step>()
  #calls = 0
  #stray = false

  protected override read(value: JsonObject): boolean {
    const place = numberOf(value.index) ?? 0
    switch (value.event_type) {
      case 'step.delta':
        this.#delta(place, objectOf(value.delta))
        return true
      case 'step.start':
        this.#start(place, objectOf(value.step))
        return true
      case 'step.stop':
        this.#stop(place)
        return true
      case 'interaction.completed':
        this.#interaction(objectOf(value.interaction) ?? {})
        return true
      case 'error':
        this.#fail(value.error ?? value)
        return true
      default:
        return this.#readOther(value)
    }
  }

  #readOther(value: JsonObject): boolean {
    if (typeof value.event_type === 'string') return isGeminiInteractions(value)
    if (isGeminiInteractions(value)) {
      this.#interaction(value)
      return true
    }
    if (value.error === undefined || value.error === null) return false
    this.#fail(value.error)
    return true
  }

  #fail(error: JsonValue): void {
    if (!this.failed) this.cx.emit({ type: 'problem', ...providerError(error) })
    this.failed = true
  }

  /** The whole interaction, alone or at the end of its stream, where it has no steps. */
  #interaction(value: JsonObject): void {
    if (Array.isArray(value.steps) && this.#calls === 0) {
      for (const [place, entry] of value.steps.entries()) {
        this.#start(place, objectOf(entry))
        this.#stop(place)
      }
    }
    this.#readUsage(objectOf(value.usage))
    const status = stringOf(value.status) ?? 'completed'
    if (status === 'in_progress') return
    if (status === 'failed') this.#fail(value.error ?? 'the interaction failed, without a reason')
    this.finish = this.#finishOf(status)
    this.done()
  }

  #finishOf(status: string): FinishReason {
    if (status === 'incomplete' || status === 'budget_exceeded') return 'length'
    if (status === 'failed') return 'error'
    if (status !== 'completed' && status !== 'requires_action') return 'other'
    return this.#calls > 0 ? 'tool-calls' : 'stop'
  }

  #readUsage(usage: JsonObject | undefined): void {
    if (usage === undefined) return
    const sum = (...keys: readonly string[]): number => keys.reduce((total, key) => total + (numberOf(usage[key]) ?? 0), 0)
    // What the provider's own tools read, and thinking, are counted apart here.
    const inputTokens = sum('total_input_tokens', 'total_tool_use_tokens')
    this.usage = { inputTokens, outputTokens: sum('total_output_tokens', 'total_thought_tokens') }
  }

  #start(place: number, step: JsonObject | undefined): void {
    this.#stop(place)
    if (step === undefined) return
    const type = stringOf(step.type) ?? ''
    let call: CallSlot | undefined
    if (type === 'function_call') {
      this.#calls++
      call = new CallSlot(place, this.serial, this.cx)
      call.id = stringOf(step.id) || undefined
      call.name = stringOf(step.name) ?? ''
      call.announce()
    }
    const entry: Step = { type, call, whole: { ...step } }
    this.#steps.set(place, entry)
    for (const part of listOf(step.content)) this.#say('text', part.text)
    for (const part of listOf(step.summary)) this.#say('reasoning', part.text)
  }

  #delta(place: number, delta: JsonObject | undefined): void {
    const step = this.#steps.get(place)
    if (delta === undefined) return
    if (delta.type === 'arguments_delta') {
      if (step?.call === undefined) this.#sayStray(place)
      else feedSlot(step.call, delta.arguments)
      return
    }
    if (delta.type === 'text') {
      this.#say('text', delta.text)
      return
    }
    if (delta.type === 'thought_summary') this.#say('reasoning', objectOf(delta.content)?.text ?? delta.text)
    if (step === undefined) return
    for (const [key, value] of Object.entries(delta)) {
      if (key === 'type') continue
      const before = step.whole[key]
      if (key === 'content' && delta.type === 'thought_summary') step.whole.summary = [...listOf(step.whole.summary), value]
      else step.whole[key] = key === 'signature' && typeof before === 'string' && typeof value === 'string' ? before + value : value
    }
  }

  #say(type: 'text' | 'reasoning', text: JsonValue | undefined): void {
    if (typeof text !== 'string' || text === '') return
    this.cx.emit({ type, text })
  }

  #sayStray(place: number): void {
    if (this.#stray) return
    this.#stray = true
    const message = `arguments came for step ${place}, which was never started; they were left out`
    this.cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
  }

  #stop(place: number): void {
    const step = this.#steps.get(place)
    this.#steps.delete(place)
    if (step === undefined) return
    const given = objectOf(step.whole.arguments)
    if (step.call !== undefined) {
      if (step.call.blank && given !== undefined) step.call.take(given)
      step.call.settle('closed')
    }
    if (step.type === 'model_output' || (!stringOf(step.whole.signature) && OURS.has(step.type))) return
    const { arguments: _, ...signed } = step.whole
    this.cx.emit({ type: 'provider-block', block: step.call === undefined ? step.whole : signed })
  }

  /** Closes what no `step.stop` has closed. A step of the provider's own that is not whole must not go back. */
  protected override closeAll(cut: boolean): void {
    for (const [place, step] of [...this.#steps]) {
      if (cut) step.call?.settle('cut')
      else this.#stop(place)
    }
    this.#steps.clear()
  }
}

/** Without a signature there is nothing in these that is not said otherwise. */
const OURS = new Set(['function_call', 'thought'])

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf).filter((part) => part !== undefined) : []
}
