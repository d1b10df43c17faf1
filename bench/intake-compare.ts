import { bestOf, cpuMicros, type Row } from './table.ts'

export type Work = () => Promise<void> | void

/** ms of CPU; or, for what would take longer than `LIMIT`, ms by which it was left out; or why it could not. */
type Figure = { readonly ms: number } | { readonly notRun: number } | { readonly failed: string }

/** ms. What would take longer in one measurement is not run: it is told so, with how long it would take. */
const LIMIT = 10_000

/** ms spent on measuring one contestant at one size, about, and on warming it up. */
const SPENT = 900
const WARMING = 250

/** Measures several ways to do the same work, at growing sizes. The first way is the floor that the others are told by. */
export class Comparison {
  readonly #figures = new Map<string, { readonly size: number; readonly figure: Figure }[]>()

  async measure(size: number, works: Readonly<Record<string, Work>>): Promise<void> {
    for (const [name, work] of Object.entries(works)) {
      const row = this.#figures.get(name) ?? []
      const expected = this.#expected(name, size)
      row.push({ size, figure: expected > LIMIT ? { notRun: expected } : await figureOf(work) })
      this.#figures.set(name, row)
    }
  }

  /** What it would take at this size, from how it grew so far. */
  #expected(name: string, size: number): number {
    const known = (this.#figures.get(name) ?? []).flatMap(({ size: at, figure }) => ('ms' in figure ? [{ at, ms: figure.ms }] : []))
    const last = known.at(-1)
    const before = known.at(-2)
    if (last === undefined) return 0
    const growth = before === undefined ? 1 : Math.log(last.ms / before.ms) / Math.log(last.at / before.at)
    return last.ms * (size / last.at) ** Math.max(1, growth)
  }

  /** A cell for each size: ms, and in brackets how often the floor's. */
  rows(): readonly Row[] {
    const [floor = []] = this.#figures.values()
    return [...this.#figures].map(([name, cells]) => [
      name,
      ...cells.map(({ figure }, at) => {
        if ('failed' in figure) return `fails: ${figure.failed}`
        if ('notRun' in figure) return `not run, ≈ ${Math.round(figure.notRun / 1_000)} s`
        const least = floor[at]?.figure
        const ratio = least !== undefined && 'ms' in least ? figure.ms / least.ms : Number.NaN
        return `${figure.ms < 10 ? figure.ms.toFixed(2) : figure.ms.toFixed(0)} (${ratio.toFixed(2)})`
      }),
    ])
  }
}

/** One after the other, not in turns: the engine throws away what it has compiled for code that rests. */
async function figureOf(work: Work): Promise<Figure> {
  globalThis.gc?.()
  let best = Number.POSITIVE_INFINITY
  let spent = 0
  for (let round = 0; spent < WARMING + SPENT && round < 100_000; round += 1) {
    const before = spent
    try {
      const ms = (await cpuMicros(work)) / 1_000
      spent += ms
      // The first turns count only where there is no time for more.
      if (before >= WARMING || spent > SPENT) best = Math.min(best, ms)
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) }
    }
  }
  return { ms: best }
}

/** ms of CPU, the smallest of `rounds`, after one turn to warm up. */
export async function millis(rounds: number, work: Work): Promise<number> {
  await work()
  return (await bestOf(rounds, () => cpuMicros(work))) / 1_000
}

/**
 * The longest turn of the event loop, in ms of CPU of its thread, while `work` read the source: timers, sockets and people waited so long. CPU,
 * since what else runs on the machine is nobody's fault here. Each chunk comes in a turn of its own, as from a socket.
 */
export async function longestBlock(
  chunks: readonly Uint8Array[],
  work: (source: () => AsyncGenerator<Uint8Array>) => Promise<void>,
): Promise<number> {
  let longest = 0
  let watching = true
  let last = threadMillis()
  const look = (): void => {
    const now = threadMillis()
    longest = Math.max(longest, now - last)
    last = now
  }
  const watch = (): void => {
    look()
    if (watching) setImmediate(watch)
  }
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      yield chunk
    }
  }
  globalThis.gc?.()
  last = threadMillis()
  setImmediate(watch)
  await work(source)
  // What was done after the last turn counts as well.
  look()
  watching = false
  return longest
}

function threadMillis(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
