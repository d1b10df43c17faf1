/**
 * Owns one box: its keeper, the program in it, its pipes and its control group, from the start until nothing of it is left. The keeper is put into
 * the control group before it starts anything; letting go of its control descriptor ends all. A keeper that ended in any other way than by
 * itself has nobody to answer for what it started: then the control group, and a user that is the box's alone, are emptied.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { AdjutantError } from '@adjutant/core/contract'
import type { BoxUser } from '../host/box-user.ts'
import { type CgroupBox, identifyProcess, type ProcessIdentity } from '../linux/index.ts'
import type { NamedPipes, PipeEnds } from '../runs/named-pipes.ts'
import { OutputPipe } from '../runs/output-pipe.ts'
import type { BoxEnd, RunBox } from '../runs/run-box.ts'
import type { BoxRule } from './box-rules.ts'
import type { ChangeCalls } from './keeper-changes.ts'
import { KEEPER } from './keeper-program.ts'

/** Descriptors of the keeper. Code and side are the program's as well. */
const DESCRIPTORS = { control: 3, status: 4, code: 198, side: 199 } as const
/** What the keeper may tell at most, in characters. */
const MAX_TOLD = 8_192

export interface LandlockBoxOptions {
  readonly python: string
  readonly pipes: NamedPipes
  /** Open descriptors that every child of this host would get: hidden behind `/dev/null`. */
  readonly inherited: readonly number[]
  readonly group: Promise<CgroupBox> | undefined
  /** Under whom it runs; absent: under whom we do. */
  readonly user: BoxUser | undefined
  /** Nobody else has that user. */
  readonly ownUser: boolean
  readonly side: boolean
  readonly plan: {
    /** The newest version of Landlock that is made use of. */
    readonly abi: number
    /** File with the filter of system calls. */
    readonly filter: string
    /** Calls that the keeper is asked about; absent: none. */
    readonly changes?: ChangeCalls
    readonly folder: string
    readonly rules: readonly BoxRule[]
    readonly command: readonly string[]
    readonly env: Readonly<Record<string, string>>
  }
}

export class LandlockBox implements RunBox {
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  readonly side: Socket | undefined
  readonly isGrouped: boolean
  group: CgroupBox | undefined
  /** The keeper: all others descend from it. */
  inner: ProcessIdentity | undefined
  isOver = false
  /** Why there is no box. */
  failure: string | undefined
  readonly standing: Promise<boolean>
  readonly ended: Promise<BoxEnd>
  readonly gone: Promise<void>
  readonly #process: ChildProcess
  readonly #control: Socket
  readonly #code: Socket
  #killed = false

  /** @throws AdjutantError SANDBOX_FAILED */
  static async start(options: LandlockBoxOptions): Promise<LandlockBox> {
    const ends: PipeEnds[] = []
    options.group?.catch(() => undefined)
    try {
      const stdout = await options.pipes.output()
      ends.push(stdout)
      const stderr = await options.pipes.output()
      ends.push(stderr)
      return new LandlockBox(options, stdout, stderr)
    } catch (error) {
      for (const pipe of ends) {
        closeSync(pipe.box)
        closeSync(pipe.host)
      }
      await options.group?.then((made) => made.remove()).catch(() => undefined)
      throw AdjutantError.from(error, 'SANDBOX_FAILED', 'a box could not be started')
    }
  }

