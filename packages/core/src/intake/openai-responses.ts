import type { FinishReason } from '../contract/decode.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { AnswerWire } from './answer-wire.ts'
import { CallSlot } from './call-slot.ts'
import { feedSlot } from './feed-slot.ts'
import { itemText, type OutputItem, openItem } from './responses-item.ts'
import { numberOf, objectOf, providerError, stringOf } from './wire.ts'

/**
 * Reads the Responses form, streamed and whole. Items are told apart by their id and, where a server renews ids on the way or gives
 * none, by their place in the output. Only `function_call` and `custom_tool_call` are calls; what the provider runs itself, and
 * what asks a person, is given on as `provider-block`, and so is reasoning that can be sent back (it has `encrypted_content`).
 *
 * A call is handed over at the first event that says it is finished. What a stream never said piece by piece is taken from
 * the finished item, or from the finished response.
 */
export class OpenAiResponsesWire extends AnswerWire {
  readonly dialect = 'openai-responses'
  readonly #byId = new Map<string, OutputItem>()
  readonly #byPlace = new Map<number, OutputItem>()
  readonly #open = new Set<OutputItem>()
  #last: OutputItem | undefined
  /** Found by its id last, and that id; undefined as soon as ids may mean others. */
  #recentId: JsonValue | undefined
  #recent: OutputItem | undefined
  #calls = 0
  #refused = false

