/** One row of figures; the first cell is its name. */
export type Row = readonly (string | number)[]

/** Prints a table with aligned columns: text left, numbers right with three significant digits. */
export function printTable(title: string, head: readonly string[], rows: readonly Row[]): void {
  const cells = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)))]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    widths.map((width, column) => (column === 0 ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width))).join('  ')
  process.stdout.write(`\n${title}\n${cells.map(line).join('\n')}\n`)
}

function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ')
  return Number(value.toPrecision(3)).toString()
}

/** Microseconds of CPU (user and system, all threads of this process) that `work` took. */
export async function cpuMicros(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const used = process.cpuUsage(before)
  return used.user + used.system
}

/** The smallest of several measurements: what the work itself takes, with the least of other things in it. */
export async function bestOf(times: number, measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < times; turn += 1) best = Math.min(best, await measure())
  return best
}
