import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Clock } from '../contract/ports.ts'
import { holdProcess } from './hold-process.ts'
import { guardTree, releaseTree } from './process-guard.ts'
import { findMembers, type TreeIdentity } from './process-members.ts'
import { readProcess, readProcessTable, readTreeMarker, TREE_VARIABLE } from './process-table.ts'
import { signalProcess } from './signal-process.ts'

/**
 * Owns a child process and everything it starts, until all of it is gone: also what changed its group or session, and what
 * lost its parent. `stop` ends it politely, then by force; when the host ends without having stopped it, the guard
 * (process-guard.ts) does, whatever the host died of.
 *
 * Linux and macOS. Where there is no /proc, a member that left the group *and* lost its parent before it was seen is not found.
 */

/** Milliseconds that a tree gets to end after the end of its stdin, and again after SIGTERM, before SIGKILL. */
const STOP_GRACE_MS = 1_000
/** Milliseconds that are waited for the system to take killed processes away. */
const KILL_WAIT_MS = 2_000
const POLL_MS = 20

export interface TreeCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** The whole environment; the tree's own variable is added. */
  readonly env: Readonly<Record<string, string>>
}

export interface ExitStatus {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * @example
 * ```ts
 * const tree = new ProcessTree({ command: 'sh', args: ['-c', 'sleep 100 & wait'], env: { PATH: '/usr/bin:/bin' } }, systemClock)
 * tree.members().length // 2
 * await tree.stop()
 * ```
 */
export class ProcessTree {
  /** Its pipes are the owner's business; `error` of a command that cannot be started arrives here. */
  readonly child: ChildProcessWithoutNullStreams
  readonly marker: string
  readonly #clock: Clock
  readonly #identity: TreeIdentity | undefined
  readonly #known = new Map<number, number>()
  #exit: ExitStatus | undefined
  #stopping: Promise<readonly number[]> | undefined
  #onExit: (() => void) | undefined

  /** Starts the command as leader of a session and group of its own. @throws whatever `spawn` throws at once (a NUL in an argument) */
  constructor(command: TreeCommand, clock: Clock) {
    this.#clock = clock
    const outer = process.env[TREE_VARIABLE]
    this.marker = outer === undefined ? randomUUID() : `${outer}/${randomUUID()}`
    this.child = spawn(command.command, command.args, {
      detached: true,
      env: { ...command.env, [TREE_VARIABLE]: this.marker },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    })
    // Whoever wants to know listens too; nobody's silence may end the host.
    this.child.on('error', () => {})
    this.child.stdin.on('error', () => {})
    const pid = this.child.pid
    if (pid === undefined) return
    this.child.once('exit', (code, signal) => {
      this.#exit = { code, signal }
      this.#onExit?.()
    })
    this.#identity = { marker: this.marker, pid, started: readProcess(pid)?.started ?? 0 }
    guardTree(this.#identity, () => this.kill())
  }

  /** How the first process ended; undefined while it runs. Others of the tree may outlive it. */
  get exit(): ExitStatus | undefined {
    return this.#exit
  }

  /** The pids of all that is alive now. */
  members(): readonly number[] {
    if (this.#identity === undefined) return []
    const members = findMembers(readProcessTable(), this.#identity, readTreeMarker, this.#known)
    for (const member of members) this.#known.set(member.pid, member.started)
    return members.map((member) => member.pid)
  }

  /** Kills all of it now, without a wait and without a chance to clean up. */
  kill(): void {
    this.#signal('SIGKILL')
  }

  /**
   * Ends all of it: closes stdin, after a second sends SIGTERM, after as long again SIGKILL; at once when nothing
   * is left. May be called any number of times.
   * @returns the pids that even SIGKILL did not end (stuck in the kernel); normally none
   */
  stop(): Promise<readonly number[]> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<readonly number[]> {
    if (this.#identity === undefined) return []
    const letGo = holdProcess()
    try {
      this.members()
      this.child.stdin.end()
      if (!(await this.#gone(STOP_GRACE_MS))) {
        this.#signal('SIGTERM')
        if (!(await this.#gone(STOP_GRACE_MS))) await this.#killUntilGone()
      }
    } finally {
      letGo()
      this.child.stdin.destroy()
      this.child.stdout.destroy()
      this.child.stderr.destroy()
    }
    const left = this.members()
    if (left.length === 0) releaseTree(this.#identity)
    return left
  }

  /** Again and again, as a process may be born between looking and killing. */
  async #killUntilGone(): Promise<void> {
    const end = this.#clock.monotonic() + KILL_WAIT_MS
    do this.#signal('SIGKILL')
    while (!(await this.#gone(POLL_MS)) && this.#clock.monotonic() < end)
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.members()) signalProcess(pid, signal)
  }

  /** True as soon as nothing is left, false after `ms`. */
  async #gone(ms: number): Promise<boolean> {
    const end = this.#clock.monotonic() + ms
    for (;;) {
      if (this.#exit !== undefined && this.members().length === 0) return true
      const left = end - this.#clock.monotonic()
      if (left <= 0) return false
      // While the first process runs there is nothing to look for; its end is told.
      await this.#pause(this.#exit === undefined ? left : Math.min(left, POLL_MS))
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const takeBack = this.#clock.after(ms, resolve)
      this.#onExit = () => {
        takeBack()
        resolve()
      }
    })
  }
}
