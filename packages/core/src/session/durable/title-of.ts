import type { StepRecord } from '../../contract/events.ts'

const TITLE_CHARS = 80

/** What a session is called: the first words of its first task. */
export function titleOf(steps: readonly StepRecord[]): string | undefined {
  const first = steps.find((step) => step.type === 'user')
  // A sign outside the first plane is not cut in two.
  return first?.text.slice(0, TITLE_CHARS).replace(/[\ud800-\udbff]$/, '')
}
