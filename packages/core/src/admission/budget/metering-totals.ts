import type { MeteringRecord, MeteringSink } from '../../contract/audit.ts'

export interface MeteringTotal {
  readonly tenant: string
  readonly user: string
  readonly tool: string
  readonly unit: string
  readonly calls: number
  readonly units: number
  readonly microPrice: number
}

/** Which records to sum up; what is absent is not asked for. */
export interface MeteringQuery {
  readonly tenant?: string
  readonly user?: string
  readonly tool?: string
}

interface Sum {
  readonly of: MeteringRecord
  calls: number
  units: number
  microPrice: number
}

/**
 * A sink that sums records up by tenant, user, tool and unit, in this process. Grows with the number of those, not with the calls. Gone when the process
 * ends.
 *
 * @example
 * ```ts
 * const totals = new MeteringTotals()
 * const observer = meteringObserver({ sink: totals })
 * totals.sum({ tenant: 'acme' }) // { calls: 12, microPrice: 60_000 }
 * ```
 */
export class MeteringTotals implements MeteringSink {
  readonly #sums = new Map<string, Sum>()

  async append(records: readonly MeteringRecord[]): Promise<void> {
    for (const record of records) this.#add(record)
  }

  #add(record: MeteringRecord): void {
    // A list as JSON: no name can be made to look like two others.
    const key = JSON.stringify([record.tenant, record.user, record.tool, record.unit])
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      sum = { of: record, calls: 0, units: 0, microPrice: 0 }
      this.#sums.set(key, sum)
    }
    sum.calls++
    sum.units += record.units
    sum.microPrice += record.microPrice
  }

  /** One row for each tenant, user, tool and unit that fits, in the order in which they first came. */
  totals(query: MeteringQuery = {}): readonly MeteringTotal[] {
    const totals: MeteringTotal[] = []
    for (const { of, calls, units, microPrice } of this.#sums.values()) {
      if (fits(of, query)) totals.push({ tenant: of.tenant, user: of.user, tool: of.tool, unit: of.unit, calls, units, microPrice })
    }
    return totals
  }

  /** Calls and price of all that fits. Units of different kinds do not add up: see {@link totals}. */
  sum(query: MeteringQuery = {}): { readonly calls: number; readonly microPrice: number } {
    let calls = 0
    let microPrice = 0
    for (const total of this.totals(query)) {
      calls += total.calls
      microPrice += total.microPrice
    }
    return { calls, microPrice }
  }
}

function fits(record: MeteringRecord, { tenant, user, tool }: MeteringQuery): boolean {
  return (
    (tenant === undefined || record.tenant === tenant) &&
    (user === undefined || record.user === user) &&
    (tool === undefined || record.tool === tool)
  )
}
