import type { ArgumentRepair } from '../contract/call.ts'
import type { DecisionNote, FinishReason } from '../contract/decode.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import { argumentsOf, parseArguments, withRepairs } from './arguments.ts'
import { findJsonFault } from './json-fault.ts'
import { parseJson } from './parse-json.ts'
import { clipped, stringOf, type TextReader, type WireContext } from './wire.ts'

/**
 * Reads the JSON decision: one object that says what to do next, alone or in a Markdown fence. `call_tool` becomes a call, `ask_user` a
 * call of the tool that asks, `answer` and `give_up` text. Anything else is no decision and is said to be none: nothing is
 * guessed from prose. What is almost JSON is read as arguments are, and its call says what was repaired.
 */

const ACTIONS = ['call_tool', 'ask_user', 'answer', 'give_up'] as const
type Action = (typeof ACTIONS)[number]

/** The tool that `ask_user` calls, with `{ question, choices? }`. */
const ASK_TOOL = 'ask_user'

const QUESTION_KEYS = ['question', 'text', 'message', 'prompt'] as const
const ANSWER_KEYS = ['answer', 'text', 'message', 'content', 'response', 'reason'] as const

function isAction(value: JsonValue | undefined): value is Action {
  return typeof value === 'string' && ACTIONS.some((action) => action === value)
}

/** True for an object that is meant as a decision, right or wrong. */
export function looksLikeDecision(value: JsonObject): boolean {
  return typeof ownValue(value, 'action') === 'string' && !Object.hasOwn(value, 'choices')
}

