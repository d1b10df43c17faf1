import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import type { Clock } from '../../../contract/ports.ts'
import { type ExitStatus, ProcessTree } from '../../../util/process-tree.ts'
import type { StdioServerConfig } from './config.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { ListingTap } from './listing-tap.ts'
import { MessageLines } from './message-lines.ts'
import { AnswerContexts } from './running-calls.ts'
import { TailText } from './tail-text.ts'

/**
 * The client's wire to a server process: one JSON message a line. Owns the process tree behind it. Lines that are no message
 * (a banner, a stray print) are counted and skipped. When the first process ends the wire is closed and the rest of the tree
 * is taken down; nothing here rejects or throws afterwards.
 */

/** After the process ended its last bytes may still be in the pipe; a child of it may hold the pipe open for ever. */
const DRAIN_MS = 200
const MAX_STRAY_LINE = 200

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  /** With `pid`, this is how the client tells a pipe from HTTP when it negotiates the protocol version. */
  readonly stderr = null
  readonly tap = new ListingTap()
  readonly errors = new TailText()
  readonly #config: StdioServerConfig
  readonly #clock: Clock
  readonly #contexts = new AnswerContexts()
  readonly #lines = new MessageLines(MAX_MESSAGE_BYTES, (line) => this.#take(line))
  #tree: ProcessTree | undefined
  #closed = false
  #lost = false
  #initializeSent = false
  #messages = 0
  #strayLines = 0
  #lastStrayLine = ''
  #failure: Error | undefined

  constructor(config: StdioServerConfig, clock: Clock) {
    this.#config = config
    this.#clock = clock
  }

  get pid(): number | null {
    return this.#tree?.child.pid ?? null
  }

  /** How the server's process ended, once it has. */
  get exit(): ExitStatus | undefined {
    return this.#tree?.exit
  }

  /** True from the end of the process or of the wire on. */
  get ended(): boolean {
    return this.#closed
  }

  /** True when the server ended without having been asked anything but what it speaks. */
  get endedBeforeInitialize(): boolean {
    return this.exit !== undefined && !this.#initializeSent
  }

  get messages(): number {
    return this.#messages
  }

  /** What came on stdout that is no message: how many lines, and the last of them. */
  get stray(): { readonly lines: number; readonly last: string } {
    return { lines: this.#strayLines, last: this.#lastStrayLine }
  }

  /** True when the server ended the wire, not this side. */
  get lost(): boolean {
    return this.#lost
  }

  /** What broke the wire other than the end of the process. */
  get failure(): Error | undefined {
    return this.#failure
  }

  start(): Promise<void> {
    const { command, args = [], cwd, env } = this.#config
    return new Promise((resolve, reject) => {
      const tree = new ProcessTree(
        { command, args, env: { ...getDefaultEnvironment(), ...env }, ...(cwd === undefined ? {} : { cwd }) },
        this.#clock,
      )
      this.#tree = tree
      const { child } = tree
      child.once('spawn', resolve)
      child.once('error', (error) => {
        reject(error)
        this.#fail(error)
      })
      child.once('exit', () => this.#drain())
      child.stdin.on('error', (error) => this.#failSoon(error))
      child.stdout.on('error', (error) => this.#failSoon(error))
      child.stderr.on('error', () => {})
      child.stdout.once('end', () => this.#failSoon(new Error('it closed its stdout')))
      child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
      child.stderr.on('data', (chunk: Buffer) => this.errors.push(chunk))
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      const stdin = this.#tree?.child.stdin
      if (stdin === undefined || this.#closed) throw new Error('the server has ended')
      this.tap.sent(message)
      this.#contexts.sent(message)
      if ('method' in message && message.method === 'initialize') this.#initializeSent = true
      // A write that fails is told once, to all who wait, when the wire is closed for it.
      stdin.write(toLine(message), () => resolve())
    })
  }

  /** Ends the whole process tree. Never rejects; may be called any number of times. */
  async close(): Promise<void> {
    this.#finish()
    await this.#tree?.stop()
  }

  #read(chunk: Buffer): void {
    try {
      this.#lines.push(chunk)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #take(line: string): void {
    if (line.trim() === '') return
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch {
      this.#strayLines++
      this.#lastStrayLine = line.slice(0, MAX_STRAY_LINE)
      return
    }
    this.#messages++
    try {
      this.#contexts.received(message, () => this.onmessage?.(this.tap.received(message)))
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #drain(): void {
    const takeBack = this.#clock.after(DRAIN_MS, () => this.#fail(undefined))
    this.#tree?.child.once('close', () => {
      takeBack()
      this.#fail(undefined)
    })
  }

  /** A broken pipe is most often the first sign of a process that ends; how it ended says more. */
  #failSoon(error: Error): void {
    this.#clock.after(DRAIN_MS, () => this.#fail(error))
  }

  /** The wire is of no more use: whoever waits is told, and what is left of the tree goes. */
  #fail(error: Error | undefined): void {
    if (this.#closed) return
    this.#failure = error
    this.#lost = true
    if (error !== undefined) this.onerror?.(error)
    this.#finish()
    void this.#tree?.stop()
  }

  #finish(): void {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }
}

/** JSON may hold these two as they are, but servers that read with a readline of their language take them for line ends. */
function toLine(message: JSONRPCMessage): string {
  return serializeMessage(message).replace(/[\u2028\u2029]/g, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'))
}
