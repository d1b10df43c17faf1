/** How lists of tools and skills are written for people, and what is said when a name is not among them. */
import { AdjutantError, nearestNames, type RegistryProblem } from '@adjutant/core'
import { type CliIo, write } from '../cli-io.ts'
import { printableLine, shorten } from '../terminal/printable.ts'

/** Wider columns than this leave no room for the last one. */
const WIDEST = 36

/**
 * Rows with aligned columns on stdout. In a terminal the last column is cut at its width; in a pipe all of it is written.
 */
export async function writeColumns(io: CliIo, rows: readonly (readonly string[])[]): Promise<void> {
  const safe = rows.map((row) => row.map((cell) => printableLine(cell.replace(/\s+/g, ' ').trim())))
  const widths: number[] = []
  for (const row of safe)
    for (const [at, cell] of row.slice(0, -1).entries()) widths[at] = Math.min(WIDEST, Math.max(widths[at] ?? 0, cell.length))
  const most = io.stdout.isTTY === true ? (io.stdout.columns ?? 100) : Number.POSITIVE_INFINITY
  for (const row of safe) {
    const line = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')
    await write(io.stdout, `${shorten(line.trimEnd(), most)}\n`)
  }
}

/** Problems for people: on stderr, each with its next step. */
export async function writeProblems(io: CliIo, problems: readonly RegistryProblem[]): Promise<void> {
  for (const { code, message, hint } of problems) {
    await write(io.stderr, `! ${code}: ${printableLine(message)}\n  ${printableLine(hint)}\n`)
  }
}

/** @param kind what the name should name, e.g. `tool` */
export function notFound(kind: string, name: string, known: readonly string[], lister: string): AdjutantError {
  const near = nearestNames(name, known)
  const shown = JSON.stringify(shorten(name, 80))
  if (near.length > 0) return new AdjutantError('NOT_FOUND', `there is no ${kind} ${shown}`, { hint: `Did you mean ${near.join(' or ')}?` })
  const hint = known.length === 0 ? `There are none; see ${lister}.` : `There are ${known.length}: see ${lister}.`
  return new AdjutantError('NOT_FOUND', `there is no ${kind} ${shown}`, { hint })
}
