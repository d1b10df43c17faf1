import type { FinishReason, Usage } from '../contract/decode.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import type { ArgumentsEnd } from './argument-text.ts'
import { CallSlot } from './call-slot.ts'
import { ChatExtras } from './chat-extras.ts'
import { idOf, isNothing } from './chat-piece.ts'
import { skipJsonSpace } from './json-scanner.ts'
import { finishOf, numberOf, objectOf, providerError, stringOf, type Wire, type WireContext } from './wire.ts'

/**
 * Reads Chat Completions, streamed and whole, from any of the servers that speak it more or less. What differs between them is which call
 * a piece belongs to, so that is decided by more than `index`: an index may be missing, always 0, or start anywhere; an id may be
 * missing, empty or repeated; a name may come with every piece. On one index a new id, another name, or an object that begins after a
 * finished one starts a new call.
 *
 * A call is handed over when it is certain: its object is closed and the next event brings nothing more for it, or says that
 * the answer is finished.
 */
export class OpenAiChatWire implements Wire {
  readonly dialect = 'openai-chat'
  readonly #cx: WireContext
  /** The call that a piece with this index belongs to now. */
  readonly #byIndex = new Map<JsonValue, CallSlot>()
  readonly #byId = new Map<string, CallSlot>()
  /** In the order they began. */
  readonly #open = new Set<CallSlot>()
  /** Closed by the last event. */
  #closed: CallSlot[] = []
  #last: CallSlot | undefined
  #serial = 0
  #choice: number | undefined
  #finish: FinishReason | undefined
  #usage: Usage | undefined
  #idle = true
  #ended = false
  #failed = false
  #otherChoices = false
  readonly #late = new Set<CallSlot>()
  readonly #extras: ChatExtras

  get idle(): boolean {
    return this.#idle
  }

  constructor(cx: WireContext) {
    this.#cx = cx
    this.#extras = new ChatExtras(cx)
  }

  event(value: JsonObject): void {
    this.#serial++
    const error = value.error
    if (error !== undefined && error !== null) this.#fail(error)
    const choices = value.choices
    if (Array.isArray(choices)) {
      this.#idle = false
      for (const choice of choices) if (isJsonObject(choice)) this.#readChoice(choice)
    }
    if (this.#closed.length > 0) this.#settleClosed()
    this.#readUsage(value)
  }

  done(): void {
    this.#ended = true
    this.#settleAll(this.#finish === 'length' || this.#failed)
  }

  end(): FinishReason | undefined {
    const said = this.#ended || this.#finish !== undefined
    this.#settleAll(!said || this.#finish === 'length' || this.#failed)
    if (!said && !this.#failed) {
      const message = 'the stream was cut off: it ended before the model said that it had finished'
      this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
    }
    if (said && this.#finish !== 'length' && !this.#failed) this.#extras.finish(this.#cx.book.size)
    if (this.#usage !== undefined) this.#cx.emit({ type: 'usage', usage: this.#usage })
    if (this.#failed) return 'error'
    return this.#finish ?? (said ? 'other' : undefined)
  }

  #fail(error: JsonValue): void {
    this.#failed = true
    this.#idle = false
    this.#cx.emit({ type: 'problem', ...providerError(error) })
  }

  #readUsage(value: JsonObject): void {
    const usage = objectOf(value.usage) ?? objectOf(objectOf(value.x_groq)?.usage)
    if (usage === undefined) return
    this.#usage = { inputTokens: numberOf(usage.prompt_tokens) ?? 0, outputTokens: numberOf(usage.completion_tokens) ?? 0 }
  }

  #readChoice(choice: JsonObject): void {
    const index = numberOf(choice.index)
    if (index !== undefined) {
      this.#choice ??= index
      if (index !== this.#choice) {
        this.#skipChoice(index)
        return
      }
    }
    const delta = objectOf(choice.delta)
    const message = objectOf(choice.message)
    if (delta !== undefined) this.#readDelta(delta, false)
    else if (message !== undefined) this.#readDelta(message, true)
    else this.#text(stringOf(choice.text))
    const finish = stringOf(choice.finish_reason)
    if (finish !== undefined && finish !== '') this.#finish = finishOf(finish)
    if (delta === undefined && message !== undefined) {
      this.#ended = true
      this.#settleAll(this.#finish === 'length')
    } else if (this.#closed.length > 0 && this.#finish !== undefined) this.#settleClosed(true)
  }

  #skipChoice(index: number): void {
    if (this.#otherChoices) return
    this.#otherChoices = true
    const message = `the answer has several choices; only choice ${this.#choice} is read, choice ${index} and others are left out`
    this.#cx.emit({ type: 'problem', code: 'UNSUPPORTED', message })
  }

  #readDelta(delta: JsonObject, whole: boolean): void {
    this.#reasoning(stringOf(delta.reasoning_content) || stringOf(delta.reasoning))
    const content = delta.content
    if (typeof content === 'string') this.#text(content)
    else if (Array.isArray(content)) for (const part of content) this.#readPart(part)
    this.#text(stringOf(delta.refusal))
    this.#extras.read(delta, whole)
    const calls = delta.tool_calls
    if (Array.isArray(calls)) this.#readCalls(calls, whole)
    const legacy = objectOf(delta.function_call)
    if (legacy !== undefined) this.#readCalls([{ index: 'function_call', function: legacy }], whole)
  }

  #readPart(part: JsonValue): void {
    const record = objectOf(part)
    if (record === undefined) {
      this.#text(stringOf(part))
      return
    }
    const thinking = record.thinking
    if (Array.isArray(thinking)) for (const piece of thinking) this.#reasoning(stringOf(objectOf(piece)?.text))
    else if (typeof thinking === 'string') this.#reasoning(thinking)
    else this.#text(stringOf(record.text) ?? stringOf(record.refusal))
  }

