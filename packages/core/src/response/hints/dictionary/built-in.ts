import { HintDictionary } from '../hint-dictionary.ts'
import { BUILT_IN_FIELDS } from './index.ts'

let made: HintDictionary | undefined

/** Compiled at the first failure of a process (some milliseconds), then shared. */
export function builtInHints(): HintDictionary {
  made ??= new HintDictionary(Object.values(BUILT_IN_FIELDS).flat())
  return made
}
