/**
 * Owns the processes of one box: started with their output as it comes, given input, ended with all that they started. Every process carries a
 * mark in its environment, by which the ones that left their parent are found.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@adjutant/core/contract'
import { type Envd, EnvdRefusal } from './envd.ts'
import { numberOf, recordOf, textOf } from './json-value.ts'

const MARK_VARIABLE = 'ADJUTANT_RUN'
/** Bytes of one call: they are sent as text a third longer, and what reads them may be slow. */
const INPUT_BYTES = 128 << 10
const SWEEP_MS = 15_000
/** The daemon gets this much longer than the client before it ends a process itself: it is there for the client that is no more. */
const ORPHAN_GRACE_MS = 30_000

/**
 * Ends all with the mark, until none is left: what forks meanwhile is found in the next round, what takes its time to end is waited for. Twice in a row
 * none must be found: a process that is about to become another program shows no environment for a moment.
 */
const SWEEP = `
clean=0
for pause in 0 .01 .01 .02 .05 .1 .2 .2 .5 .5 1 1 1 1 1 1; do
  sleep "$pause"
  found=
  for place in /proc/[0-9]*; do
    while IFS= read -r -d '' pair; do
      if [ "$pair" = "$1" ]; then kill -KILL "\${place#/proc/}" && found=1; break; fi
    done < "$place/environ"
  done 2>/dev/null
  if [ -n "$found" ]; then clean=0; elif [ $((clean += 1)) -ge 2 ]; then exit 0; fi
done
exit 1
`

export interface Program {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Bytes, `open` to be given later, or none. */
  readonly stdin: Uint8Array | 'open' | undefined
  readonly wallMs: number
}

export type ProcessEvent =
  | { readonly type: 'start'; readonly pid: number }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  | { readonly type: 'end'; readonly exitCode?: number; readonly signal?: string }

/** What was started, before anybody knows its number. */
export interface Started {
  readonly mark: string
  /** @throws EnvdRefusal, AdjutantError SANDBOX_FAILED, CANCELLED */
  readonly events: AsyncGenerator<ProcessEvent>
}

export class Processes {
  readonly #envd: Envd
  readonly #clock: Clock

  constructor(envd: Envd, clock: Clock) {
    this.#envd = envd
    this.#clock = clock
  }

  start(program: Program, signal: AbortSignal): Started {
    const mark = randomBytes(12).toString('hex')
    return { mark, events: this.#events(program, mark, signal) }
  }

  /** All bytes, in order, as fast as they are read. Ends early when the process does. @throws AdjutantError CANCELLED, SANDBOX_FAILED */
  async give(pid: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let from = 0; from < bytes.length; from += INPUT_BYTES) {
      const stdin = Buffer.from(bytes.subarray(from, from + INPUT_BYTES)).toString('base64')
      // Waits as long as nobody reads: the run has a deadline, this has none of its own.
      const message = { process: { pid }, input: { stdin } }
      await this.#envd.call('process.Process/SendInput', message, { signal, timeoutMs: 2 ** 31 - 1 })
    }
  }

  async closeInput(pid: number, signal: AbortSignal): Promise<void> {
    await this.#envd.call('process.Process/CloseStdin', { process: { pid } }, { signal, idempotent: true })
  }

  /** Ends the process and all that carry its mark. False when that could not be made sure. */
  async kill(mark: string, pid: number | undefined): Promise<boolean> {
    const [, swept] = await Promise.all([pid === undefined ? undefined : this.#signal(pid), this.#sweep(mark)])
    return swept
  }

  async #signal(pid: number): Promise<void> {
    try {
      const message = { process: { pid }, signal: 'SIGNAL_SIGKILL' }
      await this.#envd.call('process.Process/SendSignal', message, { idempotent: true, timeoutMs: SWEEP_MS })
    } catch {
      // Not found: it has ended. Anything else: whether all is gone is what the sweep says.
    }
  }

  async #sweep(mark: string): Promise<boolean> {
    const stop = new AbortController()
    const untime = this.#clock.after(SWEEP_MS, () => stop.abort())
    try {
      const { events } = this.start(
        {
          argv: ['/bin/bash', '--noprofile', '--norc', '-c', SWEEP, 'sweep', `${MARK_VARIABLE}=${mark}`],
          cwd: '/',
          env: {},
          stdin: undefined,
          wallMs: SWEEP_MS,
        },
        stop.signal,
      )
      for await (const event of events) if (event.type === 'end') return event.exitCode === 0
      return false
    } catch {
      return false
    } finally {
      untime()
    }
  }

  async *#events(program: Program, mark: string, signal: AbortSignal): AsyncGenerator<ProcessEvent> {
    const [cmd, ...args] = program.argv
    const message = {
      process: { cmd, args, cwd: program.cwd, envs: { ...program.env, [MARK_VARIABLE]: mark } },
      stdin: program.stdin !== undefined,
    }
    const input = new AbortController()
    const signals = AbortSignal.any([signal, input.signal])
    try {
      for await (const answer of this.#envd.stream('process.Process/Start', message, program.wallMs + ORPHAN_GRACE_MS, { signal })) {
        const event = eventOf(recordOf(answer.event))
        if (event === undefined) continue
        yield event
        if (event.type === 'start' && program.stdin instanceof Uint8Array) this.#feed(event.pid, program.stdin, signals)
        if (event.type === 'end') return
      }
      throw new EnvdRefusal('unknown', 'a process ended without saying how')
    } finally {
      input.abort()
    }
  }

  /** Beside the output: what is not read keeps only this waiting. A process that wants no more of it has the right to. */
  #feed(pid: number, bytes: Uint8Array, signal: AbortSignal): void {
    this.give(pid, bytes, signal)
      .catch(() => undefined)
      .then(() => this.closeInput(pid, signal))
      .catch(() => undefined)
  }
}

function eventOf(event: ReturnType<typeof recordOf>): ProcessEvent | undefined {
  const pid = numberOf(recordOf(event.start).pid)
  if (pid !== undefined) return { type: 'start', pid }
  const data = recordOf(event.data)
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = textOf(data[stream])
    if (text !== undefined) return { type: 'output', stream, bytes: Buffer.from(text, 'base64') }
  }
  if (event.end === undefined) return undefined
  const end = recordOf(event.end)
  const signal = /^signal: ([^(]{1,40}?)(?: \(core dumped\))?$/.exec(textOf(end.status) ?? '')?.[1]
  if (signal !== undefined) return { type: 'end', signal: SIGNALS[signal] ?? signal }
  // A number that is zero is left out.
  return { type: 'end', exitCode: numberOf(end.exitCode) ?? 0 }
}

/** How the daemon calls what ended a process. */
const SIGNALS: Readonly<Record<string, string>> = {
  hangup: 'SIGHUP',
  interrupt: 'SIGINT',
  quit: 'SIGQUIT',
  'illegal instruction': 'SIGILL',
  'trace/breakpoint trap': 'SIGTRAP',
  aborted: 'SIGABRT',
  'bus error': 'SIGBUS',
  'floating point exception': 'SIGFPE',
  killed: 'SIGKILL',
  'user defined signal 1': 'SIGUSR1',
  'segmentation fault': 'SIGSEGV',
  'user defined signal 2': 'SIGUSR2',
  'broken pipe': 'SIGPIPE',
  'alarm clock': 'SIGALRM',
  terminated: 'SIGTERM',
  'CPU time limit exceeded': 'SIGXCPU',
  'file size limit exceeded': 'SIGXFSZ',
}
