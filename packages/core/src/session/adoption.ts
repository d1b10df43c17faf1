import type { AdmittedCall } from '../contract/call.ts'
import type { CallId, Digest } from '../contract/ids.ts'
import type { RawOutcome, RunTimes } from '../contract/outcome.ts'
import { digestOf } from '../util/canonical-json.ts'

/** An execution that was started for an answer which then broke off. */
export interface EarlyRun {
  readonly from: CallId
  readonly call: AdmittedCall
  readonly done: Promise<{ readonly outcome: RawOutcome; readonly times: RunTimes; readonly cached: boolean }>
}

/**
 * Owns the executions that an answer left behind when it broke off, by fingerprint of tool and arguments. The repeated answer takes
 * each over at most once, whatever id it gives the call now. In memory, for one round.
 */
export class AdoptionPool {
  readonly #runs = new Map<Digest, EarlyRun[]>()

  get size(): number {
    return this.#runs.size
  }

  put(run: EarlyRun): void {
    const key = fingerprint(run.call)
    const same = this.#runs.get(key)
    if (same === undefined) this.#runs.set(key, [run])
    else same.push(run)
  }

  /** Hands over an execution of this very call, if one is left. */
  take(call: AdmittedCall): EarlyRun | undefined {
    if (this.#runs.size === 0) return undefined
    const key = fingerprint(call)
    const same = this.#runs.get(key)
    const run = same?.shift()
    if (same?.length === 0) this.#runs.delete(key)
    return run?.call.tool === call.tool ? run : undefined
  }

  /** What nobody has taken over. */
  *left(): Iterable<EarlyRun> {
    for (const runs of this.#runs.values()) yield* runs
  }
}

function fingerprint(call: AdmittedCall): Digest {
  return digestOf([call.tool.name, call.input])
}
