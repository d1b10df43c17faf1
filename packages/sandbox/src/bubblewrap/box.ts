/**
 * Owns one box: a bubblewrap process, its pipes and its control group, from the start until nothing of it is left. Its first process is put into
 * the control group before anything else runs in it; it is ended by ending that first process, because the kernel then ends all others. It holds
 * one program that waits for code; whoever hands code in decides when it is over. A box dies with its host.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { AdjutantError, type SandboxLimits } from '@adjutant/core/contract'

import { type CgroupBox, identifyProcess, type ProcessIdentity, readBoxStatus, signalProcess } from '../linux/index.ts'
import { type BoxPlan, bubblewrapArguments, DESCRIPTORS } from './bubblewrap-arguments.ts'
import type { Den } from './den.ts'
import type { NamedPipes, PipeEnds } from './named-pipes.ts'
import { OutputPipe } from './output-pipe.ts'

/** What all boxes of a backend share. */
export interface BoxTools {
  readonly bubblewrap: string
  readonly nsenter: string
  /** A file with the system call filter. */
  readonly seccomp: string | undefined
  readonly pipes: NamedPipes
  /** Open descriptors that every child of this host would get: hidden behind `/dev/null`. */
  readonly inherited: readonly number[]
  /** A control group for the box of this name; undefined where there are none. */
  group(name: string, limits: SandboxLimits): Promise<CgroupBox> | undefined
}

export interface BoxOptions {
  readonly name: string
  readonly den: Den
  readonly limits: SandboxLimits
  readonly plan: Omit<BoxPlan, 'seccomp' | 'held'>
  /** Does its program tell how runs end? */
  readonly side: boolean
}

export interface BoxEnd {
  /** As bubblewrap tells it: 128 and its number for a signal. Absent when the box could not be made, or was ended by force. */
  readonly exitCode?: number
  /** No program ever ran in it. */
  readonly failed: boolean
}

/** What a run needs of a box, however it was made. */
export type RunBox = Pick<
  Box,
  'stdout' | 'stderr' | 'side' | 'isGrouped' | 'group' | 'inner' | 'isOver' | 'standing' | 'ended' | 'gone' | 'give' | 'kill'
>

export class Box {
  readonly name: string
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  /** The kernel holds all its processes together. */
  readonly isGrouped: boolean
  /** Undefined until it stands, and where there is none. */
  group: CgroupBox | undefined
  /** Why it could not be made, where bubblewrap is not to blame. */
  failure: unknown
  /** What the program tells; undefined when it tells nothing. */
  readonly side: Socket | undefined
  /** True when its first process is there and limited. Never rejects. */
  readonly standing: Promise<boolean>
  /** The program has ended. Never rejects. */
  readonly ended: Promise<BoxEnd>
  /** Nothing of it is left. Never rejects. */
  readonly gone: Promise<void>
  /** In the host's numbers; undefined until it stands. */
  inner: ProcessIdentity | undefined
  isOver = false
  #killed = false
  readonly #process: ChildProcess
  readonly #code: Socket

  /** @throws AdjutantError SANDBOX_FAILED */
  static async start(tools: BoxTools, options: BoxOptions): Promise<Box> {
    const ends: PipeEnds[] = []
    // Made while the box is being made: it waits for it, not we.
    const group = tools.group(options.name, options.limits)
    group?.catch(() => undefined)
    try {
      const stdout = await tools.pipes.output()
      ends.push(stdout)
      const stderr = await tools.pipes.output()
      ends.push(stderr)
      return new Box(tools, options, { stdout, stderr, group })
    } catch (error) {
      for (const pipe of ends) {
        closeSync(pipe.box)
        closeSync(pipe.host)
      }
      await group?.then((made) => made.remove()).catch(() => undefined)
      throw AdjutantError.from(error, 'SANDBOX_FAILED', 'a box could not be started')
    }
  }

