import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { CallSlot } from './call-slot.ts'
import { objectOf, stringOf } from './wire.ts'

/** Owns what is known of one item of a Responses output while it arrives. */
export class OutputItem {
  readonly type: string
  readonly isCustom: boolean
  /** Arguments that came with the announcement: they count when nothing else comes. */
  readonly given: string
  slot: CallSlot | undefined
  /** Some of its text was given on. */
  told = false
  /** The part of the summary that is being told. */
  part = 0
  #input: string[] = []
  #inputLength = 0

  constructor(type: string, given: string) {
    this.type = type
    this.isCustom = type === 'custom_tool_call'
    this.given = given
  }

  get isCall(): boolean {
    return this.isCustom || this.type === 'function_call'
  }

  /** A piece of a custom tool's input, which is text of any kind. */
  take(piece: string, limit: number): void {
    if (this.#inputLength > limit) return
    this.#input.push(piece)
    this.#inputLength += piece.length
    // Told as arguments that outgrew their limit are.
    if (this.#inputLength > limit) this.slot?.spoil(this.#input.join(''))
  }

  /** The input of a custom tool becomes the one argument `input`. */
  settleCustom(whole: string | undefined): void {
    if (this.slot === undefined || this.slot.settled) return
    this.slot.take({ input: whole ?? (this.#input.length > 0 ? this.#input.join('') : this.given) })
    this.slot.settle('closed')
    this.#input = []
  }
}

export function openItem(record: JsonObject): OutputItem {
  const type = stringOf(record.type) ?? ''
  const given = type === 'custom_tool_call' ? record.input : record.arguments
  return new OutputItem(type, stringOf(given) ?? '')
}

export interface ItemText {
  readonly text: string
  readonly reasoning: string
  readonly refused: boolean
}

/** What a finished item says in words. */
export function itemText(record: JsonObject): ItemText {
  if (record.type === 'message') {
    const parts = listOf(record.content)
    const text = parts.map((part) => stringOf(part.text) ?? stringOf(part.refusal) ?? '').join('')
    return { text, reasoning: '', refused: parts.some((part) => part.type === 'refusal') }
  }
  if (record.type !== 'reasoning') return { text: '', reasoning: '', refused: false }
  const summary = textsOf(record.summary)
  const reasoning = summary.length > 0 ? summary : textsOf(record.content)
  return { text: '', reasoning: reasoning.join('\n\n'), refused: false }
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value)
    .map((part) => stringOf(part.text) ?? '')
    .filter((text) => text !== '')
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf).filter((part) => part !== undefined) : []
}
