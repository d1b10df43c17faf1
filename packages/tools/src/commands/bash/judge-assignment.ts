/** Owns what setting a variable does: most only name a value, some decide what other programs run. */
import { isDangerousVariable, isHarmlessVariable } from './data/variables.ts'
import { dangerous, read, type Verdict, write } from './verdict.ts'

/** `alone`: for this shell, until it ends. `before-command`: for one program. `exported`: for every program after it. */
export type AssignmentPlace = 'alone' | 'before-command' | 'exported'

export function judgeAssignment(name: string, place: AssignmentPlace): Verdict {
  if (isDangerousVariable(name)) return dangerous(`sets ${name}, which decides what programs do`)
  if (isHarmlessVariable(name)) return read(`sets ${name}`)
  // Words are split by it: what a later word says could change. `IFS= read` is how lines are read.
  if (name === 'IFS') return place === 'before-command' ? read('sets IFS') : write('sets IFS, which decides where words end')
  switch (place) {
    case 'alone':
      return read(`sets ${name}`)
    case 'before-command':
      return write(`sets ${name} for a program`)
    case 'exported':
      return write(`sets ${name} for all programs after it`)
    default:
      return place satisfies never
  }
}
