/**
 * A sequence of numbers from 0 up to 1, always the same for the same seed: what failed once can be run again. Not for secrets.
 *
 * @param seed any whole number; its lowest 32 bits count
 *
 * @example
 * ```ts
 * const random = seededRandom(7)
 * const victim = workers[Math.floor(random() * workers.length)]
 * ```
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
