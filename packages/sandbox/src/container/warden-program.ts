/**
 * Owns the program that is the first process of a container, and all that the host speaks to in it: it starts what runs, passes its output on with
 * the number of the run before it, ends it with everything that it left behind, reads and writes files, and tells what the kernel holds. It runs
 * for as long as its input is open, so a container ends with its host. Nothing else in the container can look into it, write to it or end it: the
 * first process is safe from signals, and what it is cannot be dumped.
 *
 * A message is a letter, a number and a length, and then so many bytes; see warden-line.ts for what is said.
 */
import { FACTS_PART } from './warden/facts-part.ts'
import { FILES_PART } from './warden/files-part.ts'
import { KERNEL_PART } from './warden/kernel-part.ts'
import { LOOP_PART } from './warden/loop-part.ts'
import { PROCESSES_PART } from './warden/processes-part.ts'
import { PROGRAMS_PART } from './warden/programs-part.ts'
import { RUNS_PART } from './warden/runs-part.ts'

export const WARDEN_PROGRAM = [KERNEL_PART, PROCESSES_PART, PROGRAMS_PART, RUNS_PART, FILES_PART, FACTS_PART, LOOP_PART].join('')
