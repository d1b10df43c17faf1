/** Calls of tools behind a cache that is shared, as a process makes them. */
import { tmpdir } from 'node:os'
import { type AgentTool, CallRunner, type ExecutionHost, openNamespace, ResultCache, systemClock } from '@adjutant/core'
import {
  type AdmittedCall,
  type Clock,
  callId,
  type JsonObject,
  type Principal,
  type SharedCache,
  sessionId,
  ToolOutput,
  traceId,
} from '@adjutant/core/contract'

export interface CacheCall {
  readonly tool: 'look' | 'lookAt' | 'own' | 'parts' | 'odd' | 'writeAt' | 'write'
  readonly input?: JsonObject
  readonly tenant?: string
  readonly user?: string
  readonly roles?: readonly string[]
}

export interface CacheAnswer {
  readonly output: unknown
  readonly cached: boolean
  readonly runs: number
}

export class CacheNode {
  readonly cache: ResultCache
  readonly #runner: CallRunner
  readonly #tools: Readonly<Record<CacheCall['tool'], AgentTool>>
  runs = 0

  /** @param gives what a run of a read gives; default: which run it was, and of which process */
  constructor(
    shared: SharedCache,
    options: { readonly clock?: Clock; readonly gives?: (call: CacheCall) => unknown; readonly scope?: string } = {},
  ) {
    const { clock = systemClock, gives = () => `${process.pid}/${this.runs}`, scope = 'service' } = options
    this.cache = new ResultCache({ clock, shared })
    this.#runner = new CallRunner({ clock, random: () => 0, cache: this.cache })
    const read = (name: CacheCall['tool'], over: Partial<AgentTool>, execute: (call: CacheCall) => unknown = gives): AgentTool => ({
      name,
      description: 'For tests.',
      inputSchema: true,
      origin: { kind: 'function', from: 'test' },
      tier: 'core',
      lifetime: 'session',
      effect: 'read',
      limits: { cacheTtlMs: 60_000, cacheScope: scope },
      execute: async (input, { principal }) => {
        this.runs += 1
        return execute({ tool: name, input, tenant: principal.tenantId, user: principal.userId, roles: principal.roles })
      },
      ...over,
    })
    const at = (mode: 'read' | 'write') => (input: JsonObject) => [{ key: `file:/${String(input.at)}`, mode }]
    this.#tools = {
      look: read('look', {}),
      lookAt: read('lookAt', { resources: at('read') }),
      own: read('own', { limits: { cacheTtlMs: 60_000 } }),
      parts: read('parts', {}, () => new ToolOutput([{ type: 'text', text: `${process.pid}/${this.runs}` }], { structured: { a: 1 } })),
      odd: read('odd', {}, () => new Date(this.runs)),
      writeAt: read('writeAt', { effect: 'write', resources: at('write') }, () => 'done'),
      write: read('write', { effect: 'write', origin: { kind: 'function', from: 'elsewhere' } }, () => 'done'),
    }
  }

  async run(given: CacheCall): Promise<CacheAnswer> {
    const { input = {}, tenant = 'acme', user = 'ann', roles = [] } = given
    const tool = this.#tools[given.tool]
    const call: AdmittedCall = {
      call: { id: callId('c'), index: 0, name: tool.name, arguments: { ok: true, value: input }, idFromProvider: true },
      tool,
      input,
      effect: tool.effect === 'write' ? 'write' : 'read',
      conversions: [],
    }
    const run = this.#runner.run(call, hostOf({ tenantId: tenant, userId: user, roles }), 60_000)
    const outcome = await run.outcome
    if (outcome.status !== 'succeeded') throw outcome.error
    return { output: outcome.output, cached: run.cached, runs: this.runs }
  }
}

function hostOf(principal: Principal): ExecutionHost {
  const id = sessionId('s')
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  return {
    clock: systemClock,
    sessionId: id,
    traceId: traceId('1'.padStart(32, '0')),
    principal,
    namespace: openNamespace({ root: tmpdir(), sessionId: id }),
    log: silent,
    idempotencyKey: (call) => `${id}/1/${call}`,
    progress() {},
    ask: () => Promise.resolve('yes'),
  }
}
