/** Owns the summary of a run: one line for each call, from the steps that the session kept. */
import { readdir } from 'node:fs/promises'
import { FileSessionStore, type StepRecord, sessionId } from '@adjutant/core'

export type CallStep = Extract<StepRecord, { readonly type: 'call' }>

/**
 * The calls of the only session below `folder`, in the model's order; none when there is no session. A session keeps them in the
 * order they settled, each decision's after the decision.
 */
export async function readCalls(folder: string): Promise<readonly CallStep[]> {
  // What is kept for all sessions stands beside them, under a name with a dot.
  const name = (await readdir(folder).catch(() => [])).find((entry) => !entry.startsWith('.'))
  if (name === undefined) return []
  const calls: CallStep[] = []
  let decision: CallStep[] = []
  const endDecision = (): void => {
    calls.push(...decision.toSorted((a, b) => a.call.index - b.call.index))
    decision = []
  }
  for await (const step of new FileSessionStore(folder).read(sessionId(name))) {
    if (step.type === 'call') decision.push(step)
    else endDecision()
  }
  endDecision()
  return calls
}

/** `began` and `ms` are milliseconds; a call that never ran has neither. */
export function callTable(calls: readonly CallStep[]): string {
  const rows = calls.map(({ call, result }) => [
    call.name,
    result.code === undefined ? result.outcome : `${result.outcome} (${result.code})`,
    result.startedAt === undefined ? '–' : result.startedAt.toFixed(0),
    result.startedAt === undefined || result.endedAt === undefined ? '–' : (result.endedAt - result.startedAt).toFixed(1),
  ])
  const table = [['call', 'outcome', 'began', 'ms'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')
  return table.map(line).join('\n')
}
