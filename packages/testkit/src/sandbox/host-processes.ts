/** Looks at the host's own processes, to find what a box left behind. Linux only; elsewhere nothing is seen. */
import { readdirSync, readFileSync } from 'node:fs'

/** Processes whose command line holds this word. A dead one that nobody waited for has no command line. */
export function processesNamed(word: string): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(word))
    .map(Number)
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
