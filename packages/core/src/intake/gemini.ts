import type { FinishReason, Usage } from '../contract/decode.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import { argumentsOf, broken } from './arguments.ts'
import type { OpenCall } from './call-book.ts'
import { PartialArguments } from './gemini-partial.ts'
import { finishOf, numberOf, objectOf, providerError, stringOf, type Wire, type WireContext } from './wire.ts'

/**
 * Reads `generateContent`, streamed and whole; both are made of the same objects. A `functionCall` part is a whole call and handed over at
 * once, unless it says `willContinue`: then its arguments follow value by value, until a part that does not say so. Parts with a
 * `thoughtSignature`, and parts of the provider's own (code it ran, pictures it made), go back as `provider-block`; that of a
 * call holds the finished arguments, so that it can stand in the history in the place of its call.
 */

interface Growing {
  readonly call: OpenCall
  readonly id: string | undefined
  readonly partial: PartialArguments
  signature: string | undefined
}

/** Reasons that mean: the model tried to call, and what it wrote cannot be used. */
const UNUSABLE = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
])

/** Some clients write the reason by its number; from 5 on the numbers differ between the provider's two services. */
const NUMBERED = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION']

/** The object of this wire in an event: some gateways of the provider put it under `response`. */
function bodyOf(value: JsonObject): JsonObject {
  const inner = Array.isArray(value.candidates) ? undefined : objectOf(value.response)
  return inner !== undefined && isBody(inner) ? inner : value
}

function isBody(value: JsonObject): boolean {
  return Array.isArray(value.candidates) || isJsonObject(value.promptFeedback) || isJsonObject(value.usageMetadata)
}

/** True for an event or a whole answer of this wire. */
export function isGemini(value: JsonObject): boolean {
  return isBody(bodyOf(value))
}

export class GeminiWire implements Wire {
  readonly dialect = 'gemini'
  readonly #cx: WireContext
  #growing: Growing | undefined
  #candidate: number | undefined
  #calls = 0
  #finish: FinishReason | undefined
  #usage: Usage | undefined
  #idle = true
  #ended = false
  #failed = false
  #otherCandidates = false
  #stray = false

  get idle(): boolean {
    return this.#idle
  }

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  event(value: JsonObject): void {
    const error = value.error
    if (error !== undefined && error !== null) {
      this.#idle = false
      this.#failed = true
      this.#cx.emit({ type: 'problem', ...providerError(error) })
    }
    const body = bodyOf(value)
    if (!isBody(body)) return
    this.#idle = false
    this.#readUsage(objectOf(body.usageMetadata))
    if (Array.isArray(body.candidates)) for (const candidate of body.candidates) if (isJsonObject(candidate)) this.#read(candidate)
    this.#readFeedback(objectOf(body.promptFeedback))
  }

  done(): void {
    this.#ended = true
    this.#close(this.#finish === 'length')
  }

  end(): FinishReason | undefined {
    const said = this.#ended || this.#finish !== undefined
    this.#close(!said || this.#finish === 'length' || this.#failed)
    if (!said && !this.#failed) {
      const message = 'the stream was cut off: it ended before the model said that it had finished'
      this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
    }
    if (this.#usage !== undefined) this.#cx.emit({ type: 'usage', usage: this.#usage })
    if (this.#failed) return 'error'
    // "STOP" is said after calls too.
    if (this.#finish === 'stop' && this.#calls > 0) return 'tool-calls'
    return this.#finish ?? (said ? 'other' : undefined)
  }

  #readUsage(usage: JsonObject | undefined): void {
    const input = numberOf(usage?.promptTokenCount)
    const output = numberOf(usage?.candidatesTokenCount)
    if (usage === undefined || (input === undefined && output === undefined)) return
    // What the provider's own tools read, and thinking, are counted apart here.
    const inputTokens = (input ?? 0) + (numberOf(usage.toolUsePromptTokenCount) ?? 0)
    this.#usage = { inputTokens, outputTokens: (output ?? 0) + (numberOf(usage.thoughtsTokenCount) ?? 0) }
  }

  #readFeedback(feedback: JsonObject | undefined): void {
    const reason = stringOf(feedback?.blockReason)
    if (feedback === undefined || !reason || reason === 'BLOCK_REASON_UNSPECIFIED') return
    this.#finish = 'content-filter'
    const more = stringOf(feedback.blockReasonMessage)
    const message = `the provider did not answer: it blocked the prompt (${reason})${more ? `: ${more}` : ''}`
    this.#cx.emit({ type: 'problem', code: 'MODEL_FAILED', message })
  }

  #read(candidate: JsonObject): void {
    const index = numberOf(candidate.index) ?? 0
    this.#candidate ??= index
    if (index !== this.#candidate) {
      this.#skip(index)
      return
    }
    const parts = objectOf(candidate.content)?.parts
    if (Array.isArray(parts)) for (const part of parts) if (isJsonObject(part)) this.#part(part)
    const reason = candidate.finishReason
    const finish = typeof reason === 'number' ? (NUMBERED[reason] ?? 'OTHER') : stringOf(reason)
    if (!finish || finish === 'FINISH_REASON_UNSPECIFIED') return
    this.#finish = finishOf(finish)
    this.#close(this.#finish === 'length')
    if (!UNUSABLE.has(finish)) return
    this.#finish = 'error'
    const more = stringOf(candidate.finishMessage)
    const message = `the model's call could not be read by the provider (${finish})${more ? `: ${more}` : ''}`
    this.#cx.emit({ type: 'problem', code: 'INVALID_JSON', message })
  }

