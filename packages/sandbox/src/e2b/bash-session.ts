/**
 * Owns the persistent shell of one box: one process that is told what to run and says, by a mark of each run's own, that it has. One run after the
 * other. A shell that ended, by itself or by a limit, is replaced with the next run, whose report says that what it knew is gone.
 */
import { randomBytes } from 'node:crypto'
import { AdjutantError } from '@adjutant/core/contract'
import type { Outcome, RunGuard } from '../runs/run-guard.ts'
import type { Files } from './files.ts'
import { MarkerFilter } from './marker-filter.ts'
import type { ProcessEvent, Processes } from './processes.ts'
import { fitsArgument } from './program.ts'

/** Longer than any box lives. */
const SHELL_MS = 7 * 24 * 3_600_000
/** Each run gets the output anew: what it does to it silences none after it. */
const OUTPUT = '>&198 2>&199 198>&- 199>&-'
/** Two descriptors that code does not have say the end, also when it closed its own. */
const DRIVER = 'exec 198>&1 199>&2; while IFS= read -r -d "" __adjutant; do eval "$__adjutant"; done'
const DRIVER_ARGV = ['/bin/bash', '--noprofile', '--norc', '-c', DRIVER] as const

export interface SessionRun {
  readonly code: string
  readonly stdin: Uint8Array | undefined
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
}

interface Shell {
  readonly mark: string
  readonly pid: number
  readonly stop: AbortController
  ended: boolean
}

interface Current {
  readonly stdout: MarkerFilter
  readonly stderr: MarkerFilter
  readonly guard: RunGuard
  readonly done: (outcome: Outcome) => void
  readonly failed: (error: unknown) => void
}

export class BashSession {
  readonly #processes: Processes
  readonly #files: Files
  readonly #env: Readonly<Record<string, string>>
  #shell: Shell | undefined
  #current: Current | undefined
  #had = false

  constructor(processes: Processes, files: Files, env: Readonly<Record<string, string>>) {
    this.#processes = processes
    this.#files = files
    this.#env = env
  }

  /** @throws AdjutantError CANCELLED, SANDBOX_FAILED */
  async run(run: SessionRun, guard: RunGuard): Promise<Outcome | undefined> {
    const before = this.#had && this.#shell === undefined
    this.#had = true
    const kept: string[] = []
    let mark: string | undefined
    const outcome = await guard
      .follow({
        follow: async (signal) => {
          const shell = this.#shell ?? (await this.#open((made) => (mark = made)))
          mark = shell.mark
          const frame = await this.#frame(run, kept, signal)
          return await this.#turn(shell, frame, guard, signal)
        },
        kill: () => this.#kill(mark),
      })
      .finally(async () => {
        this.#current = undefined
        for (const path of kept) await this.#files.forget(path)
      })
    const lost = before || outcome === undefined || this.#shell === undefined
    // Each loss is told once: this one with this run.
    if (this.#shell === undefined) this.#had = false
    if (outcome === undefined) return lost ? undefined : outcome
    return lost ? { ...outcome, stateLost: true } : outcome
  }

  /** The shell is gone: by a limit, or with its box. */
  drop(): void {
    this.#shell?.stop.abort()
    this.#shell = undefined
  }

  #turn(shell: Shell, frame: Frame, guard: RunGuard, signal: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (shell.ended) {
        reject(new AdjutantError('SANDBOX_FAILED', 'e2b: the shell of the session ended before its run'))
        return
      }
      this.#current = {
        stdout: new MarkerFilter(frame.mark),
        stderr: new MarkerFilter(frame.mark),
        guard,
        done: resolve,
        failed: reject,
      }
      signal.addEventListener('abort', () => reject(new AdjutantError('CANCELLED', 'e2b: the run was stopped')), { once: true })
      this.#processes.give(shell.pid, frame.bytes, signal).catch((error: unknown) => {
        // A shell that ends takes no more: what is known of its end comes by itself.
        if (AdjutantError.isInstance(error)) reject(error)
      })
    })
  }

  async #frame(run: SessionRun, kept: string[], signal: AbortSignal): Promise<Frame> {
    const keep = async (bytes: Uint8Array): Promise<string> => {
      const path = `/tmp/adjutant-${randomBytes(12).toString('hex')}`
      kept.push(path)
      await this.#files.keep(path, bytes, signal)
      return path
    }
    const input = run.stdin === undefined ? '/dev/null' : await keep(run.stdin)
    const body = fitsArgument(run.code)
      ? `eval ${quoted(run.code)} < ${quoted(input)} ${OUTPUT}`
      : `. ${quoted(await keep(Buffer.from(run.code)))} < ${quoted(input)} ${OUTPUT}`
    const variables = Object.entries(run.env).map(([name, value]) => `${name}=${quoted(value)} `)
    const nonce = randomBytes(12).toString('hex')
    const folder = run.cwd === undefined ? '' : `cd -- ${quoted(run.cwd)} && `
    const say = `printf '\\036%s %d\\036' ${nonce} "$__adjutant_status"`
    const text = `${folder}${variables.join('')}${body}\n__adjutant_status=$?; ${say} >&198; ${say} >&199`
    return { mark: Buffer.from(`\x1e${nonce}`), bytes: Buffer.from(`${text}\0`) }
  }

  async #open(marked: (mark: string) => void): Promise<Shell> {
    const stop = new AbortController()
    const program = { argv: DRIVER_ARGV, cwd: this.#files.root, env: this.#env, stdin: 'open', wallMs: SHELL_MS } as const
    const { mark, events } = this.#processes.start(program, stop.signal)
    marked(mark)
    const first = await events.next()
    if (first.done === true || first.value.type !== 'start') {
      stop.abort()
      throw new AdjutantError('SANDBOX_FAILED', 'e2b: the shell of the session did not start')
    }
    const shell: Shell = { mark, pid: first.value.pid, stop, ended: false }
    this.#shell = shell
    void this.#pump(shell, events)
    return shell
  }

  async #pump(shell: Shell, events: AsyncGenerator<ProcessEvent>): Promise<void> {
    try {
      for await (const event of events) this.#take(shell, event)
    } catch (error) {
      if (this.#shell === shell) this.#current?.failed(error)
    } finally {
      shell.ended = true
      if (this.#shell === shell) this.#shell = undefined
    }
  }

  #take(shell: Shell, event: ProcessEvent): void {
    const current = this.#shell === shell ? this.#current : undefined
    switch (event.type) {
      case 'start':
        return
      case 'output': {
        // Between runs it belongs to nobody: processes in the background that go on talking.
        if (current === undefined) return
        const filter = current[event.stream]
        current.guard.take(event.stream, filter.push(event.bytes))
        const { status } = current.stdout
        if (status !== undefined && current.stderr.status !== undefined) current.done({ exitCode: status })
        return
      }
      case 'end': {
        shell.ended = true
        if (this.#shell === shell) this.#shell = undefined
        const { type: _, ...outcome } = event
        current?.done(outcome)
        return
      }
      default:
        event satisfies never
    }
  }

  async #kill(mark: string | undefined): Promise<boolean> {
    const shell = this.#shell
    const sure = mark === undefined || (await this.#processes.kill(mark, shell?.pid))
    this.drop()
    return sure
  }
}

interface Frame {
  readonly mark: Buffer
  readonly bytes: Buffer
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
