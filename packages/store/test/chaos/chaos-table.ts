import type { ChaosReport } from './run-chaos.ts'

/** What must hold, and whether it does: empty when it does. */
export function broken(report: ChaosReport): readonly string[] {
  const { checkpoints } = report
  const rules: readonly (readonly [what: string, is: number, must: number])[] = [
    ['calls with a result', report.results, checkpoints],
    ['calls without a result', report.lost, 0],
    ['results recorded twice', report.recordedTwice, 0],
    ['calls that may not be repeated and were begun twice', report.startedTwice, 0],
    ['calls begun though they were denied', report.startedThoughDenied, 0],
    ['results that say ok of a body that did not end', report.okWithoutEnd, 0],
    ['questions asked', report.asked, checkpoints],
    ['questions asked twice', report.askedTwice, 0],
    ['approvals taken', report.taken, checkpoints],
    ['approvals taken twice', report.takenTwice, 0],
    ['decisions tried', report.attempts, 2 * checkpoints],
    ['decisions that won', report.won, checkpoints],
    ['decisions that came second', report.conflicts, checkpoints],
    ['processes that ended by themselves', report.faults.length, 0],
  ]
  return rules.filter(([, is, must]) => is !== must).map(([what, is, must]) => `${what}: ${is}, must be ${must}`)
}

/** As a table for people: one column for each run. */
export function chaosTable(reports: Readonly<Record<string, ChaosReport>>): string {
  const columns = Object.values(reports)
  const rows: readonly (readonly [string, (report: ChaosReport) => string | number])[] = [
    ['sessions', (each) => each.sessions],
    ['checkpoints (calls held for a person)', (each) => each.checkpoints],
    ['decisions: tried', (each) => each.attempts],
    ['decisions: first / second', (each) => `${each.won} / ${each.conflicts}`],
    ['results', (each) => each.results],
    [
      'results: ok / not run as it was denied / unknown',
      (each) => ['ok', 'not-run', 'unknown'].map((outcome) => each.outcomes[outcome] ?? 0).join(' / '),
    ],
    [
      'results: other',
      (each) => each.results - ['ok', 'not-run', 'unknown'].reduce((sum, outcome) => sum + (each.outcomes[outcome] ?? 0), 0),
    ],
    ['unknown: died before the body', (each) => each.unknown.beforeTheBody],
    ['unknown: died in the body', (each) => each.unknown.inTheBody],
    ['unknown: died before its end was kept', (each) => each.unknown.beforeItWasKept],
    ['recorded twice', (each) => each.recordedTwice],
    ['lost', (each) => each.lost],
    ['not repeatable and begun twice', (each) => each.startedTwice],
    ['repeatable and begun again', (each) => each.repeated],
    ['begun though denied', (each) => each.startedThoughDenied],
    ['approvals taken / taken twice', (each) => `${each.taken} / ${each.takenTwice}`],
    ['sessions carried on by another process', (each) => each.resumptions],
    ['workers started', (each) => each.workersStarted],
    ['workers killed / at a drawn step / put to sleep', (each) => `${each.killed} / ${each.killedThemselves} / ${each.slept}`],
    ['workers that fell over by themselves', (each) => each.faults.length],
    ['restarts of the database', (each) => each.restarts],
    [
      'met and got over',
      (each) =>
        Object.entries(each.met)
          .map(([code, times]) => `${times} ${code}`)
          .join(', ') || '–',
    ],
    ['seconds', (each) => (each.ms / 1_000).toFixed(1)],
  ]
  const cells = [['', ...Object.keys(reports)], ...rows.map(([name, cell]) => [name, ...columns.map((each) => String(cell(each)))])]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  return `${cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`
}
