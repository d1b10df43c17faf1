import { AdjutantError } from '../../../contract/errors.ts'
import type { Job } from '../../../contract/job.ts'

export function noJob(id: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no job ${JSON.stringify(id.slice(0, 80))}`, {
    outcome: 'not-run',
    hint: 'List the ones there are.',
  })
}

export function hasEnded({ id, state }: Job): AdjutantError {
  return new AdjutantError('CONFLICT', `job ${id} has ended already: ${state}`, {
    outcome: 'not-run',
    hint: 'There is nothing left to cancel.',
  })
}
