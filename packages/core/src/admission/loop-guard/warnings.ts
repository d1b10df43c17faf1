import type { Warning, WarningKind } from './snapshot.ts'

const MOST_WARNINGS = 8

/** A loop that a call would go on with. */
export interface Loop {
  readonly kind: WarningKind
  /** Which loop of its kind. */
  readonly sign: number
  /** The calls that must not come again. */
  readonly keys: readonly number[]
  readonly reason: string
  /** Of its streak: tells whether it went on since the warning. Default 0. */
  readonly total?: number
  /** The call was not made before, so that nobody can know what comes of it. Default false. */
  readonly untried?: boolean
}

/** What is to be done about a call. */
export type Ruling = { readonly type: 'warn' | 'stop'; readonly reason: string } | undefined

/** What the model was told of: at most the 8 last loops, each until it did enough else. */
export class Warnings {
  #list: Warning[]
  readonly #forgetAfter: number

  constructor(forgetAfter: number, list: readonly Warning[] = []) {
    this.#forgetAfter = forgetAfter
    this.#list = list.slice(-MOST_WARNINGS)
  }

  get list(): readonly Warning[] {
    return this.#list
  }

  /** The very call that was warned of, or another of its circle, with nothing changed since. */
  repeated(key: number, message: number): Ruling {
    for (const warning of this.#list) {
      if (warning.renewed || !warning.keys.includes(key)) continue
      // Other calls of the answer that is warned: the model could not know yet.
      return { type: warning.message === message ? 'warn' : 'stop', reason: warning.reason }
    }
    return undefined
  }

  /** A warning the first time, the end the next; a call that is untried may be tried once after a warning. */
  rule({ kind, sign, keys, reason, total = 0, untried = false }: Loop, message: number): Ruling {
    const earlier = this.#list.find((warning) => warning.kind === kind && warning.sign === sign)
    if (earlier === undefined) {
      this.#list.push({ kind, sign, keys, reason, total, message, renewed: false, left: this.#forgetAfter })
      if (this.#list.length > MOST_WARNINGS) this.#list.shift()
      return { type: 'warn', reason }
    }
    if (earlier.message === message) return { type: 'warn', reason: earlier.reason }
    return untried && earlier.total === total ? undefined : { type: 'stop', reason }
  }

  /** A call brought something new. After a change what was in vain before may not be any more. */
  progressed(changed: boolean): void {
    if (this.#list.length === 0) return
    for (const warning of this.#list) {
      warning.left--
      if (changed) warning.renewed = true
    }
    this.#list = this.#list.filter((warning) => warning.left > 0)
  }
}
