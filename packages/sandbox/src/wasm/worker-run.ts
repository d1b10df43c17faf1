/**
 * Owns, inside of a worker, what one run may still do: its deadline, its CPU, its output and its files. Whoever drives the engine asks
 * `stopped` often; the answer never goes back to no. Output is sent at once when it is the first and in batches after that; files are sent
 * when the run waits or ends, so that writing one again and again costs nobody else memory.
 */
import type { MessagePort } from 'node:worker_threads'
import { AdjutantError, type SandboxLimitName } from '@adjutant/core/contract'
import { pathParts, shown } from '../workspace/path-parts.ts'
import type { BoundedMemory } from './bounded-memory.ts'
import { MemoryFiles } from './memory-files.ts'
import { type EndMessage, type FromWorker, MAX_CALL_TEXT, MAX_PENDING_CALLS, type OutputStream, type RunMessage } from './protocol.ts'
import { sharedBytes } from './shared-bytes.ts'

const BATCH_BYTES = 16_384
const BATCH_MS = 5
/** Of granted functions, in one run. */
const MAX_CALLS = 10_000
const ROOT = '/workspace'

export class WorkerRun {
  readonly message: RunMessage
  /** By this thread's clock of {@link performance}. */
  readonly startedAt = performance.now()
  readonly #port: MessagePort
  readonly #stop: Int32Array
  readonly #memory: BoundedMemory
  readonly #files: MemoryFiles
  readonly #dirty = new Set<string>()
  readonly #deadline: number
  readonly #cpuStart = threadCpuMs()
  #stopped: SandboxLimitName | undefined
  #quota: SandboxLimitName | undefined
  #outputLeft: number
  #truncated = false
  #batch: Uint8Array[] = []
  #batchStream: OutputStream = 'stdout'
  #batchBytes = 0
  #sentAt = 0
  #calls = 0
  #pending = 0
  #handedOver = 0

  constructor(message: RunMessage, port: MessagePort, stop: Int32Array, memory: BoundedMemory) {
    this.message = message
    this.#port = port
    this.#stop = stop
    this.#memory = memory
    this.#deadline = this.startedAt + message.limits.wallMs
    this.#outputLeft = message.limits.outputBytes
    this.#files = new MemoryFiles(message.fileLimits)
    for (const { path, bytes, modifiedAt } of message.files) this.#files.write(path, { bytes, modifiedAt })
    memory.setLimit(message.limits.memoryBytes)
  }

