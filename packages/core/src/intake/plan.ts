import type { FinishReason } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import { argumentsOf, parseArguments } from './arguments.ts'
import { findJsonFault } from './json-fault.ts'
import { checkPlan } from './plan/check-plan.ts'
import { clipped, type TextReader, type WireContext } from './wire.ts'

/**
 * Reads a plan: `{"plan": [{"id"?, "tool", "params", "after"?, "when"?, "for_each"?}]}`, whole or in pieces, in a fence or not. It is given
 * on when its end has come and all of it holds; half a plan, or one with a faulty step, is none. What had to be repaired to read it is told
 * in it and goes with each of its calls.
 */

/** Faulty steps told one by one. */
const TOLD = 20

/** True for text that begins as a plan does, right or wrong. */
export function beginsPlan(text: string): boolean {
  return /^\s*\{\s*["']?plan["']?\s*:\s*\[/.test(text)
}

export class PlanReader implements TextReader {
  readonly #cx: WireContext
  #pieces: string[] = []
  #length = 0
  #finish: FinishReason | undefined

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  push(text: string): void {
    if (this.#length > this.#cx.limits.argumentChars) return
    this.#length += text.length
    this.#pieces.push(text)
    if (this.#length <= this.#cx.limits.argumentChars) return
    this.#pieces = []
    const message = `the plan is longer than ${this.#cx.limits.argumentChars} characters; it was not read`
    this.#cx.emit({ type: 'problem', code: 'TOO_LARGE', message })
  }

  end(): FinishReason | undefined {
    const text = this.#pieces.join('')
    this.#pieces = []
    if (text.trim() !== '') this.#text(text)
    return this.#finish
  }

  /** A plan that is already parsed. */
  value(value: JsonObject): void {
    this.#read(argumentsOf(value))
  }

  #text(text: string): void {
    const read = parseArguments(text)
    const body = text.slice(Math.max(0, text.indexOf('{')))
    if (!read.ok && text.includes('{') && findJsonFault(body)?.incomplete === true) {
      const message = `the plan was cut off after ${text.length} characters`
      this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
      return
    }
    this.#read(read)
  }

  #read(read: ReturnType<typeof parseArguments>): void {
    if (!read.ok) {
      this.#problem(`the answer is no plan: ${read.problem.replace(/^the arguments are/, 'it is')}: ${clipped(read.raw, 80)}`)
      return
    }
    const check = checkPlan(read.value)
    if ('problems' in check) {
      for (const problem of check.problems.slice(0, TOLD)) this.#problem(`the plan cannot be carried out: ${problem}`)
      if (check.problems.length > TOLD) this.#problem(`the plan has ${check.problems.length - TOLD} more problems`)
      return
    }
    const plan = read.repairs === undefined ? check.plan : { ...check.plan, repairs: read.repairs }
    this.#cx.emit({ type: 'plan', plan })
    this.#finish = 'tool-calls'
  }

  #problem(message: string): void {
    this.#cx.emit({ type: 'problem', code: 'INVALID_DECISION', message })
  }
}
