import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Digest } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { AgentTool, CallContext } from '../contract/tool.ts'
import { saysThatItFailed } from './cache.ts'
import type { ExecutionHost } from './call-scope.ts'
import { execute, type RunningCall } from './execute.ts'
import type { RememberedResult, ResultMemory } from './result-memory.ts'
import type { CallRun } from './retry-run.ts'

/** Milliseconds that a tool gets to tell the version of what it reads. Looking at a file's date takes one; a slower one is as slow as reading. */
const VERSION_TIMEOUT_MS = 5_000

export interface RememberedCall {
  readonly memory: ResultMemory
  readonly key: Digest
  readonly call: AdmittedCall
  readonly host: ExecutionHost
  /** What it reads, at least one. */
  readonly resources: readonly string[]
  readonly remember: NonNullable<AgentTool['remember']>
  /** Starts the call itself. */
  start(): CallRun
}

/**
 * A read that may be answered from the session's memory. The version is asked before an answer is given again, and around each run: what changed while it was
 * read is not kept. A `version` that throws, hangs or gives `undefined` means: run it. Asking is supervised as a call is, so a cancel ends it as well.
 */
export class ResultMemoryRun implements CallRun {
  readonly outcome: Promise<RawOutcome>
  readonly #given: RememberedCall
  #inner: CallRun | undefined
  #asking: RunningCall | undefined
  #cancelled = false
  #answered = false

  constructor(given: RememberedCall) {
    this.#given = given
    this.outcome = this.#run()
  }

  get attempts(): number {
    return this.#inner?.attempts ?? 0
  }

  get cached(): boolean {
    return this.#answered || this.#inner?.cached === true
  }

  cancel(): void {
    this.#cancelled = true
    this.#asking?.cancel()
    this.#inner?.cancel()
  }

  async #run(): Promise<RawOutcome> {
    const { memory, key, resources } = this.#given
    const read = memory.beginRead(resources)
    try {
      const known = memory.find(key)
      const { version, holds } = this.#needsAsking(known) ? await this.#ask(known) : { version: undefined, holds: known !== undefined }
      if (this.#cancelled) return this.#cancelledOutcome()
      // While the version was asked a write may have dropped it.
      if (holds && known !== undefined && memory.find(key) === known) {
        this.#answered = true
        return { status: 'succeeded', output: known.value.copy() }
      }
      this.#inner = this.#given.start()
      const outcome = await this.#inner.outcome
      if (outcome.status === 'succeeded' && !this.#inner.cached && !saysThatItFailed(outcome)) {
        if (await this.#isStill(version)) memory.keep(key, read, outcome.output, version)
      }
      return outcome
    } finally {
      memory.endRead(read)
    }
  }

  #needsAsking(known: RememberedResult | undefined): boolean {
    const { remember } = this.#given
    return remember.version !== undefined || (known !== undefined && remember.reused !== undefined)
  }

  /** True when what was read is what it was before. Where nobody can tell, the session's own writes are all that counts. */
  async #isStill(before: string | undefined): Promise<boolean> {
    if (this.#given.remember.version === undefined) return true
    if (before === undefined || this.#cancelled) return false
    return (await this.#ask(undefined)).version === before
  }

  async #ask(known: RememberedResult | undefined): Promise<{ readonly version: string | undefined; readonly holds: boolean }> {
    const { call, host, remember } = this.#given
    let holds = false
    const look = async (cx: CallContext): Promise<string | undefined> => {
      const version: unknown = await remember.version?.(call.input, cx)
      const told = typeof version === 'string' ? version : undefined
      if (known !== undefined && (remember.version === undefined || (told !== undefined && told === known.version))) {
        remember.reused?.(call.input, cx, told)
        holds = true
      }
      return told
    }
    this.#asking = execute(asking(call, look), host, VERSION_TIMEOUT_MS)
    const outcome = await this.#asking.outcome
    this.#asking = undefined
    if (outcome.status !== 'succeeded') return { version: undefined, holds: false }
    return { version: typeof outcome.output === 'string' ? outcome.output : undefined, holds }
  }

  #cancelledOutcome(): RawOutcome {
    const message = `${this.#given.call.tool.name} was cancelled before it ran.`
    return { status: 'cancelled', error: new AdjutantError('CANCELLED', message, { outcome: 'not-run' }) }
  }
}

/** The same call, with a look at the version in place of the work. */
function asking(call: AdmittedCall, look: (cx: CallContext) => Promise<string | undefined>): AdmittedCall {
  const { name, description, inputSchema, origin, tier, lifetime } = call.tool
  const tool: AgentTool = { name, description, inputSchema, origin, tier, lifetime, effect: 'read', execute: (_input, cx) => look(cx) }
  return { ...call, tool, effect: 'read' }
}
