/** Owns how one run in a container ended, as its first process tells it: once, and whatever it was. */
import { AdjutantError } from '@adjutant/core/contract'
import { numberOf, recordOf, textOf } from '../e2b/json-value.ts'
import type { Outcome } from '../runs/run-guard.ts'
import { signalName } from './container-report.ts'

export class RunTold {
  readonly over: Promise<unknown>
  end: (how: unknown) => void = () => undefined
  fail: (error: AdjutantError) => void = () => undefined

  constructor() {
    this.over = new Promise((resolve, reject) => {
      this.end = resolve
      this.fail = reject
    })
    this.over.catch(() => undefined)
  }
}

/** @throws AdjutantError SANDBOX_FAILED, TOO_LARGE when it could not begin */
export function outcomeOf(told: unknown): Outcome {
  const end = recordOf(told)
  const failed = textOf(end.failed)
  if (failed === 'ENOSPC' || failed === 'EDQUOT')
    throw new AdjutantError('TOO_LARGE', `what the run was to read does not fit into the box's temporary folder`, {
      hint: 'Write it to a file of the workspace, or give the box more disk.',
      outcome: 'not-run',
    })
  if (failed !== undefined)
    throw new AdjutantError('SANDBOX_FAILED', `the run could not begin: ${textOf(end.said) ?? failed}`, { outcome: 'not-run' })
  const how = recordOf(end.how)
  const exitCode = numberOf(how.exitCode)
  if (exitCode !== undefined) return { exitCode }
  return { signal: signalName(numberOf(how.signal)) }
}
