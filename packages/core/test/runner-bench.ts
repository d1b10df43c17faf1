import { tmpdir } from 'node:os'
import { ManualClock } from '@adjutant/testkit'
import type { AdmittedCall } from '../src/contract/call.ts'
import { callId, sessionId, traceId } from '../src/contract/ids.ts'
import type { JsonObject } from '../src/contract/json.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../src/contract/principal.ts'
import type { AgentTool } from '../src/contract/tool.ts'
import { CallRunner, type CallRunnerOptions } from '../src/execution/call-runner.ts'
import type { ExecutionHost } from '../src/execution/call-scope.ts'
import { openNamespace } from '../src/execution/namespace.ts'
import type { CallRun, RetryEvent } from '../src/execution/retry-run.ts'

export const TIMEOUT_MS = 10_000

export interface RunnerBench {
  readonly clock: ManualClock
  readonly runner: CallRunner
  readonly host: ExecutionHost
  /** Further attempts, as they were told. */
  readonly told: readonly RetryEvent[]
  /** Attempts that were told as started. */
  readonly started: readonly number[]
  run(tool: AgentTool, input?: JsonObject, effect?: AdmittedCall['effect']): CallRun
}

export interface RunnerBenchOptions extends Partial<Omit<CallRunnerOptions, 'clock'>> {
  readonly clock?: ManualClock
  readonly session?: string
  readonly principal?: Principal
}

/** A runner over a clock that stands still, and a session that lends it what a call needs. */
export function runnerBench(options: RunnerBenchOptions = {}): RunnerBench {
  const { clock = new ManualClock(), session = 'session_1', principal = LOCAL_PRINCIPAL, ...rest } = options
  const told: RetryEvent[] = []
  const started: number[] = []
  const id = sessionId(session)
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const host: ExecutionHost = {
    clock,
    sessionId: id,
    traceId: traceId('1'.padStart(32, '0')),
    principal,
    namespace: openNamespace({ root: tmpdir(), sessionId: id }),
    log: silent,
    idempotencyKey: (call) => `${id}/1/${call}`,
    progress() {},
    ask: () => Promise.resolve('yes'),
  }
  const runner = new CallRunner({ random: () => 0.5, retrying: (event) => void told.push(event), ...rest, clock })
  let calls = 0
  return {
    clock,
    runner,
    host,
    told,
    started,
    run(tool, input = {}, effect) {
      calls += 1
      const fixed = typeof tool.effect === 'string' ? tool.effect : 'dangerous'
      return runner.run(admitted(tool, input, effect ?? fixed, calls), host, TIMEOUT_MS, (attempt) => void started.push(attempt))
    },
  }
}

export function admitted(tool: AgentTool, input: JsonObject, effect: AdmittedCall['effect'], number = 1): AdmittedCall {
  const call = {
    id: callId(`call_${number}`),
    index: 0,
    name: tool.name,
    arguments: { ok: true, value: input },
    idFromProvider: true,
  } as const
  return { call, tool, input, conversions: [], effect }
}

export function makeTool(spec: Partial<AgentTool> & Pick<AgentTool, 'execute'>): AgentTool {
  return {
    name: 'probe',
    description: 'Use for: tests.',
    inputSchema: { type: 'object' },
    origin: { kind: 'function', from: 'tests' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    ...spec,
  }
}

/** A tool whose attempts give or throw these, one after the other; the last one for all that follow. */
export function scripted(steps: readonly unknown[], spec: Partial<AgentTool> = {}): { readonly tool: AgentTool; readonly keys: string[] } {
  const keys: string[] = []
  const tool = makeTool({
    ...spec,
    async execute(_input, cx) {
      const step = steps[Math.min(keys.length, steps.length - 1)]
      keys.push(cx.idempotencyKey)
      if (step instanceof Error) throw step
      return step
    },
  })
  return { tool, keys }
}

/** An error as `fetch` throws it. */
export function networkError(code = 'ECONNRESET'): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`read ${code}`), { code }) })
}
