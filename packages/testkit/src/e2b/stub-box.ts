/**
 * Owns what a box of the stub is: a home and processes. The plain one is no wall: its processes are ordinary ones of a user that nobody is, in a
 * throwaway folder, without the environment of the suite. Give it harmless code only.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'

const NOBODY = { uid: 65_534, gid: 65_534 } as const

export interface E2bStubRun {
  /** Absolute in the box, or relative to its home. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** `ignore`: an end of file at once. */
  readonly stdin: 'pipe' | 'ignore'
}

/** What the stub needs of a box; files are reached by processes in it, so that nothing is seen that the box does not see. */
export interface E2bStubBox {
  /** Absolute, as code in the box sees it. */
  readonly home: string
  /** Its pid is what the box's processes know it by. @throws Error when `cwd` is no folder */
  run(argv: readonly [string, ...string[]], options: E2bStubRun): ChildProcess
  /** Ends all that was started in it, and what they started, and removes its files. */
  close(): Promise<void>
}

/** A box that holds nothing. */
export function plainStubBox(id: string): E2bStubBox {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-e2b-'))
  const user = process.geteuid?.() === 0 ? NOBODY : undefined
  if (user !== undefined) chownSync(home, user.uid, user.gid)
  const mark = `E2B_SANDBOX_ID=${id}`
  const usual = {
    PATH: `/usr/bin:/bin:${dirname(process.execPath)}`,
    HOME: home,
    USER: 'user',
    LOGNAME: 'user',
    E2B_SANDBOX: 'true',
    E2B_SANDBOX_ID: id,
  }
  return {
    home,
    run([program, ...args], options) {
      const cwd = posix.resolve(home, options.cwd)
      if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`cwd '${cwd}' does not exist`)
      return spawn(program, args, {
        cwd,
        env: { ...usual, ...options.env },
        stdio: [options.stdin, 'pipe', 'pipe'],
        ...(user ?? {}),
      })
    },
    close() {
      // What forks meanwhile is found in the next round.
      for (let round = 0; round < 20 && killMarked(mark) > 0; round += 1);
      rmSync(home, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

/** Processes with this in their environment, ended. */
function killMarked(mark: string): number {
  let found = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(mark)) continue
      process.kill(Number(name), 'SIGKILL')
      found += 1
    } catch {
      // Ended meanwhile, or nobody's business.
    }
  }
  return found
}