/** True for text that begins as a decision does, right or wrong. */
export function beginsDecision(text: string): boolean {
  return /^\s*\{\s*["']?action["']?\s*:\s*["']/.test(text)
}

/** Takes off a Markdown fence. */
export function withoutFence(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```')) return trimmed
  const lineEnd = trimmed.indexOf('\n')
  if (lineEnd === -1) return trimmed
  const close = trimmed.endsWith('```') ? trimmed.length - 3 : trimmed.length
  return trimmed.slice(lineEnd + 1, Math.max(close, lineEnd + 1)).trim()
}

export class DecisionReader implements TextReader {
  readonly #cx: WireContext
  #pieces: string[] = []
  #length = 0
  #finish: FinishReason | undefined
  /** Of the decision that is being read. */
  #repairs: readonly ArgumentRepair[] | undefined

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  push(text: string): void {
    if (this.#length > this.#cx.limits.lineChars) return
    this.#length += text.length
    this.#pieces.push(text)
    if (this.#length <= this.#cx.limits.lineChars) return
    this.#pieces = []
    const message = `the decision is longer than ${this.#cx.limits.lineChars} characters; it was not read`
    this.#cx.emit({ type: 'problem', code: 'TOO_LARGE', message })
  }

  end(): FinishReason | undefined {
    const text = withoutFence(this.#pieces.join(''))
    this.#pieces = []
    if (text !== '') this.#text(text)
    return this.#finish
  }

  /** One decision that is already parsed. */
  value(decision: JsonObject): void {
    const action = ownValue(decision, 'action')
    if (!isAction(action)) {
      const got = action === undefined ? 'is missing' : `is ${clipped(JSON.stringify(action), 60)}`
      this.#problem(`"action" ${got}; expected one of ${ACTIONS.join(', ')}`)
      return
    }
    this.#note(action, decision)
    switch (action) {
      case 'call_tool':
        this.#callTool(decision)
        return
      case 'ask_user':
        this.#askUser(decision)
        return
      case 'answer':
      case 'give_up':
        this.#say(action, decision)
        return
      default:
        action satisfies never
        return
    }
  }

  #text(text: string): void {
    const read = parseArguments(text)
    // What stands around an object is prose, and whether it speaks of the object or is it nobody knows.
    if (read.ok && Object.hasOwn(read.value, 'action') && read.repairs?.some(({ rule }) => rule === 'text-around') !== true) {
      this.#repairs = read.repairs
      this.value(read.value)
      this.#repairs = undefined
      return
    }
    let value: JsonValue
    try {
      value = parseJson(text)
    } catch {
      const fault = findJsonFault(text)
      if (fault?.incomplete === true && text.startsWith('{')) {
        const message = `the decision was cut off after ${text.length} characters: ${fault.message}`
        this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
        return
      }
      const place = fault === undefined ? 'it is no JSON' : `at line ${fault.line}, column ${fault.column} ${fault.message}`
      this.#problem(`the answer is no JSON decision: ${place}: ${clipped(text, 80)}`)
      return
    }
    if (isJsonObject(value)) {
      this.value(value)
      return
    }
    this.#problem(`the answer is no JSON decision: it is no object: ${clipped(text, 80)}`)
  }

  #problem(message: string): void {
    this.#cx.emit({ type: 'problem', code: 'INVALID_DECISION', message })
  }

  #note(action: Action, decision: JsonObject): void {
    const reasoning = stringOf(ownValue(decision, 'reasoning'))
    const confidence = ownValue(decision, 'confidence')
    const alternatives = ownValue(decision, 'alternatives')
    const names = Array.isArray(alternatives) ? alternatives.map((item) => stringOf(item) ?? JSON.stringify(item)) : undefined
    const note: DecisionNote = {
      action,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(typeof confidence === 'number' ? { confidence } : {}),
      ...(names === undefined ? {} : { alternatives: names }),
    }
    if (reasoning) this.#cx.emit({ type: 'reasoning', text: reasoning })
    this.#cx.emit({ type: 'decision', decision: note })
  }

  #callTool(decision: JsonObject): void {
    const name = stringOf(ownValue(decision, 'tool_name')) ?? stringOf(ownValue(decision, 'tool')) ?? ''
    if (name === '') {
      this.#problem('"action" is call_tool, but "tool_name" is missing or no text')
      return
    }
    const call = this.#cx.book.start(name, stringOf(ownValue(decision, 'id')))
    const parameters = ownValue(decision, 'parameters') ?? ownValue(decision, 'arguments') ?? ownValue(decision, 'input')
    this.#cx.book.finish(call, withRepairs(argumentsOf(parameters), this.#repairs))
    this.#finish = 'tool-calls'
  }

  #askUser(decision: JsonObject): void {
    const parameters = ownValue(decision, 'parameters')
    const question = spoken(decision, parameters, QUESTION_KEYS) ?? stringOf(ownValue(decision, 'reasoning'))
    if (question === undefined) {
      this.#problem('"action" is ask_user, but the question is missing: put it in "parameters": {"question": …}')
      return
    }
    const given = isJsonObject(parameters) ? ownValue(parameters, 'choices') : undefined
    const choices = given ?? ownValue(decision, 'choices')
    const call = this.#cx.book.start(ASK_TOOL, stringOf(ownValue(decision, 'id')))
    this.#cx.book.finish(call, { ok: true, value: Array.isArray(choices) ? { question, choices } : { question } })
    this.#finish = 'tool-calls'
  }

  #say(action: 'answer' | 'give_up', decision: JsonObject): void {
    const text = spoken(decision, ownValue(decision, 'parameters'), ANSWER_KEYS) ?? stringOf(ownValue(decision, 'reasoning'))
    if (text === undefined) {
      this.#problem(`"action" is ${action}, but its text is missing: put it in "parameters": {"answer": …}`)
      return
    }
    this.#cx.emit({ type: 'text', text })
    this.#finish = this.#finish ?? 'stop'
  }
}

/** The words of a decision: in its parameters, or beside them; the form leaves the place open. */
function spoken(decision: JsonObject, parameters: JsonValue | undefined, keys: readonly string[]): string | undefined {
  if (typeof parameters === 'string' && parameters !== '') return parameters
  for (const place of [parameters, decision]) {
    if (!isJsonObject(place)) continue
    for (const key of keys) {
      const text = stringOf(ownValue(place, key))
      if (text) return text
    }
  }
  return undefined
}
