/**
 * Somebody hostile, for workspace-race.test.ts: in the folder argv[2] the entry `d` is a real folder at one moment and a link that
 * leads outside (`../out`) at the next, for as long as the process lives. Says `ready` on its first swap.
 */
import { renameSync, symlinkSync } from 'node:fs'

process.chdir(process.argv[2] ?? '')
symlinkSync('../out', 'link')
let trash = 0

function move(from: string, to: string): void {
  for (;;) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
      // The other side made a folder of that name meanwhile.
      try {
        renameSync(to, `trash${trash++}`)
      } catch {
        // Gone again.
      }
    }
  }
}

for (let round = 0; ; round += 1) {
  move('real', 'd')
  for (let wait = 0; wait < (round * 37) % 5_000; wait += 1) Math.sqrt(wait)
  move('d', 'real')
  move('link', 'd')
  if (round === 0) process.stdout.write('ready\n')
  for (let wait = 0; wait < (round * 53) % 5_000; wait += 1) Math.sqrt(wait)
  move('d', 'link')
}
