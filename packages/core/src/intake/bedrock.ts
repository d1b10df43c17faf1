import type { JsonObject, JsonValue } from '../contract/json.ts'
import { AnswerWire } from './answer-wire.ts'
import { CallSlot } from './call-slot.ts'
import { feedSlot } from './feed-slot.ts'
import { finishOf, numberOf, objectOf, providerError, stringOf } from './wire.ts'

/**
 * Reads the Converse form, streamed and whole. An event is an object with one key, its kind: `{"contentBlockDelta":{…}}`; the binary
 * event stream is brought into this form by its framing. Blocks are told apart by `contentBlockIndex` and closed by
 * `contentBlockStop`, which is when a call is handed over. Reasoning that is signed or redacted goes back unchanged as
 * `provider-block`, and so does what the provider runs itself.
 */

interface Block {
  readonly call: CallSlot | undefined
  /** A tool of the provider's own. */
  readonly server: JsonObject | undefined
  input: string
  reasoning: string
  signature: string
  redacted: JsonValue | undefined
}

/** Kinds of events, and the keys of a whole answer, by which an object is known to be of this wire. */
const KINDS = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop'] as const

/** True for an event or a whole answer of this wire. */
export function isBedrock(value: JsonObject): boolean {
  if (KINDS.some((kind) => objectOf(value[kind]) !== undefined)) return true
  if (objectOf(objectOf(value.output)?.message) !== undefined) return true
  const keys = Object.keys(value)
  return keys.length === 1 && (objectOf(objectOf(value.metadata)?.usage) !== undefined || exceptionIn(value) !== undefined)
}

export class BedrockWire extends AnswerWire {
  readonly dialect = 'bedrock'
  readonly #blocks = new Map<number, Block>()
  #stray = false

  protected override read(value: JsonObject): boolean {
    const delta = objectOf(value.contentBlockDelta)
    if (delta !== undefined) {
      this.#delta(numberOf(delta.contentBlockIndex) ?? 0, objectOf(delta.delta))
      return true
    }
    const start = objectOf(value.contentBlockStart)
    if (start !== undefined) {
      this.#start(numberOf(start.contentBlockIndex) ?? 0, objectOf(start.start))
      return true
    }
    const stop = objectOf(value.contentBlockStop)
    if (stop !== undefined) {
      this.#stop(numberOf(stop.contentBlockIndex) ?? 0)
      return true
    }
    return this.#readRest(value)
  }

