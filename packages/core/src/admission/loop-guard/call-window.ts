/**
 * The last calls of a run, as digests in fixed arrays. A step is one call, or several equal calls of one message.
 * Steps are numbered from 0 for the whole run; one that has left the window is not found any more.
 */
export class CallWindow {
  readonly size: number
  readonly #keys: Float64Array
  /** NaN: not settled, or different results of equal calls of one message. Equal to nothing, so it is evidence of nothing. */
  readonly #results: Float64Array
  readonly #messages: Float64Array
  /** 1: the call waited for what it repeats, so that nothing before it counts against it. */
  readonly #fresh: Uint8Array
  /** Equal calls in a row with equal results, up to this step; may be longer than the window. */
  readonly #runs: Float64Array
  #count = 0

  constructor(size: number) {
    this.size = size
    this.#keys = new Float64Array(size)
    this.#results = new Float64Array(size).fill(Number.NaN)
    this.#messages = new Float64Array(size)
    this.#fresh = new Uint8Array(size)
    this.#runs = new Float64Array(size)
  }

  /** Steps of the run so far. */
  get count(): number {
    return this.#count
  }

  add(key: number, message: number, fresh: boolean): number {
    const step = this.#count++
    const slot = step % this.size
    this.#keys[slot] = key
    this.#results[slot] = Number.NaN
    this.#messages[slot] = message
    this.#fresh[slot] = fresh ? 1 : 0
    this.#runs[slot] = 0
    return step
  }

  /** The first step that is still in the window. */
  get #first(): number {
    return Math.max(0, this.#count - this.size)
  }

  keyAt(step: number): number {
    return this.#keys[step % this.size] ?? Number.NaN
  }

  resultAt(step: number): number {
    return step < this.#first ? Number.NaN : (this.#results[step % this.size] ?? Number.NaN)
  }

  messageAt(step: number): number {
    return this.#messages[step % this.size] ?? Number.NaN
  }

  /** NaN takes a result back. */
  setResult(step: number, result: number): void {
    if (step < this.#first) return
    this.#results[step % this.size] = result
    const before = step - 1
    const goesOn = step > 0 && this.keyAt(before) === this.keyAt(step) && this.resultAt(before) === result && !this.isFresh(step)
    this.setRun(step, Number.isNaN(result) ? 0 : goesOn ? this.runAt(before) + 1 : 1)
  }

  runAt(step: number): number {
    return this.#runs[step % this.size] ?? 0
  }

  setRun(step: number, length: number): void {
    this.#runs[step % this.size] = length
  }

  isFresh(step: number): boolean {
    return this.#fresh[step % this.size] === 1
  }

  /** The equal call of this very message, or -1. */
  inMessage(key: number, message: number): number {
    const first = this.#first
    for (let step = this.#count - 1; step >= first && this.messageAt(step) === message; step--) {
      if (this.keyAt(step) === key) return step
    }
    return -1
  }

  /** How often this call was the newest, in a row and with one and the same result. */
  run(key: number): number {
    const newest = this.#count - 1
    return newest >= 0 && this.keyAt(newest) === key ? this.runAt(newest) : 0
  }

  /** Length of the cycle that this call would begin anew after `rounds` whole rounds with unchanged results; 0 when there is none. */
  cycle(key: number, shortest: number, longest: number, rounds: number): number {
    const first = this.#first
    const count = this.#count
    for (let length = shortest; length <= longest; length++) {
      const begin = count - length * rounds
      if (begin < first) return 0
      if (this.keyAt(count - length) !== key) continue
      let step = begin + length
      while (step < count && this.#repeats(step, step - length)) step++
      // One call over and over is no circle: how often it may be is the tool's own limit.
      if (step === count && this.#differs(key, count - length)) return length
    }
    return 0
  }

  #differs(key: number, from: number): boolean {
    for (let step = from; step < this.#count; step++) if (this.keyAt(step) !== key) return true
    return false
  }

  #repeats(step: number, earlier: number): boolean {
    return this.keyAt(step) === this.keyAt(earlier) && this.resultAt(step) === this.resultAt(earlier) && !this.isFresh(step)
  }

  /** Whether the newest step is this call. */
  isNewest(key: number): boolean {
    return this.#count > 0 && this.keyAt(this.#count - 1) === key
  }

  /** Whether an earlier step of the window was this call with this result. */
  knows(key: number, result: number, before: number): boolean {
    for (let step = Math.min(before, this.#count) - 1; step >= this.#first; step--) {
      if (this.keyAt(step) === key && this.resultAt(step) === result) return true
    }
    return false
  }

  /** Whether a settled step of an earlier message was this call. */
  hasSettled(key: number, message: number): boolean {
    for (let step = this.#count - 1; step >= this.#first; step--) {
      if (this.keyAt(step) === key && this.messageAt(step) !== message && !Number.isNaN(this.resultAt(step))) return true
    }
    return false
  }

  /** Oldest first: key, result (null where there is none), message, fresh, run. */
  rows(): (readonly [number, number | null, number, number, number])[] {
    const rows: (readonly [number, number | null, number, number, number])[] = []
    for (let step = this.#first; step < this.#count; step++) {
      const result = this.resultAt(step)
      rows.push([
        this.keyAt(step),
        Number.isNaN(result) ? null : result,
        this.messageAt(step),
        this.isFresh(step) ? 1 : 0,
        this.runAt(step),
      ])
    }
    return rows
  }
}
