import { first } from './0001-first.ts'
import { jobTurns } from './0002-job-turns.ts'
import type { StoreMigration } from './migration.ts'

/** All there are, the oldest first. A new one goes to the end; none is ever changed or taken away. */
export const MIGRATIONS: readonly StoreMigration[] = [first, jobTurns]