  /** Why the run must end now, if it must. Cheap enough to be asked every few thousand steps. */
  stopped(): SandboxLimitName | undefined {
    if (this.#stopped === undefined) {
      if (this.#memory.exhausted()) this.#stopped = 'memory'
      else if (Atomics.load(this.#stop, 0) !== 0 || performance.now() >= this.#deadline) this.#stopped = 'wall'
      else if (this.cpuMs() >= this.message.limits.cpuMs) this.#stopped = 'cpu'
      else if (this.#batchBytes > 0 && performance.now() - this.#sentAt >= BATCH_MS) this.#flushOutput()
    }
    return this.#stopped
  }

  /** The engine says itself that it has no memory left. */
  exhaust(): void {
    this.#stopped ??= 'memory'
  }

  /** Milliseconds until the deadline. */
  left(): number {
    return Math.max(0, this.#deadline - performance.now())
  }

  cpuMs(): number {
    return threadCpuMs() - this.#cpuStart
  }

  /** False when no more output is taken; the run is stopped then. */
  write(stream: OutputStream, text: string | Uint8Array): boolean {
    let bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text
    if (bytes.byteLength > this.#outputLeft) {
      bytes = bytes.subarray(0, this.#outputLeft)
      this.#truncated = true
      this.#stopped ??= 'output'
    }
    this.#outputLeft -= bytes.byteLength
    if (bytes.byteLength > 0) {
      if (stream !== this.#batchStream) this.#flushOutput()
      this.#batchStream = stream
      this.#batch.push(bytes)
      this.#batchBytes += bytes.byteLength
      if (this.#batchBytes >= BATCH_BYTES || performance.now() - this.#sentAt >= BATCH_MS) this.#flushOutput()
    }
    return !this.#truncated
  }

  /** @throws AdjutantError NOT_FOUND, CONFLICT, PATH_OUTSIDE_WORKSPACE */
  readFile(path: string): Uint8Array {
    return this.#files.read(this.#place(path)).bytes
  }

  /** @param bytes nobody else's @throws AdjutantError TOO_LARGE, CONFLICT, PATH_OUTSIDE_WORKSPACE */
  writeFile(path: string, bytes: Uint8Array): void {
    try {
      this.#dirty.add(this.#files.write(this.#place(path), { bytes, modifiedAt: this.message.now }))
    } catch (error) {
      if (AdjutantError.isInstance(error) && error.code === 'TOO_LARGE') {
        this.#quota = bytes.byteLength + this.#files.bytes > this.message.fileLimits.bytes ? 'disk' : 'files'
      }
      throw error
    }
  }

  removeFile(path: string): void {
    for (const gone of this.#files.remove(this.#place(path))) this.#dirty.add(gone)
  }

  listFiles(path: string): ReturnType<MemoryFiles['list']> {
    return this.#files.list(this.#place(path))
  }

  /** The files as they are now, in order of name. */
  fileNames(): readonly string[] {
    return [...this.#files.entries()].map(([name]) => name).sort()
  }

  /**
   * Sends a call of a granted function, or says why not. Counted here, before it is sent: whoever calls without waiting for answers must not
   * fill the host's memory with calls that wait to be refused.
   */
  call(call: number, name: string, text: string): string | undefined {
    if (this.#calls >= MAX_CALLS) return `more than ${MAX_CALLS} calls of the host in one run`
    if (this.#pending >= MAX_PENDING_CALLS) return `more than ${MAX_PENDING_CALLS} calls of the host at once`
    if (text.length > MAX_CALL_TEXT) return `the arguments of host.${name} are longer than ${MAX_CALL_TEXT} characters`
    this.#calls += 1
    this.#pending += 1
    this.send({ type: 'call', call, name, text })
    return undefined
  }

  answered(): void {
    this.#pending -= 1
  }

  send(message: FromWorker): void {
    this.#port.postMessage(message)
  }

  /** Sends what is kept back. Files that are written again and again are handed over at the end only: each time costs the host their bytes. */
  flush(last = false): void {
    this.#flushOutput()
    if (this.#dirty.size === 0 || (!last && this.#handedOver > this.message.fileLimits.bytes)) return
    const there = new Map(this.#files.entries())
    const changes = [...this.#dirty].map((path) => {
      const file = there.get(path)
      this.#handedOver += file?.bytes.byteLength ?? 0
      return { path, bytes: file === undefined ? undefined : sharedBytes(file.bytes), modifiedAt: this.message.now }
    })
    this.#dirty.clear()
    this.send({ type: 'files', changes })
  }

  /** @param exitCode of code that came to its end by itself */
  end(exitCode: number, broken: boolean): void {
    const stopped = this.stopped()
    this.flush(true)
    const end: EndMessage = {
      type: 'end',
      exitCode: stopped === undefined ? exitCode : undefined,
      limit: stopped ?? (exitCode === 0 ? undefined : this.#quota),
      truncated: this.#truncated,
      cpuMs: this.cpuMs(),
      memoryBytes: this.#memory.bytes(),
      broken,
    }
    this.send(end)
  }

  #flushOutput(): void {
    if (this.#batchBytes > 0) this.send({ type: 'output', stream: this.#batchStream, bytes: Buffer.concat(this.#batch) })
    this.#batch = []
    this.#batchBytes = 0
    this.#sentAt = performance.now()
  }

  /** A path as code in the box writes it: from where it is, or absolute in the box. */
  #place(path: string): string {
    if (path === ROOT || path.startsWith(`${ROOT}/`)) return path.slice(ROOT.length + 1)
    if (path.startsWith('/')) throw new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${shown(path)} is not in ${ROOT}`)
    // Each by itself, so that neither can undo the other.
    pathParts(path)
    return this.message.cwd === '' ? path : `${this.message.cwd}/${path}`
  }
}

/** CPU of this thread; without a way to read it, the time in which it was not idle, which is never less. */
export function threadCpuMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.eventLoopUtilization().active
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
