/** Owns one process that is to be hurt: it is started, heard, put to sleep, woken, killed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

export interface ChaosProcessOptions {
  /** The module it runs. */
  readonly script: string
  readonly args?: readonly string[]
  /** Of node itself. Default: those of this process. */
  readonly nodeArgs?: readonly string[]
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Each whole line of its standard output, in order. */
  readonly onLine?: (line: string) => void
  /** A command that runs it instead of this shell's, e.g. {@link SmallDisk.command}: node and its arguments follow. */
  readonly within?: readonly string[]
}

export interface ChaosEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Whether this side killed it. */
  readonly killed: boolean
  /** The last 4 000 characters of what it said on standard error. */
  readonly said: string
}

const SAID_CHARS = 4_000

/**
 * @example
 * ```ts
 * const worker = new ChaosProcess({ script: 'worker.ts', onLine: console.log })
 * worker.sleep()
 * worker.wake()
 * worker.kill()
 * await worker.ended
 * ```
 */
export class ChaosProcess {
  readonly pid: number | undefined
  /** Resolves when it has ended, in whichever way, and all its output is read. */
  readonly ended: Promise<ChaosEnd>
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  #killed = false
  #spoke = false
  #said = ''

  constructor({ script, args = [], nodeArgs = process.execArgv, env = {}, onLine, within = [] }: ChaosProcessOptions) {
    const [program = process.execPath, ...rest] = [...within, process.execPath, ...nodeArgs, script, ...args]
    this.#child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    this.pid = this.#child.pid
    // A line to somebody who was killed meanwhile is lost, as it would be.
    this.#child.stdin.on('error', () => {})
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_CHARS)
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#spoke = true
      onLine?.(line)
    })
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal, killed: this.#killed, said: this.#said })
      this.#child.once('error', (error) => {
        this.#said += error.message
        end(null, null)
      })
      this.#child.once('close', end)
    })
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** It has come as far as to write a line. */
  get spoke(): boolean {
    return this.#spoke
  }

  /** Writes one line to its standard input. */
  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  /** Nothing more is told: a process that reads to the end of its input ends by itself. */
  tellNoMore(): void {
    this.#child.stdin.end()
  }

  /** SIGSTOP: it does nothing and does not know it, like a machine that was suspended. */
  sleep(): void {
    this.#child.kill('SIGSTOP')
  }

  /** SIGCONT. */
  wake(): void {
    this.#child.kill('SIGCONT')
  }

  /** SIGKILL: nothing of it runs any more, no handler, no `finally`. */
  kill(): void {
    this.#killed = true
    this.#child.kill('SIGKILL')
  }
}