  #readRest(value: JsonObject): boolean {
    const failure = exceptionIn(value)
    if (failure !== undefined) this.#fail(failure)
    if (objectOf(value.messageStart) !== undefined) this.#restart()
    const stop = objectOf(value.messageStop)
    if (stop !== undefined) {
      this.#stopReason(stop.stopReason)
      this.done()
    }
    const usage = objectOf(objectOf(value.metadata)?.usage)
    if (usage !== undefined) this.#readUsage(usage)
    const message = objectOf(objectOf(value.output)?.message)
    if (message !== undefined) this.#whole(message, value)
    const error = value.error
    if (error !== undefined && error !== null) this.#fail(error)
    return failure !== undefined || isBedrock(value) || (error !== undefined && error !== null)
  }

  #fail(error: JsonValue): void {
    this.failed = true
    this.cx.emit({ type: 'problem', ...providerError(error) })
  }

  /** A second message in one stream. What was open will not be finished. */
  #restart(): void {
    this.closeAll(true)
    this.ended = false
    this.finish = undefined
  }

  #whole(message: JsonObject, value: JsonObject): void {
    const content = message.content
    if (Array.isArray(content)) {
      for (const part of content) {
        const block = objectOf(part)
        if (block !== undefined) this.#wholeBlock(block)
      }
    }
    this.#stopReason(value.stopReason)
    const usage = objectOf(value.usage)
    if (usage !== undefined) this.#readUsage(usage)
    this.ended = true
  }

  #wholeBlock(block: JsonObject): void {
    this.#text(block.text)
    const tool = objectOf(block.toolUse)
    const reasoning = objectOf(block.reasoningContent)
    if (tool !== undefined && !isServerTool(tool)) {
      const slot = this.#slotOf(tool)
      const input = objectOf(tool.input)
      if (input !== undefined) slot.take(input)
      else if (tool.input !== undefined && tool.input !== null) feedSlot(slot, stringOf(tool.input) ?? JSON.stringify(tool.input))
      slot.settle('closed')
    } else if (reasoning !== undefined) {
      const said = objectOf(reasoning.reasoningText)
      this.#reasoning(said?.text)
      if (stringOf(said?.signature) || reasoning.redactedContent !== undefined) this.cx.emit({ type: 'provider-block', block })
    } else if (block.text === undefined) this.cx.emit({ type: 'provider-block', block })
  }

  #stopReason(word: JsonValue | undefined): void {
    if (typeof word !== 'string') return
    this.finish = finishOf(word)
    if (!word.startsWith('malformed_')) return
    this.finish = 'error'
    const message = `the model wrote what the provider could not read (${word}); nothing of it was given on`
    this.cx.emit({ type: 'problem', code: 'INVALID_JSON', message })
  }

  #readUsage(usage: JsonObject): void {
    // Cached tokens are counted apart here, and were read by the model all the same.
    const cached = (numberOf(usage.cacheReadInputTokens) ?? 0) + (numberOf(usage.cacheWriteInputTokens) ?? 0)
    this.usage = { inputTokens: (numberOf(usage.inputTokens) ?? 0) + cached, outputTokens: numberOf(usage.outputTokens) ?? 0 }
  }

  #text(text: JsonValue | undefined): void {
    if (typeof text === 'string' && text !== '') this.cx.emit({ type: 'text', text })
  }

  #reasoning(text: JsonValue | undefined): void {
    if (typeof text === 'string' && text !== '') this.cx.emit({ type: 'reasoning', text })
  }

  #slotOf(tool: JsonObject): CallSlot {
    const slot = new CallSlot(undefined, this.serial, this.cx)
    slot.name = stringOf(tool.name) ?? ''
    slot.id = stringOf(tool.toolUseId) || undefined
    slot.announce()
    return slot
  }

  #start(index: number, start: JsonObject | undefined): Block {
    if (this.#blocks.has(index)) this.#stop(index)
    const tool = objectOf(start?.toolUse)
    const call = tool === undefined || isServerTool(tool) ? undefined : this.#slotOf(tool)
    // Of text and reasoning nothing but the kind is announced, if that.
    const server = call === undefined && start !== undefined && Object.keys(start).length > 0 ? start : undefined
    const block: Block = { call, server, input: '', reasoning: '', signature: '', redacted: undefined }
    this.#blocks.set(index, block)
    return block
  }

  #delta(index: number, delta: JsonObject | undefined): void {
    if (delta === undefined) return
    this.#text(delta.text)
    const tool = objectOf(delta.toolUse)
    const block = this.#blocks.get(index)
    if (tool !== undefined) {
      if (block?.call !== undefined) feedSlot(block.call, tool.input)
      else if (block?.server !== undefined) block.input += stringOf(tool.input) ?? ''
      else this.#sayStray(index)
      return
    }
    const reasoning = objectOf(delta.reasoningContent)
    if (reasoning === undefined) return
    this.#reasoning(reasoning.text)
    const kept = block ?? this.#start(index, undefined)
    kept.reasoning += stringOf(reasoning.text) ?? ''
    kept.signature += stringOf(reasoning.signature) ?? ''
    kept.redacted ??= reasoning.redactedContent
  }

  #sayStray(index: number): void {
    if (this.#stray) return
    this.#stray = true
    const message = `arguments came for block ${index}, which was never started; they were left out`
    this.cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
  }

  #stop(index: number): void {
    const block = this.#blocks.get(index)
    this.#blocks.delete(index)
    if (block === undefined) return
    block.call?.settle('closed')
    if (block.signature !== '') {
      const reasoningText = { text: block.reasoning, signature: block.signature }
      this.cx.emit({ type: 'provider-block', block: { reasoningContent: { reasoningText } } })
    } else if (block.redacted !== undefined) {
      this.cx.emit({ type: 'provider-block', block: { reasoningContent: { redactedContent: block.redacted } } })
    } else if (block.server !== undefined) this.cx.emit({ type: 'provider-block', block: withInput(block.server, block.input) })
  }

  /** Closes what no `contentBlockStop` has closed. A block of the provider's own that is not whole must not go back. */
  protected override closeAll(cut: boolean): void {
    for (const [index, block] of this.#blocks) {
      if (cut) block.call?.settle('cut')
      else this.#stop(index)
    }
    this.#blocks.clear()
  }
}

function isServerTool(tool: JsonObject): boolean {
  return tool.type === 'server_tool_use'
}

function withInput(start: JsonObject, input: string): JsonObject {
  const tool = objectOf(start.toolUse)
  return tool === undefined || input === '' ? start : { toolUse: { ...tool, input } }
}

/** The fault that an event of this wire tells, with its kind in the place where other wires have it. */
function exceptionIn(value: JsonObject): JsonObject | undefined {
  for (const key of Object.keys(value)) {
    const body = key.endsWith('Exception') ? objectOf(value[key]) : undefined
    if (body !== undefined) return { ...body, type: key, message: stringOf(body.message) ?? stringOf(body.Message) ?? key }
  }
  return undefined
}
