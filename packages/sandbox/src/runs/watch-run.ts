/**
 * Owns one run while it goes on: what it writes, up to its limit; its time; its processor time; whoever stops it. Whichever comes first ends it, and
 * nothing after that changes what is said of it. Looks at the control group only once a run has lasted: short runs pay nothing.
 */
import { AdjutantError, type Clock, type SandboxLimitName, type SandboxRun } from '@adjutant/core/contract'
import type { CgroupUsage } from '../linux/index.ts'
import type { RunLimits } from './limits.ts'
import type { RunBox } from './run-box.ts'
import { RunMeter } from './run-meter.ts'

/** Milliseconds between two looks. */
const LOOK_MS = 50

/** How a run came to its end by itself. */
export interface RunEnd {
  readonly exitCode?: number
  /** Nothing ran. */
  readonly failed: boolean
}

export interface WatchedRun extends RunEnd {
  /** What we ended it for. */
  readonly hit?: SandboxLimitName
  readonly oom: boolean
  /** It wanted more processes than it may have. */
  readonly refusedForks: boolean
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly truncated: boolean
  readonly durationMs: number
  readonly usage: CgroupUsage
}

export interface WatchOptions {
  readonly clock: Clock
  readonly box: RunBox
  readonly run: SandboxRun
  readonly limits: RunLimits
  /** Of all its processes; for where the kernel does not hold it. */
  readonly memoryMB: number
  /** Looks at what only costs time to look at; gives what was outgrown. */
  readonly look?: () => Promise<SandboxLimitName | undefined>
}

/** @param start hands the code in and gives its end @throws AdjutantError CANCELLED, when nothing of the run is left */
export async function watchRun(options: WatchOptions, start: () => Promise<RunEnd>): Promise<WatchedRun> {
  const { clock, box, run, limits } = options
  const began = clock.monotonic()
  const meter = new RunMeter(box, clock, options.memoryMB, () => stop('memory'))
  const before = meter.measure()
  const output = new Output(limits.outputBytes, run, () => stop('output'))
  let hit: SandboxLimitName | undefined
  let aborted = false
  let over = false
  const end = (): void => {
    over = true
    box.kill()
  }
  const stop = (limit: SandboxLimitName): void => {
    if (over) return
    hit = limit
    end()
  }
  const abort = (): void => {
    if (over) return
    aborted = true
    end()
  }
  box.stdout.direct((bytes) => output.add('stdout', bytes))
  box.stderr.direct((bytes) => output.add('stderr', bytes))
  const stopClock = clock.after(limits.wallMs, () => stop('wall'))
  let stopLooking = (): void => {}
  const lookAgain = (): void => {
    stopLooking = clock.after(LOOK_MS, () => void look())
  }
  const look = async (): Promise<void> => {
    const used = (meter.measure().usage.cpuMs ?? 0) - (before.usage.cpuMs ?? 0)
    if (used > limits.cpuMs) stop('cpu')
    else {
      const outgrown = await options.look?.().catch(() => undefined)
      if (outgrown !== undefined) stop(outgrown)
    }
    if (!over) lookAgain()
  }
  lookAgain()
  run.signal?.addEventListener('abort', abort, { once: true })
  if (run.signal?.aborted === true) abort()
  try {
    const ended = await start()
    box.stdout.drain()
    box.stderr.drain()
    // Sets no limit any more, but the one that the last bytes were over.
    const isOver = over
    over = true
    if (aborted) {
      await box.gone
      throw new AdjutantError('CANCELLED', 'the run was stopped', { outcome: 'unknown' })
    }
    const after = meter.measure()
    const cpuMs = after.usage.cpuMs === undefined ? undefined : Math.max(0, Math.round(after.usage.cpuMs - (before.usage.cpuMs ?? 0)))
    return {
      failed: ended.failed,
      ...(ended.exitCode === undefined || isOver ? {} : { exitCode: ended.exitCode }),
      ...(hit === undefined ? {} : { hit }),
      oom: after.oomKills > before.oomKills || hit === 'memory',
      refusedForks: after.refusedForks > before.refusedForks,
      stdout: output.bytes('stdout'),
      stderr: output.bytes('stderr'),
      truncated: output.truncated,
      durationMs: clock.monotonic() - began,
      usage: { ...after.usage, ...(cpuMs === undefined ? {} : { cpuMs }) },
    }
  } finally {
    over = true
    stopClock()
    stopLooking()
    meter.stop()
    run.signal?.removeEventListener('abort', abort)
    box.stdout.direct(undefined)
    box.stderr.direct(undefined)
  }
}

class Output {
  truncated = false
  readonly #limit: number
  readonly #run: SandboxRun
  readonly #full: () => void
  readonly #parts: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] }
  #length = 0

  constructor(limit: number, run: SandboxRun, full: () => void) {
    this.#limit = limit
    this.#run = run
    this.#full = full
  }

  add(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const room = this.#limit - this.#length
    const kept = bytes.length > room ? bytes.subarray(0, room) : bytes
    if (kept.length > 0) {
      this.#length += kept.length
      this.#parts[stream].push(kept)
      try {
        this.#run.output?.(stream, kept)
      } catch {
        // Whoever listens was told not to throw; the run is not to suffer for it.
      }
    }
    if (kept.length < bytes.length) {
      this.truncated = true
      this.#full()
    }
  }

  bytes(stream: 'stdout' | 'stderr'): Uint8Array {
    return Buffer.concat(this.#parts[stream])
  }
}