  protected override read(value: JsonObject): boolean {
    const type = value.type
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#text(value, type === 'response.refusal.delta')
        return true
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.#reasoning(value)
        return true
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#argumentsDelta(value)
        return true
      case 'response.function_call_arguments.done':
        this.#argumentsDone(this.#itemOf(value), value.arguments)
        return true
      case 'response.custom_tool_call_input.done':
        this.#argumentsDone(this.#itemOf(value), value.input)
        return true
      case 'response.output_item.added':
        this.#start(value)
        return true
      case 'response.output_item.done':
        this.#finishItem(value)
        return true
      case 'response.created':
        this.#restart()
        return true
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#response(objectOf(value.response) ?? {}, type.slice('response.'.length))
        return true
      case 'error':
        this.#fail(value.error ?? value)
        return true
      default:
        return this.#readOther(value, type)
    }
  }

  #readOther(value: JsonObject, type: JsonValue | undefined): boolean {
    if (typeof type === 'string') return type.startsWith('response.')
    if (Array.isArray(value.output) && (value.object === 'response' || typeof value.status === 'string')) {
      this.#response(value, stringOf(value.status) ?? 'completed')
      return true
    }
    if (value.error === undefined || value.error === null) return value.object === 'response'
    this.#fail(value.error)
    return true
  }

  #fail(error: JsonValue): void {
    // The failed response repeats what an error event has said.
    if (!this.failed) this.cx.emit({ type: 'problem', ...providerError(error) })
    this.failed = true
  }

  /** A server that tried again in the same stream, or a recording of two answers. What was open will not be finished. */
  #restart(): void {
    this.closeAll(true)
    this.#byId.clear()
    this.#recentId = undefined
    this.#byPlace.clear()
    this.#last = undefined
    this.ended = false
    this.finish = undefined
  }

  /** The whole response, alone or at the end of its stream. */
  #response(response: JsonObject, status: string): void {
    const output = response.output
    if (Array.isArray(output)) {
      for (const [place, item] of output.entries()) {
        const record = objectOf(item)
        if (record !== undefined && !this.#isKnown(record, place)) this.#finishItem({ item: record, output_index: place })
      }
    }
    const usage = objectOf(response.usage)
    if (usage !== undefined)
      this.usage = { inputTokens: numberOf(usage.input_tokens) ?? 0, outputTokens: numberOf(usage.output_tokens) ?? 0 }
    const error = response.error
    if (status === 'failed' || (error !== undefined && error !== null)) this.#fail(error ?? 'the response failed, without a reason')
    this.finish = this.#finishOf(status, stringOf(objectOf(response.incomplete_details)?.reason))
    this.ended = status !== 'in_progress' && status !== 'queued'
    this.closeAll(this.finish === 'length' || this.failed || !this.ended)
    if (!this.ended) this.finish = undefined
  }

  #finishOf(status: string, reason: string | undefined): FinishReason {
    if (status === 'incomplete') return reason === 'content_filter' ? 'content-filter' : reason?.includes('token') ? 'length' : 'other'
    if (status === 'cancelled') return 'other'
    if (this.#calls > 0) return 'tool-calls'
    return this.#refused ? 'content-filter' : 'stop'
  }

  #isKnown(record: JsonObject, place: number): boolean {
    const id = stringOf(record.call_id) || stringOf(record.id)
    if (id && this.#byId.has(id)) return true
    const there = this.#byPlace.get(place)
    return there !== undefined && there.type === stringOf(record.type)
  }

  /** The item that an event speaks of. */
  #itemOf(value: JsonObject): OutputItem | undefined {
    const id = value.item_id
    // Nearly always the one before: comparing is less than a look-up, for which a new text must be hashed.
    if (id !== undefined && id === this.#recentId) return this.#recent
    const byId = typeof id === 'string' ? this.#byId.get(id) : undefined
    if (byId !== undefined) {
      this.#recentId = id
      this.#recent = byId
      return byId
    }
    const place = value.output_index
    return typeof place === 'number' ? this.#byPlace.get(place) : this.#last
  }

  #start(value: JsonObject): OutputItem | undefined {
    const record = objectOf(value.item)
    if (record === undefined) return undefined
    const item = openItem(record)
    if (item.isCall) {
      const slot = new CallSlot(numberOf(value.output_index), this.serial, this.cx)
      slot.id = stringOf(record.call_id) || stringOf(record.id) || undefined
      slot.name = stringOf(record.name) ?? ''
      if (item.isCustom) slot.form = 'text'
      slot.announce()
      item.slot = slot
      this.#calls++
    }
    for (const id of [record.id, record.call_id]) if (typeof id === 'string' && id !== '') this.#byId.set(id, item)
    this.#recentId = undefined
    const place = numberOf(value.output_index)
    if (place !== undefined) this.#byPlace.set(place, item)
    this.#open.add(item)
    this.#last = item
    return item
  }

  #text(value: JsonObject, refusal: boolean): void {
    const text = stringOf(value.delta)
    if (!text) return
    this.#refused ||= refusal
    const item = this.#itemOf(value)
    if (item !== undefined) item.told = true
    this.cx.emit({ type: 'text', text })
  }

  #reasoning(value: JsonObject): void {
    const text = stringOf(value.delta)
    if (!text) return
    const item = this.#itemOf(value)
    const part = numberOf(value.summary_index) ?? 0
    // The parts of a summary are paragraphs of their own.
    const apart = item?.told === true && part !== item.part ? '\n\n' : ''
    if (item !== undefined) {
      item.told = true
      item.part = part
    }
    this.cx.emit({ type: 'reasoning', text: apart + text })
  }

  #argumentsDelta(value: JsonObject): void {
    const item = this.#itemOf(value)
    if (item?.slot === undefined) return
    if (item.isCustom) item.take(stringOf(value.delta) ?? '', this.cx.limits.argumentChars)
    else feedSlot(item.slot, value.delta)
    if (item.slot.settled) this.#open.delete(item)
  }

  /** `whole` is what the provider says the arguments are; it counts where the pieces do not make an object. */
  #argumentsDone(item: OutputItem | undefined, whole: JsonValue | undefined): void {
    if (item?.slot === undefined || item.slot.settled) return
    if (item.isCustom) item.settleCustom(stringOf(whole))
    else {
      if (!item.slot.complete && typeof whole === 'string' && whole !== '') {
        item.slot.restart()
        feedSlot(item.slot, whole)
      } else if (item.slot.blank && objectOf(whole) !== undefined) item.slot.take(objectOf(whole) ?? {})
      item.slot.settle('closed')
    }
    this.#open.delete(item)
  }

  #finishItem(value: JsonObject): void {
    const record = objectOf(value.item)
    if (record === undefined) return
    const known = this.#knownItem(value, record)
    const item = known ?? this.#start(value)
    if (item === undefined) return
    this.#open.delete(item)
    if (item.slot !== undefined) {
      if (item.slot.name === '') item.slot.name = stringOf(record.name) ?? ''
      this.#argumentsDone(item, item.isCustom ? record.input : record.arguments)
      return
    }
    const said = itemText(record)
    if (!item.told && said.text !== '') this.cx.emit({ type: 'text', text: said.text })
    if (!item.told && said.reasoning !== '') this.cx.emit({ type: 'reasoning', text: said.reasoning })
    this.#refused ||= said.refused
    item.told = true
    // `phase` tells a remark from an answer; models that write it want it back.
    if (item.type === 'message' && !stringOf(record.phase)) return
    // Reasoning that only the provider's own store knows cannot be sent back.
    if (item.type === 'reasoning' && !stringOf(record.encrypted_content)) return
    this.cx.emit({ type: 'provider-block', block: record })
  }

  #knownItem(value: JsonObject, record: JsonObject): OutputItem | undefined {
    for (const id of [record.id, record.call_id]) {
      const item = typeof id === 'string' ? this.#byId.get(id) : undefined
      if (item !== undefined) return item
    }
    const place = numberOf(value.output_index)
    const item = place === undefined ? this.#last : this.#byPlace.get(place)
    return item !== undefined && this.#open.has(item) && item.type === stringOf(record.type) ? item : undefined
  }

  /** Closes what no event has closed. Arguments that are whole are taken all the same; a block that is not whole must not go back. */
  protected override closeAll(cut: boolean): void {
    for (const item of this.#open) {
      if (item.slot === undefined) continue
      if (item.isCustom && !cut) item.settleCustom(undefined)
      else {
        if (item.slot.blank && !item.isCustom) feedSlot(item.slot, item.given)
        item.slot.settle(cut ? 'cut' : 'closed')
      }
    }
    this.#open.clear()
  }
}
