import type { ErrorCode } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { CallId } from '../../contract/ids.ts'
import type { SessionFollower, SessionObserver } from '../../contract/observe.ts'
import type { ToolResult } from '../../contract/result.ts'
import { ToolNames } from '../tool-names.ts'
import { LatencyHistogram, type LatencySnapshot } from './latency-histogram.ts'

/** What calls of one tool came to. */
export interface ToolStatistic {
  /** Results, also of calls that never ran. */
  readonly calls: number
  readonly ok: number
  readonly failed: number
  readonly notRun: number
  readonly outcomeUnknown: number
  /** Of all that were not `ok`, by their code. */
  readonly codes: Readonly<Partial<Record<ErrorCode, number>>>
  /** Calls whose arguments were no JSON, did not fit the schema, or broke a rule of the tool. */
  readonly argumentErrors: number
  /** Further attempts. */
  readonly retries: number
  readonly cached: number
  readonly clipped: number
  /** Shares of all calls, 0 … 1. */
  readonly failureRatio: number
  readonly clippedRatio: number
  /** Of calls that ran, all attempts together. */
  readonly latency: LatencySnapshot
  /** From admission or approval to start. */
  readonly queue: LatencySnapshot
}

const ARGUMENT_ERRORS: ReadonlySet<ErrorCode> = new Set(['INVALID_JSON', 'INVALID_ARGUMENTS', 'RULE_VIOLATED'])

/** True for a code that says that the model's arguments were wrong. */
export function isArgumentError(code: ErrorCode | undefined): boolean {
  return code !== undefined && ARGUMENT_ERRORS.has(code)
}

const WANTED: ReadonlySet<SessionEvent['type']> = new Set(['judged', 'refused', 'approval-answered', 'results', 'ended'])

class ToolTally {
  calls = 0
  ok = 0
  failed = 0
  notRun = 0
  outcomeUnknown = 0
  argumentErrors = 0
  retries = 0
  cached = 0
  clipped = 0
  readonly codes = new Map<ErrorCode, number>()
  readonly latency = new LatencyHistogram()
  readonly queue = new LatencyHistogram()

  take(result: ToolResult): void {
    const { outcome, code, startedAt, endedAt, attempts } = result
    this.calls += 1
    switch (outcome) {
      case 'ok':
        this.ok += 1
        break
      case 'failed':
        this.failed += 1
        break
      case 'not-run':
        this.notRun += 1
        break
      case 'unknown':
        this.outcomeUnknown += 1
        break
      default:
        outcome satisfies never
    }
    if (code !== undefined && outcome !== 'ok') this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
    if (isArgumentError(code)) this.argumentErrors += 1
    if (attempts !== undefined && attempts > 1) this.retries += attempts - 1
    if (result.cached === true) this.cached += 1
    if (result.spill !== undefined) this.clipped += 1
    if (startedAt !== undefined && endedAt !== undefined) this.latency.record(endedAt - startedAt)
  }

  snapshot(): ToolStatistic {
    const { calls, ok, failed, notRun, outcomeUnknown, argumentErrors, retries, cached, clipped } = this
    const share = (part: number): number => (calls === 0 ? 0 : part / calls)
    return {
      calls,
      ok,
      failed,
      notRun,
      outcomeUnknown,
      codes: Object.fromEntries(this.codes),
      argumentErrors,
      retries,
      cached,
      clipped,
      failureRatio: share(failed + outcomeUnknown),
      clippedRatio: share(clipped),
      latency: this.latency.snapshot(),
      queue: this.queue.snapshot(),
    }
  }
}

/**
 * Counts in this process what became of each tool's calls (D19), for hosts without OpenTelemetry. Follows any number of sessions; memory is bounded
 * by the number of tools. Names that are no tool's count as `unknown`.
 *
 * @example
 * ```ts
 * const statistics = new ToolStatistics()
 * const tools = statistics.snapshot() // Map { 'read_file' => { calls: 3, latency: { p95: 12.1, … }, … } }
 * ```
 */
export class ToolStatistics implements SessionObserver {
  readonly #names = new ToolNames()
  readonly #tallies = new Map<string, ToolTally>()

  follow(): SessionFollower {
    const allowed = new Map<CallId, number>()
    return { wants: WANTED, event: (event) => this.#take(event, allowed) }
  }

  /** As it is now; does not change later. */
  snapshot(): ReadonlyMap<string, ToolStatistic> {
    return new Map([...this.#tallies].map(([name, tally]) => [name, tally.snapshot()]))
  }

  /** Counts from nothing again. */
  reset(): void {
    this.#tallies.clear()
  }

  /** @param allowed when each call that has no result yet was let through, or approved */
  #take(event: SessionEvent, allowed: Map<CallId, number>): void {
    switch (event.type) {
      case 'judged':
        allowed.set(event.call.call.id, event.at)
        this.#names.learn(event)
        return
      case 'refused':
        this.#names.learn(event)
        return
      case 'approval-answered':
        allowed.set(event.request.call.call.id, event.at)
        return
      case 'results':
        for (const result of event.results) this.#count(result, allowed)
        return
      case 'ended':
        // Calls of an answer that broke off have no result.
        allowed.clear()
        return
      default:
        return
    }
  }

  #count(result: ToolResult, allowed: Map<CallId, number>): void {
    const tally = this.#tally(result.name)
    tally.take(result)
    const since = allowed.get(result.id)
    if (since === undefined) return
    allowed.delete(result.id)
    const { startedAt } = result
    // Taken over from an answer that broke off: it did not wait.
    if (startedAt !== undefined && startedAt >= since) tally.queue.record(startedAt - since)
  }

  #tally(called: string): ToolTally {
    const name = this.#names.of(called)
    const known = this.#tallies.get(name)
    if (known !== undefined) return known
    const made = new ToolTally()
    this.#tallies.set(name, made)
    return made
  }
}
