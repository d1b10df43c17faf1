/**
 * Owns the place in which a box is made: a process inside of the den, under the box's user and in its control group, with all pipes to the host, and
 * nothing in it but a shell of the system that waits for one command. Getting there takes several starts of programs, and entering a control
 * group can take the kernel tens of milliseconds; made in advance, a new box costs none of it. Nothing from a model is known here. It goes with its host.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { AdjutantError } from '@adjutant/core/contract'

import type { CgroupBox } from '../linux/index.ts'
import type { NamedPipes, PipeEnds } from '../runs/named-pipes.ts'
import { OutputPipe } from '../runs/output-pipe.ts'
import { DESCRIPTORS } from './bubblewrap-arguments.ts'
import type { Den } from './den.ts'

/** What all boxes of a backend share. */
export interface BoxTools {
  readonly bubblewrap: string
  readonly nsenter: string
  /** A file with the system call filter. */
  readonly seccomp: string | undefined
  readonly pipes: NamedPipes
  /** Open descriptors that every child of this host would get: hidden behind `/dev/null`. */
  readonly inherited: readonly number[]
}

export interface BoxPlaceOptions {
  readonly name: string
  readonly den: Den
  /** Makes its control group; absent where there are none. */
  readonly group?: (name: string) => Promise<CgroupBox>
}

/** Where the ways into the control groups are found, and what they are closed by. Shells know one digit. */
const FIRST_ENTRY = 5
const MOST_ENTRIES = 5

export class BoxPlace {
  readonly name: string
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  readonly code: Socket
  readonly side: Socket
  readonly status: Socket
  /** Undefined where there are none: then nothing holds all its processes together. */
  readonly group: CgroupBox | undefined
  /** Its process has ended, whatever it had become. Never rejects. */
  readonly exited: Promise<void>
  isOver = false
  readonly #process: ChildProcess

  /** @throws AdjutantError SANDBOX_FAILED */
  static async make(tools: BoxTools, options: BoxPlaceOptions): Promise<BoxPlace> {
    const ends: PipeEnds[] = []
    let group: CgroupBox | undefined
    const entries: number[] = []
    try {
      group = await options.group?.(options.name)
      for (const file of group?.entries() ?? []) entries.push(openSync(file, constants.O_WRONLY))
      if (entries.length > MOST_ENTRIES) throw new AdjutantError('SANDBOX_FAILED', `a box would be in ${entries.length} control groups`)
      const stdout = await tools.pipes.output()
      ends.push(stdout)
      const stderr = await tools.pipes.output()
      ends.push(stderr)
      return new BoxPlace(tools, options, { stdout, stderr, group, entries })
    } catch (error) {
      for (const pipe of ends) {
        closeSync(pipe.box)
        closeSync(pipe.host)
      }
      await group?.remove().catch(() => undefined)
      throw AdjutantError.from(error, 'SANDBOX_FAILED', 'a box could not be started')
    } finally {
      for (const entry of entries) closeSync(entry)
    }
  }

  private constructor(
    tools: BoxTools,
    options: BoxPlaceOptions,
    parts: {
      readonly stdout: PipeEnds
      readonly stderr: PipeEnds
      readonly group: CgroupBox | undefined
      readonly entries: readonly number[]
    },
  ) {
    this.name = options.name
    this.group = parts.group
    const [command, ...entering] = options.den.enter()
    const opened: number[] = []
    const open = (path: string, flags: string): number => {
      const number = openSync(path, flags)
      opened.push(number)
      return number
    }
    try {
      const seccomp = tools.seccomp === undefined ? undefined : open(tools.seccomp, 'r')
      const nothing = open('/dev/null', 'r+')
      this.#process = spawn(command, [...entering, '/bin/sh'], {
        cwd: '/',
        // The environment of what it becomes can be read in the box, from its first process.
        env: { PATH: '/usr/bin:/bin' },
        stdio: descriptors(
          new Map<number, number | 'pipe'>([
            ...tools.inherited.map((number): [number, number] => [number, nothing]),
            [0, 'pipe'],
            [1, parts.stdout.box],
            [2, parts.stderr.box],
            ...(seccomp === undefined ? [] : ([[DESCRIPTORS.seccomp, seccomp]] as const)),
            [DESCRIPTORS.status, 'pipe'],
            ...parts.entries.map((entry, index): [number, number] => [FIRST_ENTRY + index, entry]),
            [DESCRIPTORS.code, 'pipe'],
            [DESCRIPTORS.side, 'pipe'],
          ]),
        ),
      })
    } finally {
      for (const number of opened) closeSync(number)
    }
    this.exited = new Promise<void>((resolve) => {
      const over = (): void => {
        this.isOver = true
        resolve()
      }
      this.#process.once('exit', over)
      this.#process.once('error', over)
    })
    this.stdout = new OutputPipe(parts.stdout)
    this.stderr = new OutputPipe(parts.stderr)
    this.stdout.started()
    this.stderr.started()
    this.code = this.#stream(DESCRIPTORS.code)
    this.side = this.#stream(DESCRIPTORS.side)
    this.status = this.#stream(DESCRIPTORS.status)
    const numbers = parts.entries.map((_, index) => FIRST_ENTRY + index)
    // In `tasks` and `cgroup.procs` a zero means whoever writes: what comes after is born there. Without its limits nothing may run.
    const enter = numbers.map((number) => `echo 0 >&${number} || exit 125; exec ${number}>&-`)
    // Some shells put these into the environment of what comes next.
    this.#tell(`${enter.join('\n')}\nunset PWD OLDPWD SHLVL\n`)
  }

  /** It becomes this program. To be called once. */
  become(command: readonly string[]): void {
    this.#tell(`exec ${command.map(quoted).join(' ')} </dev/null\n`)
    this.#stream(0).end()
  }

  /** For one that became nothing. Never rejects. */
  async remove(): Promise<void> {
    this.#stream(0).destroy()
    await this.left()
  }

  /** Until nothing of it is left; whoever lets it end has done so. Never rejects. */
  async left(): Promise<void> {
    await this.exited
    for (const stream of [this.code, this.side, this.status]) stream.destroy()
    // The first process of a box outlives bubblewrap by a moment; its pipes end when the last process of the box is gone.
    await Promise.all([this.stdout.ended, this.stderr.ended])
    await this.group?.remove().catch(() => undefined)
  }

  #tell(words: string): void {
    this.#stream(0).write(words)
  }

  #stream(number: number): Socket {
    const streams: readonly unknown[] = this.#process.stdio
    const stream = streams[number]
    if (!(stream instanceof Socket)) throw new AdjutantError('SANDBOX_FAILED', `the box has no descriptor ${number}`)
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined)
    return stream
  }
}

/** As a shell reads it: nothing in it means anything. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** As `spawn` takes them: a list, with nothing where nobody asked. */
function descriptors(wanted: ReadonlyMap<number, number | 'pipe'>): StdioOptions {
  const highest = Math.max(...wanted.keys())
  return Array.from({ length: highest + 1 }, (_, number) => wanted.get(number) ?? 'ignore')
}
