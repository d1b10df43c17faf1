/** Owns what a model is told of how a run ended, beside what it printed: one line in brackets for each fact, with what to do next where it helps. */
import type { SandboxLimitName, SandboxReport } from '@adjutant/core/contract'
import { grouped } from '../text/amounts.ts'

export interface EndFacts {
  readonly report: SandboxReport
  /** Milliseconds that the run had. */
  readonly timeoutMs: number
  /** `shell` or `interpreter`, when the run was in one that stays. */
  readonly keeper?: string
  /** What it kept has ended, and nobody said so yet. */
  readonly isLost: boolean
  /** It was to be kept, and here nothing is. */
  readonly keptNothing?: boolean
  /** It seems to have wanted somebody to type. */
  readonly missedSomebody: boolean
}

const OUTGROWN: Readonly<Record<Exclude<SandboxLimitName, 'wall'>, string>> = {
  cpu: 'it used all processor time that it may: do less at once',
  memory: 'it used more memory than the box has: work on smaller parts',
  processes: 'it wanted more processes than the box may have',
  disk: 'it wrote more than the box may: remove what is not needed',
  files: 'it made more files than the box may: remove what is not needed',
  output: 'it printed more than is kept: write to a file and look at parts of it',
}

/** Nothing for a run that simply went well. */
export function endNotes({ report, timeoutMs, isLost, keeper, keptNothing, missedSomebody }: EndFacts): readonly string[] {
  const notes: string[] = []
  if (report.warning !== undefined) notes.push(`[warning: ${report.warning}]`)
  if (report.limit === 'wall' || report.timedOut)
    notes.push(
      `[ended after ${grouped(timeoutMs)} ms, before it was done: set a longer timeout_ms, do less, or start it in the background]`,
    )
  else if (report.limit !== undefined) notes.push(`[ended: ${OUTGROWN[report.limit]}]`)
  else if (report.oom) notes.push(`[${OUTGROWN.memory}]`)
  if (report.limit === undefined && report.exitCode === undefined) notes.push(`[ended by ${report.signal ?? 'a signal'}]`)
  if (report.exitCode !== undefined && report.exitCode !== 0) {
    notes.push(`[exit code ${report.exitCode}]`)
    if (missedSomebody) notes.push(NOBODY_TYPES)
  }
  if (report.refused !== undefined && report.refused.length > 0)
    notes.push(`[no connection to ${report.refused.slice(0, 10).join(', ')}: not among the hosts that may be reached]`)
  if (keptNothing === true) notes.push('[here each call runs by itself: folder and variables are not kept]')
  if (isLost && keeper !== undefined) notes.push(lost(keeper))
  return notes
}

/** Said where a run was waiting for somebody. */
export const NOBODY_TYPES =
  '[nobody can type here: give the answer as an argument (-y, --yes), in a file, or by a pipe: printf "y\\n" | command]'

export function lost(keeper: string): string {
  return `[the ${keeper} that kept variables and the folder has ended; the next call has a new one; files are still there]`
}