  private constructor(options: LandlockBoxOptions, stdout: PipeEnds, stderr: PipeEnds) {
    const { group, plan, user } = options
    this.isGrouped = group !== undefined
    const nothing = openSync('/dev/null', 'r+')
    try {
      this.#process = spawn(options.python, ['-I', '-S', '-c', KEEPER], {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        stdio: descriptors(
          new Map<number, number | 'pipe'>([
            ...options.inherited.map((number): [number, number] => [number, nothing]),
            [0, nothing],
            [1, stdout.box],
            [2, stderr.box],
            [DESCRIPTORS.control, 'pipe'],
            [DESCRIPTORS.status, 'pipe'],
            [DESCRIPTORS.code, 'pipe'],
            ...(options.side ? ([[DESCRIPTORS.side, 'pipe']] as const) : []),
          ]),
        ),
        ...(user ?? {}),
      })
    } finally {
      closeSync(nothing)
    }
    const exited = new Promise<void>((resolve) => {
      this.#process.once('exit', () => resolve())
      this.#process.once('error', () => resolve())
    })
    this.stdout = new OutputPipe(stdout)
    this.stderr = new OutputPipe(stderr)
    this.stdout.started()
    this.stderr.started()
    this.#control = this.#stream(DESCRIPTORS.control)
    this.#code = this.#stream(DESCRIPTORS.code)
    this.side = options.side ? this.#stream(DESCRIPTORS.side) : undefined
    const told = readStatus(this.#stream(DESCRIPTORS.status))
    void this.#begin(group, { changes: null, ...plan, side: options.side, ownUser: options.ownUser && user !== undefined })
    this.standing = Promise.race([told.started, exited.then(() => told.started)])
    this.ended = Promise.race([told.ended, exited.then(() => told.ended)]).then(({ exitCode, failure, started }) => {
      this.isOver = true
      this.failure ??= failure
      return {
        failed: !started && !this.#killed,
        ...(exitCode === undefined || this.#killed ? {} : { exitCode }),
      }
    })
    this.gone = Promise.all([exited, this.ended]).then(async () => {
      for (const stream of [this.#control, this.#code, this.side]) stream?.destroy()
      await this.#clear(options)
      await Promise.all([this.stdout.ended, this.stderr.ended])
    })
  }

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
    this.#control.destroy()
  }

  async #begin(group: Promise<CgroupBox> | undefined, config: object): Promise<void> {
    const { pid } = this.#process
    try {
      if (pid === undefined) return
      this.inner = identifyProcess(pid)
      this.group = await group
      await this.group?.add(pid)
      if (!this.#killed) this.#control.write(`${JSON.stringify(config)}\n`)
    } catch (error) {
      // Without its limits nothing may run.
      this.failure = AdjutantError.from(error, 'SANDBOX_FAILED').message
      this.kill()
    }
  }

  /** The group is emptied in any case: where all went well there is nothing in it. */
  async #clear({ group, user, ownUser }: LandlockBoxOptions): Promise<void> {
    await group?.then((made) => made.remove()).catch(() => undefined)
    if (this.#process.signalCode !== null && user !== undefined && ownUser) await endAllOf(user)
  }

  #stream(number: number): Socket {
    const streams: readonly unknown[] = this.#process.stdio
    const stream = streams[number]
    if (!(stream instanceof Socket)) throw new AdjutantError('SANDBOX_FAILED', `the box has no descriptor ${number}`)
    stream.on('error', () => undefined)
    return stream
  }
}

interface Told {
  readonly started: boolean
  readonly exitCode?: number
  readonly failure?: string
}

/** What the keeper tells: `started PID`, then `exit CODE`; or `failed WHY`. Both promises come to an end with the stream. */
function readStatus(stream: Socket): { readonly started: Promise<boolean>; readonly ended: Promise<Told> } {
  let rest = ''
  let begun = false
  const started = Promise.withResolvers<boolean>()
  const ended = Promise.withResolvers<Told>()
  stream.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).slice(-MAX_TOLD).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const space = line.indexOf(' ')
      const [word, said] = [line.slice(0, space), line.slice(space + 1)]
      if (word === 'started') {
        begun = true
        started.resolve(true)
      } else if (word === 'exit') ended.resolve({ started: true, exitCode: Number(said) })
      else if (word === 'failed') ended.resolve({ started: false, failure: said })
    }
  })
  stream.on('close', () => {
    started.resolve(false)
    ended.resolve({ started: begun })
  })
  return { started: started.promise, ended: ended.promise }
}

/** Every process of a user that only this box's sandbox has. */
async function endAllOf(user: BoxUser): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { cwd: '/', env: {}, stdio: 'ignore', uid: user.uid, gid: user.gid })
  await once(child, 'exit').catch(() => undefined)
}

/** As `spawn` takes them: a list, with nothing where nobody asked. */
function descriptors(wanted: ReadonlyMap<number, number | 'pipe'>): StdioOptions {
  const highest = Math.max(...wanted.keys())
  return Array.from({ length: highest + 1 }, (_, number) => wanted.get(number) ?? 'ignore')
}
