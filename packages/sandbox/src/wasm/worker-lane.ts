/**
 * Owns one worker thread from its start to its end, and at most one run in it at a time. Starts it with no environment, no arguments and
 * its own streams. Ends it by force, which also works while its engine is busy; a run that is in it then settles as `gone`. Keeps the
 * process alive only while a run is in it.
 */
import { Worker } from 'node:worker_threads'
import { AdjutantError } from '@adjutant/core/contract'
import {
  type EndMessage,
  type FileChange,
  type FromWorker,
  isFromWorker,
  type RunMessage,
  type ToWorker,
  type WorkerSetup,
} from './protocol.ts'
import type { WasmModule } from './web-assembly.ts'

/** JavaScript heap of a worker: the engine's memory is not in it, what passes through is. */
const HEAP_MB = 128

export interface GoneMessage {
  readonly type: 'gone'
  readonly oom: boolean
  readonly error: unknown
}

export interface RunEvents {
  output(stream: 'stdout' | 'stderr', bytes: Uint8Array): void
  files(changes: readonly FileChange[]): void
  call(call: number, name: string, text: string): void
}

export class WorkerLane {
  readonly #worker: Worker
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))
  readonly #ready = Promise.withResolvers<void>()
  readonly #gone = Promise.withResolvers<GoneMessage>()
  #isReady = false
  #isGone = false
  #runs = 0
  #cpuBase = 0
  #busyBase = 0
  #events: RunEvents | undefined
  #end: ((end: EndMessage) => void) | undefined
  #onChange: (() => void) | undefined

  constructor(program: URL, module: WasmModule) {
    const setup: WorkerSetup = { module, stop: this.#stop.buffer }
    this.#worker = new Worker(program, {
      workerData: setup,
      env: {},
      argv: [],
      execArgv: conditions(process.execArgv),
      stdin: true,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    })
    this.#ready.promise.catch(() => {})
    this.#worker.on('message', (message: unknown) => {
      if (isFromWorker(message)) this.#take(message)
    })
    this.#worker.on('error', (error: unknown) => this.#lose(error))
    this.#worker.on('exit', () => this.#lose(new Error('the worker ended')))
    // After listening, which makes the process wait for the worker.
    this.#worker.unref()
  }

  /** An instance waits for code. */
  get ready(): boolean {
    return this.#isReady && !this.#isGone
  }

  get gone(): boolean {
    return this.#isGone
  }

  /** Runs that it has had. */
  get runs(): number {
    return this.#runs
  }

  /** Called when it became ready or is gone. */
  onChange(callback: () => void): void {
    this.#onChange = callback
  }

  /** Whoever waits for this is about to run something. @throws AdjutantError SANDBOX_UNAVAILABLE when it did not come up */
  whenReady(): Promise<void> {
    this.#worker.ref()
    return this.#ready.promise
  }

  /** One at a time. Never rejects. */
  run(message: RunMessage, events: RunEvents): Promise<EndMessage | GoneMessage> {
    this.#runs += 1
    this.#isReady = false
    this.#events = events
    Atomics.store(this.#stop, 0, 0)
    this.#busyBase = this.#worker.performance.eventLoopUtilization().active
    const end = Promise.withResolvers<EndMessage>()
    this.#end = end.resolve
    this.#worker.ref()
    this.#post(message)
    return Promise.race([end.promise, this.#gone.promise])
  }

  answer(call: number, ok: boolean, text: string): void {
    this.#post({ type: 'answer', call, ok, text })
  }

  /** Asks the run to end; the engine looks every few thousand steps. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1)
    this.#post({ type: 'wake' })
  }

  /** CPU of this run so far. Without a way to read it, the time in which the worker was not idle: never less. */
  async cpuMs(): Promise<number> {
    if (typeof this.#worker.cpuUsage === 'function') {
      const used = await this.#worker.cpuUsage().catch(() => undefined)
      if (used !== undefined) return Math.max(0, (used.user + used.system) / 1000 - this.#cpuBase)
    }
    return this.#worker.performance.eventLoopUtilization().active - this.#busyBase
  }

  async terminate(): Promise<void> {
    this.#lose(new Error('the worker was ended'))
    await this.#worker.terminate()
  }

  #post(message: ToWorker): void {
    if (!this.#isGone) this.#worker.postMessage(message)
  }

  #take(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true
        this.#cpuBase = message.cpuMs
        this.#ready.resolve()
        this.#onChange?.()
        return
      case 'output':
        this.#events?.output(message.stream, message.bytes)
        return
      case 'files':
        this.#events?.files(message.changes)
        return
      case 'call':
        this.#events?.call(message.call, message.name, message.text)
        return
      case 'end':
        this.#events = undefined
        this.#worker.unref()
        this.#end?.(message)
        return
      default:
        message satisfies never
    }
  }

  #lose(error: unknown): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#events = undefined
    const oom = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    this.#gone.resolve({ type: 'gone', oom, error })
    this.#ready.reject(
      new AdjutantError('SANDBOX_UNAVAILABLE', `the worker did not start: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      }),
    )
    this.#onChange?.()
  }
}

/** Of how this process was started only what decides where modules are found: anything else is not the worker's. */
function conditions(given: readonly string[]): string[] {
  return given.flatMap((argument, index) => {
    if (argument.startsWith('--conditions=')) return [argument]
    const value = given[index + 1]
    return (argument === '--conditions' || argument === '-C') && value !== undefined ? [`--conditions=${value}`] : []
  })
}
