/**
 * Owns one command that runs as an ordinary process of this machine, whatever walls that command puts around itself: its output, its time, its end.
 * Nothing else is bounded here. What leaves its process group is not ended; whoever promises more must see to it.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { AdjutantError, type Clock, type SandboxLimitName, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'

export interface SpawnRunOptions {
  /** Named in the report. */
  readonly backend: string
  /** Shown with the report. */
  readonly warning?: string
  readonly clock: Clock
  readonly run: SandboxRun
  readonly signal: AbortSignal
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly wallMs: number
  readonly outputBytes: number
}

/**
 * Runs one command to its end, with its time and output bounded, and ends what of its process group is left.
 *
 * @throws AdjutantError CANCELLED, SANDBOX_FAILED when it could not be started
 */
export function spawnRun([program, ...words]: readonly [string, ...string[]], options: SpawnRunOptions): Promise<SandboxReport> {
  const { clock, run, signal, outputBytes } = options
  const { promise, resolve, reject } = Promise.withResolvers<SandboxReport>()
  const began = clock.monotonic()
  const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  let room = outputBytes
  let limit: SandboxLimitName | undefined
  // A group of its own: what it started is ended with it.
  const child = spawn(program, words, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nobody of the group is left.
    }
  }
  const stop = (which: SandboxLimitName): void => {
    limit ??= which
    kill()
  }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (bytes: Buffer) => {
      const part = bytes.subarray(0, Math.max(0, room))
      room -= part.length
      if (part.length > 0) {
        kept[stream].push(part)
        run.output?.(stream, part)
      }
      if (part.length < bytes.length) stop('output')
    })
  // It may end before it has read everything.
  child.stdin.on('error', () => {})
  child.stdin.end(run.stdin ?? '')
  signal.addEventListener('abort', kill, { once: true })
  const stopClock = clock.after(options.wallMs, () => stop('wall'))
  // What it left behind may hold the streams open.
  child.on('exit', kill)
  child.on('error', (cause) => {
    stopClock()
    signal.removeEventListener('abort', kill)
    reject(
      new AdjutantError('SANDBOX_FAILED', `${options.backend}: ${program} could not be started: ${cause.message}`, {
        cause,
        outcome: 'not-run',
      }),
    )
  })
  child.on('close', (exitCode, signalName) => {
    stopClock()
    signal.removeEventListener('abort', kill)
    if (signal.aborted && limit === undefined) {
      reject(new AdjutantError('CANCELLED', 'the run was stopped', { outcome: 'unknown' }))
      return
    }
    resolve({
      backend: options.backend,
      mode: 'cold',
      ...(exitCode === null ? {} : { exitCode }),
      ...(signalName !== null && signalName in constants.signals ? { signal: signalName } : {}),
      timedOut: limit === 'wall',
      oom: false,
      ...(limit === undefined ? {} : { limit }),
      stdout: Buffer.concat(kept.stdout),
      stderr: Buffer.concat(kept.stderr),
      truncated: limit === 'output',
      durationMs: clock.monotonic() - began,
      usage: {},
      ...(options.warning === undefined ? {} : { warning: options.warning }),
    })
  })
  return promise
}
