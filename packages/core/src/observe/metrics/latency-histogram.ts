/**
 * Owns counting durations in a fixed number of buckets, so that percentiles cost no memory that grows. Neighbouring limits are a factor of
 * 2^(1/4) apart, so a percentile is at most 19 % too high and never too low, from 1 µs to 38 hours.
 */

const PER_DOUBLING = 4
/** Milliseconds. */
const SMALLEST = 0.001
const BUCKETS = 148

export class LatencyHistogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0
  #max = 0
  #sum = 0

  /** Less than nothing (a clock that was set back) counts as nothing. */
  record(ms: number): void {
    const bucket = ms > SMALLEST ? Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms / SMALLEST) * PER_DOUBLING)) : 0
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count += 1
    if (ms > 0) this.#sum += ms
    if (ms > this.#max) this.#max = ms
  }

  get count(): number {
    return this.#count
  }

  snapshot(): LatencySnapshot {
    const mean = this.#count === 0 ? 0 : this.#sum / this.#count
    return { count: this.#count, mean, p50: this.#quantile(0.5), p95: this.#quantile(0.95), p99: this.#quantile(0.99), max: this.#max }
  }

  #quantile(share: number): number {
    const rank = Math.ceil(this.#count * share)
    let seen = 0
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket] ?? 0
      // The last bucket takes all that is longer.
      if (seen >= rank && seen > 0) return bucket === BUCKETS - 1 ? this.#max : Math.min(this.#max, SMALLEST * 2 ** (bucket / PER_DOUBLING))
    }
    return 0
  }
}

/** Milliseconds, all 0 where nothing was counted. */
export interface LatencySnapshot {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}
