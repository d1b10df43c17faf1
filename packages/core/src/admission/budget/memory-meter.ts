import type { MeterRecord, MeterSink } from './meter.ts'

export interface MeterTotal {
  readonly tenantId: string
  readonly userId: string
  readonly tool: string
  readonly unit: string
  readonly calls: number
  readonly units: number
  readonly microPrice: number
}

/** Which records to sum up; what is absent is not asked for. */
export interface MeterQuery {
  readonly tenantId?: string
  readonly userId?: string
  readonly tool?: string
}

interface Sum {
  readonly of: MeterRecord
  calls: number
  units: number
  microPrice: number
}

/**
 * Sums records up by tenant, user, tool and unit, in this process. Grows with the number of those, not with the calls. Gone when the process ends.
 *
 * @example
 * ```ts
 * const meter = new MemoryMeter()
 * const record = meterOf({ tool, principal, sessionId, at: 0 }, { outcome: 'ok' })
 * if (record !== undefined) meter.record(record)
 * meter.sum({ tenantId: principal.tenantId }) // { calls: 1, microPrice: … }
 * ```
 */
export class MemoryMeter implements MeterSink {
  readonly #sums = new Map<string, Sum>()

  record(record: MeterRecord): void {
    const key = JSON.stringify([record.tenantId, record.userId, record.tool, record.unit])
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
  totals(query: MeterQuery = {}): readonly MeterTotal[] {
    const totals: MeterTotal[] = []
    for (const { of, calls, units, microPrice } of this.#sums.values()) {
      if (fits(of, query)) totals.push({ tenantId: of.tenantId, userId: of.userId, tool: of.tool, unit: of.unit, calls, units, microPrice })
    }
    return totals
  }

  /** Calls and price of all that fits. Units of different kinds do not add up: see {@link totals}. */
  sum(query: MeterQuery = {}): { readonly calls: number; readonly microPrice: number } {
    let calls = 0
    let microPrice = 0
    for (const total of this.totals(query)) {
      calls += total.calls
      microPrice += total.microPrice
    }
    return { calls, microPrice }
  }
}

function fits(record: MeterRecord, { tenantId, userId, tool }: MeterQuery): boolean {
  return (
    (tenantId === undefined || record.tenantId === tenantId) &&
    (userId === undefined || record.userId === userId) &&
    (tool === undefined || record.tool === tool)
  )
}
