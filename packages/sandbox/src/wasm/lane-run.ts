/**
 * Owns one run in a worker as the host sees it: who may end it (the code itself, the deadline, the CPU that it has used, whoever aborts), what
 * it gave until then, and what is said of it. It is asked to end and, when it does not, ended by force. Takes back every timer.
 */
import { AdjutantError, type Clock, type SandboxLimitName, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'
import { MEGABYTE } from './bounded-memory.ts'
import { GrantDesk, type HostGrants } from './host-grants.ts'
import type { EndMessage, FileChange, RunMessage } from './protocol.ts'
import type { GoneMessage, WorkerLane } from './worker-lane.ts'

/** What a run may take to notice that it should end, before it is ended by force. */
const GRACE_MS = 250
/** Between two looks at how much CPU a run has used. */
const LOOK_MS = 10

export interface LaneRunOptions {
  readonly backend: string
  readonly clock: Clock
  readonly lane: WorkerLane
  readonly mode: SandboxReport['mode']
  readonly message: RunMessage
  readonly grants: HostGrants
  readonly output: SandboxRun['output']
  readonly files: (changes: readonly FileChange[]) => void
  readonly signal: AbortSignal
}

export interface LaneRunResult {
  /** Without what only the box knows: the bytes of its files. */
  readonly report: SandboxReport
  /** It came to its end by itself: the worker is as good as before. */
  readonly clean: boolean
}

/** @throws AdjutantError CANCELLED, SANDBOX_FAILED */
export async function runInLane(options: LaneRunOptions): Promise<LaneRunResult> {
  const { clock, lane, message, signal } = options
  const desk = new GrantDesk(options.grants)
  const collector = new OutputCollector(message.limits.outputBytes, options.output)
  const timers = new RunTimers(clock)
  let forced: SandboxLimitName | undefined
  const force = (limit: SandboxLimitName): void => {
    forced ??= limit
    void lane.terminate()
  }
  const onAbort = (): void => void lane.terminate()
  const started = clock.monotonic()
  const running = lane.run(message, {
    output: (stream, bytes) => collector.take(stream, bytes),
    files: options.files,
    call: (call, name, text) => void desk.call(name, text).then((answer) => lane.answer(call, answer.ok, answer.text)),
  })
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  timers.after(message.limits.wallMs, () => {
    lane.stop()
    timers.after(GRACE_MS, () => force('wall'))
  })
  // What the engine does in one long step is not interrupted by it; so somebody outside looks as well.
  const watch = (ms: number): void =>
    timers.after(ms, () => {
      void lane.cpuMs().then((used) => {
        const left = message.limits.cpuMs + GRACE_MS - used
        if (timers.ended) return
        if (left <= 0) force('cpu')
        else watch(Math.max(left, LOOK_MS))
      })
    })
  if (message.limits.cpuMs < message.limits.wallMs) watch(message.limits.cpuMs + GRACE_MS)
  const ended = await running
  const durationMs = clock.monotonic() - started
  timers.end()
  signal.removeEventListener('abort', onAbort)
  desk.end()
  if (signal.aborted) {
    await lane.terminate()
    throw new AdjutantError('CANCELLED', 'the run was stopped', { outcome: 'unknown' })
  }
  return resultOf(options, ended, forced, collector, durationMs)
}

function resultOf(
  { backend, mode }: LaneRunOptions,
  ended: EndMessage | GoneMessage,
  forced: SandboxLimitName | undefined,
  collector: OutputCollector,
  durationMs: number,
): LaneRunResult {
  const said = { backend, mode, stdout: collector.bytes('stdout'), stderr: collector.bytes('stderr'), durationMs }
  if (ended.type === 'end') {
    const { limit, exitCode, cpuMs, memoryBytes, truncated, broken } = ended
    return {
      report: {
        ...said,
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(limit === undefined ? {} : { limit }),
        timedOut: limit === 'wall',
        oom: limit === 'memory',
        truncated: truncated || collector.truncated,
        usage: { cpuMs, memoryMB: memoryBytes / MEGABYTE, processes: 1 },
      },
      clean: !broken && (limit === undefined || limit === 'disk' || limit === 'files'),
    }
  }
  if (forced === undefined && !ended.oom) {
    const reason = ended.error instanceof Error ? ended.error.message : String(ended.error)
    throw new AdjutantError('SANDBOX_FAILED', `the worker of ${backend} broke: ${reason}`, { cause: ended.error })
  }
  const limit = forced ?? 'memory'
  return {
    report: { ...said, limit, timedOut: limit === 'wall', oom: limit === 'memory', truncated: collector.truncated, usage: {} },
    clean: false,
  }
}

/** Timers of one run, all of which end with it. */
class RunTimers {
  readonly #clock: Clock
  readonly #cancels = new Set<() => void>()
  #ended = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get ended(): boolean {
    return this.#ended
  }

  after(ms: number, callback: () => void): void {
    const cancel = this.#clock.after(ms, () => {
      this.#cancels.delete(cancel)
      callback()
    })
    this.#cancels.add(cancel)
  }

  end(): void {
    this.#ended = true
    for (const cancel of this.#cancels) cancel()
  }
}

/** Output up to the limit. The worker counts as well; this holds also when it does not. */
class OutputCollector {
  readonly #pieces: Readonly<Record<'stdout' | 'stderr', Uint8Array[]>> = { stdout: [], stderr: [] }
  readonly #watch: SandboxRun['output']
  #room: number
  truncated = false

  constructor(room: number, watch: SandboxRun['output']) {
    this.#room = room
    this.#watch = watch
  }

  take(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const taken = bytes.byteLength > this.#room ? bytes.subarray(0, this.#room) : bytes
    if (taken.byteLength < bytes.byteLength) this.truncated = true
    if (taken.byteLength === 0) return
    this.#room -= taken.byteLength
    this.#pieces[stream].push(taken)
    try {
      this.#watch?.(stream, taken)
    } catch {
      // Whoever watches must not be able to end the run.
    }
  }

  bytes(stream: 'stdout' | 'stderr'): Uint8Array {
    return Buffer.concat(this.#pieces[stream])
  }
}
