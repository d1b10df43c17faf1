/**
 * The program of a worker that runs JavaScript in the engine. Keeps a few fresh instances ready, gives each to one run and never uses it
 * again; a session's instance is kept for the runs of that session, whose worker this then is alone. Handles one run at a time.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isToWorker, isWorkerSetup, type RunMessage } from '../wasm/protocol.ts'
import { quietWorker } from '../wasm/quiet-worker.ts'
import type { WasmModule } from '../wasm/web-assembly.ts'
import { threadCpuMs, WorkerRun } from '../wasm/worker-run.ts'
import { type EngineInstance, makeEngine } from './engine.ts'
import { type RunInbox, runInEngine } from './engine-run.ts'

/** Instances that wait, so that several runs right after each other find one. */
const AHEAD = 4
/** After a run, before more are made: whoever runs code again at once is not kept waiting by that. */
const REST_MS = 10
/** What an instance made in advance may grow to. Runs that may have more get one made for them. */
const USUAL_BYTES = 512 * 1_048_576

// The engine asks for the offset of local time here. Where the host is, is nobody's business in a box: it is UTC.
Date.prototype.getTimezoneOffset = () => 0

class Program {
  readonly #port: MessagePort
  readonly #module: WasmModule
  readonly #stop: Int32Array
  readonly #ahead: EngineInstance[] = []
  #session: EngineInstance | undefined
  #answers: { readonly call: number; readonly ok: boolean; readonly text: string }[] = []
  #wake: (() => void) | undefined
  #rest: NodeJS.Timeout | undefined
  #running = false

  constructor(port: MessagePort, module: WasmModule, stop: Int32Array) {
    this.#port = port
    this.#module = module
    this.#stop = stop
  }

  async start(): Promise<void> {
    this.#port.on('message', (message: unknown) => {
      if (!isToWorker(message)) return
      if (message.type === 'run') {
        void this.#run(message)
        return
      }
      if (message.type === 'answer') this.#answers.push(message)
      this.#wake?.()
    })
    await this.#prepare()
  }

  /** At least one at once, the others when nothing runs. */
  async #prepare(): Promise<void> {
    if (this.#session === undefined && this.#ahead.length === 0) this.#ahead.push(await makeEngine(this.#module, USUAL_BYTES))
    this.#port.postMessage({ type: 'ready', cpuMs: threadCpuMs() })
    this.#rest = setTimeout(() => void this.#prepareMore(), REST_MS)
  }

  async #prepareMore(): Promise<void> {
    if (this.#session !== undefined || this.#running || this.#ahead.length >= AHEAD) return
    this.#ahead.push(await makeEngine(this.#module, USUAL_BYTES))
    this.#rest = setTimeout(() => void this.#prepareMore(), 1)
  }

  async #run(message: RunMessage): Promise<void> {
    clearTimeout(this.#rest)
    this.#running = true
    const engine = await this.#engineFor(message)
    if (message.session) this.#session = engine
    this.#answers = []
    const run = new WorkerRun(message, this.#port, this.#stop, engine.memory)
    const inbox: RunInbox = {
      take: () => this.#answers.splice(0),
      wait: (ms) => this.#wait(ms),
    }
    const { exitCode, broken } = await runInEngine(engine, run, inbox)
    run.end(exitCode, broken)
    this.#running = false
    await this.#prepare()
  }

  async #engineFor({ session, limits }: RunMessage): Promise<EngineInstance> {
    if (session && this.#session !== undefined) return this.#session
    const next = limits.memoryBytes > USUAL_BYTES ? undefined : this.#ahead.pop()
    return next ?? (await makeEngine(this.#module, Math.max(limits.memoryBytes, USUAL_BYTES)))
  }

  #wait(ms: number): Promise<void> {
    if (this.#answers.length > 0 || Atomics.load(this.#stop, 0) !== 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(done, Math.ceil(ms)) : undefined
      const wake = (): void => done()
      this.#wake = wake
      function done(): void {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

quietWorker()
if (parentPort !== null && isWorkerSetup(workerData)) {
  await new Program(parentPort, workerData.module, new Int32Array(workerData.stop)).start()
}
