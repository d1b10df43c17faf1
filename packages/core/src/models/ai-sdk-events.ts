/**
 * Owns the way from the stream parts of an AI SDK model (V2 to V4) to decode events. Calls that the provider runs itself are left
 * alone: they and their results are kept as provider blocks. Unknown parts are passed by: versions add things.
 */
import type { DecodeEvent, FinishReason, Usage } from '../contract/decode.ts'
import type { IdSource } from '../contract/ports.ts'
import { CallBook } from '../intake/call-book.ts'
import { CallSlot } from '../intake/call-slot.ts'
import { feedSlot } from '../intake/feed-slot.ts'
import { DEFAULT_LIMITS, type WireContext } from '../intake/wire.ts'
import { isPart, keptPart, metadataOf, numberIn, type Part, plainJson, stringIn } from './ai-sdk-parts.ts'
import type { AiSdkMetadata } from './ai-sdk-types.ts'

export interface AiSdkEventsOptions {
  readonly provider: string
  readonly ids: IdSource
  readonly signals: boolean
}

/** Text or reasoning between its start and its end. */
interface OpenText {
  text: string
  metadata: AiSdkMetadata | undefined
}

export class AiSdkEvents {
  readonly #provider: string
  readonly #emit: (event: DecodeEvent) => void
  readonly #cx: WireContext
  readonly #calls = new Map<string, CallSlot>()
  readonly #texts = new Map<string, OpenText>()
  #serial = 0
  #blocks = 0
  #finish: FinishReason | undefined

  constructor(emit: (event: DecodeEvent) => void, options: AiSdkEventsOptions) {
    this.#provider = options.provider
    this.#emit = emit
    const book = new CallBook(emit, options.ids)
    this.#cx = { emit, book, ids: options.ids, limits: DEFAULT_LIMITS, signals: options.signals }
  }

  /** Takes a part. `error` parts are not for here: the caller throws them. */
  push(value: unknown): void {
    if (!isPart(value)) return
    this.#serial++
    const id = stringIn(value, 'id') ?? ''
    switch (value.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#texts.set(`${value.type.slice(0, 4)}${id}`, { text: '', metadata: metadataOf(value.providerMetadata) })
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#text(value, id, value.type === 'text-delta')
        return
      case 'text-end':
      case 'reasoning-end':
        this.#textEnd(value, id, value.type === 'text-end')
        return
      case 'tool-input-start':
        if (value.providerExecuted !== true) this.#slotOf(id, stringIn(value, 'toolName') ?? '')
        return
      case 'tool-input-delta': {
        const slot = this.#calls.get(id)
        if (slot !== undefined) feedSlot(slot, stringIn(value, 'delta'))
        this.#cx.book.tellGrowth()
        return
      }
      case 'tool-call':
        this.#call(value)
        return
      case 'tool-result':
        this.#ownWork(value, 'result')
        return
      case 'tool-approval-request':
        this.#emit({
          type: 'problem',
          code: 'UNSUPPORTED',
          message: 'the provider asks to approve a call of its own; only the calls made here can be approved',
        })
        return
      case 'finish':
        this.#end(value)
        return
    }
  }

  /** No more will come. Gives the reason for the end, where one was said. */
  end(): FinishReason | undefined {
    for (const slot of this.#calls.values()) slot.settle(this.#finish === undefined ? 'cut' : 'closed')
    return this.#finish
  }

  #text(part: Part, id: string, isText: boolean): void {
    const delta = stringIn(part, 'delta') ?? ''
    const open = this.#texts.get(`${isText ? 'text' : 'reas'}${id}`)
    if (open !== undefined) {
      open.text += delta
      open.metadata = metadataOf(part.providerMetadata) ?? open.metadata
    }
    if (delta !== '') this.#emit({ type: isText ? 'text' : 'reasoning', text: delta })
  }

  #textEnd(part: Part, id: string, isText: boolean): void {
    const key = `${isText ? 'text' : 'reas'}${id}`
    const open = this.#texts.get(key)
    this.#texts.delete(key)
    const metadata = metadataOf(part.providerMetadata) ?? open?.metadata
    if (open === undefined || metadata === undefined) return
    this.#keep({ type: isText ? 'text' : 'reasoning', text: open.text, providerOptions: metadata })
  }

  #slotOf(id: string, name: string): CallSlot {
    const known = this.#calls.get(id)
    if (known !== undefined && !known.settled) return known
    const slot = new CallSlot(undefined, this.#serial, this.#cx)
    slot.id = id
    slot.name = name
    slot.announce()
    this.#calls.set(id, slot)
    return slot
  }

  #call(part: Part): void {
    if (part.providerExecuted === true) {
      this.#ownWork(part, 'input')
      return
    }
    const id = stringIn(part, 'toolCallId') ?? ''
    const slot = this.#slotOf(id, stringIn(part, 'toolName') ?? '')
    // What was streamed is what is meant; the whole counts where nothing or something else was.
    const whole = stringIn(part, 'input') ?? plainJson(part.input)
    if (!slot.complete) slot.restart()
    if (typeof whole === 'string') {
      if (!slot.complete) feedSlot(slot, whole)
    } else if (typeof whole === 'object' && whole !== null && !Array.isArray(whole)) slot.take(whole)
    slot.settle('ended')
    const metadata = metadataOf(part.providerMetadata)
    if (metadata === undefined && this.#blocks === 0) return
    // Says also where the call stood between what else has to go back.
    this.#keep({ type: 'tool-call', toolCallId: id, providerOptions: metadata })
  }

  /** The provider ran it, or is running it. `input` comes as text, and goes back as what the text says. */
  #ownWork(part: Part, content: 'input' | 'result'): void {
    const value = plainJson(part[content])
    const metadata = metadataOf(part.providerMetadata)
    this.#keep({
      type: content === 'input' ? 'tool-call' : 'tool-result',
      toolCallId: stringIn(part, 'toolCallId') ?? '',
      toolName: stringIn(part, 'toolName') ?? '',
      [content]: content === 'input' && typeof value === 'string' ? parsed(value) : value,
      providerExecuted: true,
      ...(part.isError === true ? { isError: true } : {}),
      providerOptions: metadata,
    })
  }

  #keep(part: Parameters<typeof keptPart>[1]): void {
    this.#blocks++
    this.#emit({ type: 'provider-block', block: keptPart(this.#provider, part) })
  }

  #end(part: Part): void {
    const usage = usageOf(part.usage)
    if (usage !== undefined) this.#emit({ type: 'usage', usage })
    this.#finish = finishOf(isPart(part.finishReason) ? part.finishReason.unified : part.finishReason)
  }
}

/** A number (V2), or a sum with its parts (V3 and later). */
function usageOf(value: unknown): Usage | undefined {
  if (!isPart(value)) return undefined
  const total = (key: 'inputTokens' | 'outputTokens'): number | undefined => {
    const tokens = value[key]
    return isPart(tokens) ? numberIn(tokens, 'total') : numberIn(value, key)
  }
  const inputTokens = total('inputTokens')
  const outputTokens = total('outputTokens')
  return inputTokens === undefined && outputTokens === undefined
    ? undefined
    : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 }
}

function finishOf(reason: unknown): FinishReason | undefined {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'error':
      return reason
    // The stream ended without the provider's word for it: as if nothing had been said.
    case 'interrupted':
      return undefined
    default:
      return 'other'
  }
}

function parsed(text: string): ReturnType<typeof plainJson> {
  try {
    return plainJson(JSON.parse(text))
  } catch {
    return text
  }
}