  private constructor(
    tools: BoxTools,
    options: BoxOptions,
    parts: {
      readonly stdout: PipeEnds
      readonly stderr: PipeEnds
      readonly group: Promise<CgroupBox> | undefined
    },
  ) {
    this.name = options.name
    this.isGrouped = parts.group !== undefined
    const [command, ...entering] = options.den.enter()
    const held = parts.group !== undefined
    const seccomp = tools.seccomp === undefined ? undefined : openSync(tools.seccomp, 'r')
    const nothing = openSync('/dev/null', 'r+')
    try {
      const args = [...entering, tools.bubblewrap, ...bubblewrapArguments({ ...options.plan, seccomp: seccomp !== undefined, held })]
      this.#process = spawn(command, args, {
        cwd: '/',
        // bubblewrap's own environment can be read in the box, from its first process.
        env: { PATH: '/usr/bin:/bin' },
        stdio: descriptors(
          new Map<number, number | 'pipe'>([
            ...tools.inherited.map((number): [number, number] => [number, nothing]),
            [0, nothing],
            [1, parts.stdout.box],
            [2, parts.stderr.box],
            ...(seccomp === undefined ? [] : ([[DESCRIPTORS.seccomp, seccomp]] as const)),
            [DESCRIPTORS.status, 'pipe'],
            ...(held ? ([[DESCRIPTORS.block, 'pipe']] as const) : []),
            [DESCRIPTORS.code, 'pipe'],
            ...(options.side ? ([[DESCRIPTORS.side, 'pipe']] as const) : []),
          ]),
        ),
      })
    } finally {
      closeSync(nothing)
      if (seccomp !== undefined) closeSync(seccomp)
    }
    const exited = new Promise<void>((resolve) => {
      this.#process.once('exit', () => resolve())
      this.#process.once('error', () => resolve())
    })
    this.stdout = new OutputPipe(parts.stdout)
    this.stderr = new OutputPipe(parts.stderr)
    this.stdout.started()
    this.stderr.started()
    this.#code = this.#stream(DESCRIPTORS.code)
    this.side = options.side ? this.#stream(DESCRIPTORS.side) : undefined
    const block = held ? this.#stream(DESCRIPTORS.block) : undefined
    const status = readBoxStatus(this.#stream(DESCRIPTORS.status))
    this.standing = status.started.then(async (started) => {
      if (started === undefined) return false
      this.inner = identifyProcess(started.pid)
      try {
        this.group = await parts.group
        if (!this.#killed) await this.group?.add(started.pid)
      } catch (error) {
        // Without its limits nothing may run.
        this.#killed = true
        this.failure = error
      }
      if (this.#killed) this.#end()
      else block?.write('x')
      return true
    })
    this.ended = Promise.all([Promise.race([status.exitCode, exited.then(() => status.exitCode)]), this.standing]).then(
      ([exitCode, stood]) => {
        this.isOver = true
        return { failed: !stood || this.failure !== undefined, ...(exitCode === undefined || this.#killed ? {} : { exitCode }) }
      },
    )
    this.gone = Promise.all([exited, this.ended]).then(async () => {
      for (const stream of [this.#code, this.side, block]) stream?.destroy()
      // The first process outlives bubblewrap by a moment; its pipes end when the last process of the box is gone.
      await Promise.all([this.stdout.ended, this.stderr.ended])
      await parts.group?.then((made) => made.remove()).catch(() => undefined)
    })
  }

  /** Hands code in, as soon as it stands: before, whatever goes wrong, there is nothing to run. @param last nothing comes after it */
  give(frame: Uint8Array, last: boolean): void {
    void this.standing.then((stood) => {
      if (!stood || this.#killed) return
      if (last) this.#code.end(frame)
      else this.#code.write(frame)
    })
  }

  /** Ends everything in it. Safe at every moment. */
  kill(): void {
    this.#killed = true
    this.#end()
  }

  #end(): void {
    // Before it stands, what waits in it has no code: it ends with its input.
    if (this.inner === undefined) {
      if (!this.isOver) this.#code.destroy()
    } else signalProcess(this.inner, 'SIGKILL')
  }

  #stream(number: number): Socket {
    const streams: readonly unknown[] = this.#process.stdio
    const stream = streams[number]
    if (!(stream instanceof Socket)) throw new AdjutantError('SANDBOX_FAILED', `the box has no descriptor ${number}`)
    stream.on('error', () => undefined)
    return stream
  }
}

/** As `spawn` takes them: a list, with nothing where nobody asked. */
function descriptors(wanted: ReadonlyMap<number, number | 'pipe'>): StdioOptions {
  const highest = Math.max(...wanted.keys())
  return Array.from({ length: highest + 1 }, (_, number) => wanted.get(number) ?? 'ignore')
}
