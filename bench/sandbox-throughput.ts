/** Runs one after the other in several lanes at once: how many end in a second. */
import { printTable, type Row } from './table.ts'

const LANES = [1, 2, 8] as const
const SPAN_MS = 2_500

export interface Worker {
  readonly name: string
  /** One lane. */
  open(): Promise<{ run(): Promise<unknown>; close(): Promise<void> }>
}

/** One that is measured here or elsewhere. */
export interface Rated {
  readonly name: string
  rate(lanes: number): Promise<number>
}

export const rated = (worker: Worker): Rated => ({ name: worker.name, rate: (lanes) => rateOf(worker, lanes) })

export async function measureThroughput(workers: readonly Rated[]): Promise<void> {
  const rows: (string | number)[][] = workers.map(({ name }) => [name])
  const base: number[] = []
  // Lanes outside, so that one after the other is measured in the same seconds.
  for (const lanes of LANES) {
    for (const [index, worker] of workers.entries()) {
      process.stderr.write(`\r  ${lanes} at once: ${worker.name.padEnd(40)}`)
      const rate = await worker.rate(lanes)
      if (index === 0) base.push(rate)
      rows[index]?.push(rate)
    }
  }
  process.stderr.write('\n')
  const withRatio = rows.map((row): Row => [...row, ...base.map((plain, lane) => Number(row[lane + 1]) / plain)])
  printTable(
    'Runs each second, back to back',
    ['', ...LANES.map((lanes) => `${lanes} lanes`), ...LANES.map((lanes) => `× plain at ${lanes}`)],
    withRatio,
  )
}

export async function rateOf(worker: Worker, lanes: number): Promise<number> {
  const open = await Promise.all(Array.from({ length: lanes }, () => worker.open()))
  try {
    for (const lane of open) await lane.run()
    let runs = 0
    const began = performance.now()
    await Promise.all(
      open.map(async (lane) => {
        while (performance.now() - began < SPAN_MS) {
          await lane.run()
          runs += 1
        }
      }),
    )
    return (runs * 1_000) / (performance.now() - began)
  } finally {
    await Promise.all(open.map((lane) => lane.close()))
  }
}
