import type { CallArguments } from '../contract/call.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import { broken, MAX_DEPTH, tooLarge } from './arguments.ts'
import { clipped, stringOf } from './wire.ts'

/**
 * Owns the arguments of one call while they come value by value, each with the path to its place (`$.list[0].name`). A text may come
 * in several pieces on one path; they are joined once. A path that no arguments can have (a gap in a list, a member of
 * a text) makes the arguments invalid: nothing is guessed. Keys are own properties, whatever they are called.
 */

type Step = string | number
type Branch = Record<string, JsonValue> | JsonValue[]

/** `.name`, `[3]`, `['name']`, `["name"]`. */
const STEP = /\.([^.[\]'"*]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

/** The steps of a path; undefined when it is none that names one place. */
function stepsOf(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: Step[] = []
  STEP.lastIndex = 1
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    const found = STEP.exec(path)
    if (found === null) return undefined
    const [, bare, index, single, double] = found
    const quoted = single ?? double
    if (index !== undefined) steps.push(Number(index))
    else steps.push(bare ?? (quoted ?? '').replace(/\\(.)/g, '$1'))
  }
  return steps.length === 0 || steps.length > MAX_DEPTH ? undefined : steps
}

export class PartialArguments {
  readonly #limit: number
  readonly #root: Record<string, JsonValue> = {}
  #chars = 0
  #fault: string | undefined
  /** The text that is being told, and where it belongs. */
  #path: string | undefined
  #pieces: string[] = []
  /** The last path that was looked up. */
  #knownPath: string | undefined
  #knownSteps: readonly Step[] | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  get empty(): boolean {
    return this.#path === undefined && Object.keys(this.#root).length === 0
  }

  /** What there is, as JSON, for people and models. */
  get raw(): string {
    return this.empty ? '' : clipped(JSON.stringify(this.#finished()), 8_192)
  }

  /** Arguments that came whole beside the values. */
  merge(args: JsonObject): void {
    for (const [key, value] of Object.entries(args)) this.#set(this.#root, key, value)
  }

  /** One value: `{ jsonPath, stringValue | numberValue | boolValue | nullValue, willContinue? }`. */
  add(piece: JsonObject): void {
    if (this.#fault !== undefined || this.#chars > this.#limit) return
    const path = stringOf(piece.jsonPath) ?? ''
    const text = stringOf(piece.stringValue)
    this.#chars += (text?.length ?? 0) + path.length
    if (this.#path !== undefined && (path !== this.#path || text === undefined)) this.#closeText()
    if (text !== undefined) {
      if (this.#path === undefined) {
        this.#path = path
        this.#pieces = []
      }
      this.#pieces.push(text)
      if (piece.willContinue !== true) this.#closeText()
      return
    }
    const value = ownValue(piece, 'numberValue') ?? ownValue(piece, 'boolValue')
    if (value !== undefined && value !== null) this.#put(path, value)
    else if (Object.hasOwn(piece, 'nullValue')) this.#put(path, null)
  }

  finish(): CallArguments {
    const unfinished = this.#path
    const value = this.#finished()
    if (this.#chars > this.#limit) return tooLarge(JSON.stringify(value), this.#limit)
    if (this.#fault !== undefined) return broken(this.raw, this.#fault)
    if (unfinished !== undefined) return broken(this.raw, `the text at ${clipped(unfinished, 80)} was not finished`, 'STREAM_BROKEN')
    return { ok: true, value }
  }

  #finished(): JsonObject {
    this.#closeText()
    return this.#root
  }

  #closeText(): void {
    const path = this.#path
    if (path === undefined) return
    this.#path = undefined
    this.#put(path, this.#pieces.join(''))
    this.#pieces = []
  }

  #put(path: string, value: JsonValue): void {
    const steps = path === this.#knownPath ? this.#knownSteps : stepsOf(path)
    this.#knownPath = path
    this.#knownSteps = steps
    const last = steps?.at(-1)
    if (steps === undefined || last === undefined) {
      this.#fault ??= `the arguments hold a value whose place is unclear: ${clipped(JSON.stringify(path), 80)}`
      return
    }
    let branch: Branch = this.#root
    for (const [at, step] of steps.entries()) {
      if (at === steps.length - 1) break
      const next = this.#branchAt(branch, step, typeof steps[at + 1] === 'number')
      if (next === undefined) {
        this.#misfit(path)
        return
      }
      branch = next
    }
    if (!this.#set(branch, last, value)) this.#misfit(path)
  }

  #misfit(path: string): void {
    this.#fault ??= `the arguments hold a value that has no place beside the others: ${clipped(path, 80)}`
  }

  #branchAt(branch: Branch, step: Step, asList: boolean): Branch | undefined {
    const there = Array.isArray(branch) ? (typeof step === 'number' ? branch[step] : undefined) : ownValue(branch, String(step))
    if (there !== undefined) return isBranch(there) ? there : undefined
    const made: Branch = asList ? [] : {}
    return this.#set(branch, step, made) ? made : undefined
  }

  #set(branch: Branch, step: Step, value: JsonValue): boolean {
    if (Array.isArray(branch)) {
      if (typeof step !== 'number' || step > branch.length) return false
      branch[step] = value
      return true
    }
    if (typeof step === 'number') return false
    Object.defineProperty(branch, step, { value, writable: true, enumerable: true, configurable: true })
    return true
  }
}

/** Only what was made here is ever looked into, and all of that may be written to. */
function isBranch(value: JsonValue): value is Record<string, JsonValue> | JsonValue[] {
  return Array.isArray(value) || isJsonObject(value)
}
