/**
 * Somebody hostile, for the race test of the workspace. In the folder argv[2], for as long as it lives and as fast as it can:
 * `d` is a folder, then a link to `../out`; `f` is a plain file, then a link to `../out/secret`, then a second name of it, then a pipe is
 * renamed there. Says `ready` after its first round.
 */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'

process.chdir(process.argv[2] ?? '')
symlinkSync('../out', 'folder-link')
symlinkSync('../out/secret', 'file-link')
mkdirSync('real')
writeFileSync('real/secret', 'fine')
writeFileSync('plain', 'fine')
execFileSync('mkfifo', ['pipe'])
let trash = 0

/** What the host made under that name meanwhile is put away. */
function attempt(step: () => void): void {
  try {
    step()
  } catch {
    // It is gone, or something of the host is in the way.
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    attempt(() => renameSync(to, `trash${trash++}`))
  }
}

for (let round = 0; ; round += 1) {
  move('real', 'd')
  move('plain', 'f')
  for (let wait = 0; wait < (round * 37) % 3_000; wait += 1) Math.sqrt(wait)
  move('d', 'real')
  move('f', 'plain')
  move('folder-link', 'd')
  move('file-link', 'f')
  for (let wait = 0; wait < (round * 53) % 3_000; wait += 1) Math.sqrt(wait)
  move('d', 'folder-link')
  move('f', 'file-link')
  // A second name that is there for a moment only: afterwards the file has one name again.
  attempt(() => linkSync('../out/secret', 'f'))
  attempt(() => unlinkSync('f'))
  move('pipe', 'f')
  move('f', 'pipe')
  if (round === 0) process.stdout.write('ready\n')
}