  #skip(index: number): void {
    if (this.#otherCandidates) return
    this.#otherCandidates = true
    const message = `the answer has several candidates; only candidate ${this.#candidate} is read, candidate ${index} and others are left out`
    this.#cx.emit({ type: 'problem', code: 'UNSUPPORTED', message })
  }

  #part(part: JsonObject): void {
    const call = objectOf(part.functionCall)
    if (call !== undefined) {
      this.#call(call, part)
      return
    }
    const text = part.text
    if (typeof text === 'string') {
      if (text !== '') this.#cx.emit({ type: part.thought === true ? 'reasoning' : 'text', text })
      if (stringOf(part.thoughtSignature)) this.#cx.emit({ type: 'provider-block', block: part })
      return
    }
    // An empty part says nothing, and would be refused in the history.
    if (Object.keys(part).some((key) => key !== 'thought')) this.#cx.emit({ type: 'provider-block', block: part })
  }

  #call(body: JsonObject, part: JsonObject): void {
    const name = stringOf(body.name) || undefined
    const id = stringOf(body.id) || undefined
    const growing = this.#growing
    const continues = growing !== undefined && (name === undefined || (id !== undefined && id === growing.id))
    if (continues) {
      this.#grow(growing, body, part)
      return
    }
    // The mark of the end may be missing: what begins now says that the one before is over.
    this.#close(false)
    const partial = Array.isArray(body.partialArgs) || body.willContinue === true
    if (name === undefined && body.args === undefined && !partial) return
    if (name === undefined && partial) {
      this.#sayStray()
      return
    }
    this.#calls++
    const call = this.#cx.book.start(name ?? '', id)
    if (partial) {
      this.#growing = { call, id, partial: new PartialArguments(this.#cx.limits.argumentChars), signature: undefined }
      this.#grow(this.#growing, body, part)
      return
    }
    this.#cx.book.finish(call, argumentsOf(body.args))
    if (stringOf(part.thoughtSignature)) this.#cx.emit({ type: 'provider-block', block: part })
  }

  #grow(growing: Growing, body: JsonObject, part: JsonObject): void {
    growing.signature ??= stringOf(part.thoughtSignature) || undefined
    if (isJsonObject(body.args)) growing.partial.merge(body.args)
    if (Array.isArray(body.partialArgs)) for (const piece of body.partialArgs) if (isJsonObject(piece)) growing.partial.add(piece)
    if (body.willContinue !== true) this.#close(false)
  }

  #close(cut: boolean): void {
    const growing = this.#growing
    if (growing === undefined) return
    this.#growing = undefined
    const { call, partial, signature } = growing
    if (cut) {
      const problem = partial.empty ? 'the stream was cut off before the arguments' : 'the stream was cut off inside the arguments'
      this.#cx.book.finish(call, broken(partial.raw, problem, 'STREAM_BROKEN'))
      return
    }
    const args = partial.finish()
    this.#cx.book.finish(call, args)
    if (signature === undefined || !args.ok) return
    const id = growing.id === undefined ? {} : { id: growing.id }
    const functionCall: JsonObject = { ...id, name: call.name, args: args.value }
    this.#cx.emit({ type: 'provider-block', block: { functionCall, thoughtSignature: signature } })
  }

  #sayStray(): void {
    if (this.#stray) return
    this.#stray = true
    const message = 'arguments came for a call that was never started; they were left out'
    this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
  }
}
