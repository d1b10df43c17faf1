const LONG_WAIT_MS = 30_000
const SHORTEST_WAIT_MS = 1_000
/** Answers of a model take about the same time each: waiting on purpose shows in that it grows. */
const GROWTH = 1.1

/**
 * What is remembered of one tool's calls between steps: how often in a row they ended the same way. Counted by message, so that ten calls of one
 * answer that fail alike are one attempt. A count is worth nothing once the run made progress after it (`progress`).
 */
export interface Streak {
  /** Digest of the error, or of the result and the things it is about. */
  digest: number
  /** Messages in a row that ended so. */
  count: number
  message: number
  progress: number
  /** The call it began with; `varied` once another call ended the same way. */
  firstKey: number
  varied: boolean
  /** Grows with each further one for the whole run. */
  total: number
  /** Of results: digest of the arguments that say which things were meant. */
  things: number
}

export class ToolMemory {
  readonly errors: Streak = emptyStreak()
  /** Results about one and the same thing. */
  readonly results: Streak = emptyStreak()
  /** Long results, whatever they are about. */
  readonly answers: Streak = emptyStreak()
  /** The last failure that may pass by waiting: of which call, when it ended, how long was waited before it. */
  #waitKey = Number.NaN
  #waitedSince = 0
  #lastWait = 0

  /** A call failed with an error that may pass by itself. */
  waitsAfter(key: number, now: number): void {
    if (this.#waitKey !== key) this.#lastWait = 0
    this.#waitKey = key
    this.#waitedSince = now
  }

  /** Whether such a failure was waited out before the call is made again: for long, or for longer than the time before. */
  hasWaited(key: number, now: number): boolean {
    if (this.#waitKey !== key) return false
    const waited = now - this.#waitedSince
    const before = this.#lastWait
    this.#lastWait = waited
    return waited >= LONG_WAIT_MS || (before > 0 && waited >= SHORTEST_WAIT_MS && waited >= before * GROWTH)
  }
}

export function emptyStreak(): Streak {
  return { digest: Number.NaN, count: 0, message: -1, progress: 0, firstKey: Number.NaN, varied: false, total: 0, things: 0 }
}

/** Counts one more. Gives whether it goes on with what was there. */
export function extend(streak: Streak, digest: number, key: number, message: number, progress: number): boolean {
  const goesOn = streak.digest === digest && streak.progress === progress && streak.count > 0
  if (!goesOn) {
    streak.digest = digest
    streak.count = 0
    streak.message = -1
    streak.progress = progress
    streak.firstKey = key
    streak.varied = false
  }
  if (key !== streak.firstKey) streak.varied = true
  if (streak.message !== message) {
    streak.message = message
    streak.count++
    streak.total++
  }
  return goesOn
}

/** Messages in a row, before this one; 0 when the run made progress since, or when all of them are one call (then it is for the other rules). */
export function lengthOf(streak: Streak, message: number, progress: number): number {
  if (streak.progress !== progress || !streak.varied) return 0
  return streak.message === message ? streak.count - 1 : streak.count
}
