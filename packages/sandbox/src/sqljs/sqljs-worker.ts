/**
 * The program of a worker that runs SQL. Keeps one fresh instance of SQLite ready and gives it to one run; a session's database is kept for
 * the runs of that session, whose worker this then is alone. While SQLite works nothing else happens here: it is ended with the worker.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isToWorker, isWorkerSetup, type RunMessage } from '../wasm/protocol.ts'
import { quietWorker } from '../wasm/quiet-worker.ts'
import type { WasmModule } from '../wasm/web-assembly.ts'
import { threadCpuMs, WorkerRun } from '../wasm/worker-run.ts'
import { makeSqlite, type SqlDatabase, type SqliteInstance } from './sqlite-instance.ts'
import { loadNamed, openMain } from './sqlite-loading.ts'
import { isFull, runStatements } from './sqlite-run.ts'

interface Session {
  readonly instance: SqliteInstance
  readonly database: SqlDatabase
}

class Program {
  readonly #port: MessagePort
  readonly #module: WasmModule
  readonly #stop: Int32Array
  #ahead: SqliteInstance | undefined
  #session: Session | undefined

  constructor(port: MessagePort, module: WasmModule, stop: Int32Array) {
    this.#port = port
    this.#module = module
    this.#stop = stop
  }

  async start(): Promise<void> {
    this.#port.on('message', (message: unknown) => {
      if (isToWorker(message) && message.type === 'run') void this.#run(message)
    })
    await this.#prepare()
  }

  async #prepare(): Promise<void> {
    if (this.#session === undefined) this.#ahead ??= await makeSqlite(this.#module)
    this.#port.postMessage({ type: 'ready', cpuMs: threadCpuMs() })
  }

  async #run(message: RunMessage): Promise<void> {
    const instance = this.#session?.instance ?? this.#ahead ?? (await makeSqlite(this.#module))
    this.#ahead = undefined
    // Half for the engine, half for the pages of its database, which it keeps outside of its own memory.
    const engineBytes = message.limits.memoryBytes / 2
    const databaseBytes = message.limits.memoryBytes / 2
    const run = new WorkerRun(
      { ...message, limits: { ...message.limits, memoryBytes: engineBytes } },
      this.#port,
      this.#stop,
      instance.memory,
    )
    let exitCode = 1
    let broken = false
    try {
      const database = this.#session?.database ?? openMain(instance, run, databaseBytes)
      if (message.session) this.#session = { instance, database }
      loadNamed(instance, database, run, databaseBytes / 4)
      const outcome = runStatements(database, run)
      exitCode = outcome.exitCode
      if (outcome.full) run.exhaust()
    } catch (error) {
      broken = true
      const said = error instanceof Error ? error.message : String(error)
      if (isFull(said)) run.exhaust()
      if (run.stopped() === undefined) run.write('stderr', `Error: ${said}\n`)
    }
    run.end(exitCode, broken)
    await this.#prepare()
  }
}

quietWorker()
if (parentPort !== null && isWorkerSetup(workerData)) {
  await new Program(parentPort, workerData.module, new Int32Array(workerData.stop)).start()
}