  #text(text: string | undefined): void {
    if (text) this.#cx.emit({ type: 'text', text })
  }

  #reasoning(text: string | undefined): void {
    if (text) this.#cx.emit({ type: 'reasoning', text })
  }

  #readCalls(entries: readonly JsonValue[], whole: boolean): void {
    if (this.#closed.length > 0) {
      for (const entry of entries) {
        const slot = isJsonObject(entry) ? this.#slotOf(entry) : undefined
        if (slot !== undefined) slot.touched = this.#serial
      }
      this.#settleClosed()
    }
    for (const entry of entries) if (isJsonObject(entry)) this.#readPiece(entry, whole)
  }

  /** The call that this piece belongs to, unless it turns out to start a new one. */
  #slotOf(entry: JsonObject): CallSlot | undefined {
    const index = entry.index
    if (index !== undefined && index !== null) return this.#byIndex.get(index)
    const id = idOf(entry)
    return id === undefined ? this.#last : this.#byId.get(id)
  }

  #readPiece(entry: JsonObject, whole: boolean): void {
    const body = objectOf(entry.function) ?? objectOf(entry.custom) ?? entry
    const id = idOf(entry)
    const name = stringOf(body.name) || undefined
    const args = body.arguments ?? body.input
    const before = whole ? undefined : this.#slotOf(entry)
    let slot = before
    if (slot !== undefined && id !== undefined && slot.id !== undefined && id !== slot.id) {
      // Several calls woven into one index, told apart by their ids alone.
      const other = this.#byId.get(id)
      slot = other !== undefined && other.key === slot.key && !other.settled && !other.complete ? other : undefined
    } else if (slot !== undefined && this.#startsAnew(slot, id, name, args)) {
      slot = undefined
    }
    if (slot === undefined && id === undefined && name === undefined && isNothing(args)) return
    if (slot === undefined && before !== undefined && id === undefined && name === undefined) slot = this.#split(before)
    if (slot === undefined && before?.complete === true && !before.spoilt) this.#settle(before, 'closed')
    slot ??= this.#begin(entry.index ?? undefined, id)
    slot.touched = this.#serial
    slot.id ??= id
    if (slot.name === '' && name !== undefined) slot.name = name
    slot.announce()
    this.#extras.readCall(slot, entry)
    this.#last = slot
    this.#feed(slot, args, id === undefined && name === undefined)
  }

  #startsAnew(slot: CallSlot, id: string | undefined, name: string | undefined, args: JsonValue | undefined): boolean {
    if (name !== undefined && slot.name !== '' && name !== slot.name) return true
    // Two named pieces in one event, with nothing else to tell them apart.
    if (name !== undefined && id === undefined && slot.began === this.#serial) return true
    if (slot.complete || slot.settled) {
      if (id !== undefined && slot.id === undefined) return true
      if (slot.spoilt) return false
      const further = isJsonObject(args) || (typeof args === 'string' && args.charAt(skipJsonSpace(args)) === '{')
      if (!further) return false
      const same = (id !== undefined && id === slot.id) || name === undefined
      return !(same && slot.placeholder)
    }
    return isJsonObject(args) && !slot.blank
  }

  #begin(key: JsonValue | undefined, id: string | undefined): CallSlot {
    const slot = new CallSlot(key, this.#serial, this.#cx)
    if (key !== undefined) this.#byIndex.set(key, slot)
    if (id !== undefined) this.#byId.set(id, slot)
    this.#open.add(slot)
    return slot
  }

  #feed(slot: CallSlot, args: JsonValue | undefined, bare: boolean): void {
    if (args === undefined || args === null || args === '') return
    if (typeof args !== 'string') {
      if (slot.placeholder) slot.restart()
      if (isJsonObject(args)) slot.take(args)
      else slot.append(JSON.stringify(args))
      if (slot.complete) this.#closed.push(slot)
      return
    }
    let target = slot
    let text = args
    while (text !== '') {
      if (target.settled) {
        if (skipJsonSpace(text) < text.length) this.#sayLate(target)
        return
      }
      if (target.complete) {
        const from = skipJsonSpace(text)
        if (from === text.length) return
        if (text.charAt(from) !== '{' || target.spoilt) {
          target.spoil(text)
          return
        }
        if (target.placeholder) target.restart()
        else target = this.#split(target)
        continue
      }
      const rest = target.append(text)
      if (target.settled) this.#open.delete(target)
      else if (target.complete) this.#closed.push(target)
      text = rest
    }
    if (bare) this.#last = target
  }

  /** A further object on the same slot, with no id and no name of its own: the same tool once more. */
  #split(before: CallSlot): CallSlot {
    const slot = this.#begin(before.key, undefined)
    slot.follow(before)
    this.#settle(before, 'closed')
    slot.touched = this.#serial
    slot.announce()
    this.#last = slot
    return slot
  }

  #sayLate(slot: CallSlot): void {
    if (this.#late.has(slot)) return
    this.#late.add(slot)
    const message = `more text came for the arguments of call ${slot.index ?? 0} after they were complete; it was left out`
    this.#cx.emit({ type: 'problem', code: 'INVALID_JSON', message, ...(slot.index === undefined ? {} : { index: slot.index }) })
  }

  /** Hands over what is closed and got nothing in this event; all of it when the answer is finished. */
  #settleClosed(all = false): void {
    const waiting: CallSlot[] = []
    for (const slot of this.#closed) {
      if (slot.settled || slot.spoilt) continue
      if (all || slot.touched !== this.#serial) this.#settle(slot, 'closed')
      else waiting.push(slot)
    }
    this.#closed = waiting
  }

  #settleAll(cut: boolean): void {
    // Only a model that says it is done has written all it wanted.
    const ended = this.#finish === 'stop' || this.#finish === 'tool-calls'
    for (const slot of this.#open) this.#settle(slot, cut ? 'cut' : ended ? 'ended' : 'closed')
    this.#closed = []
  }

  #settle(slot: CallSlot, end: ArgumentsEnd): void {
    if (slot.doubled && !slot.settled) {
      const message = `the arguments of a call of ${slot.name} came twice; they were taken once`
      this.#cx.emit({ type: 'problem', code: 'INVALID_JSON', message })
    }
    slot.settle(end)
    this.#open.delete(slot)
  }
}
