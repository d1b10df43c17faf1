import { Admission } from '../../admission/admit.ts'
import { bindingOf, sameBinding } from '../../admission/approval.ts'
import type { AdmittedCall } from '../../contract/call.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { JobContext, JobHandler } from '../../contract/job.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { ToolLookup } from '../../contract/lookup.ts'
import type { RawOutcome } from '../../contract/outcome.ts'
import type { Policy } from '../../contract/policy.ts'
import type { Clock, IdSource } from '../../contract/ports.ts'
import type { Redactor } from '../../contract/redact.ts'
import type { ResultStore } from '../../contract/result-store.ts'
import type { Logger } from '../../contract/tool.ts'
import { DEFAULT_TIMEOUT_MS, execute } from '../../execution/execute.ts'
import { openNamespace } from '../../execution/namespace.ts'
import { buildResult } from '../../response/build-result.ts'
import { DEFAULT_RESULT_CHARS } from '../../response/clip.ts'
import { createRedactor } from '../../response/redact/create-redactor.ts'
import { SharedResults } from '../../response/shared-results.ts'
import { setSharedResults } from '../../response/spill-settings.ts'
import { randomIds } from '../../util/random-ids.ts'
import { systemClock } from '../../util/system-clock.ts'
import { readToolJob, type ToolJob } from './tool-job.ts'

export interface ToolJobOptions {
  /** Looked at anew for each job: the registry of this process now. */
  readonly tools: () => ToolLookup
  readonly namespaceRoot: string
  /** Keeps results that were too long so that the session finds them on its machine. Default: they stay on this one. */
  readonly resultStore?: ResultStore
  /** Decides once more when the job runs: a denial that came meanwhile holds. Default: no rules. */
  readonly policy?: Policy
  readonly clock?: Clock
  readonly ids?: IdSource
  /** Default: as for a session. */
  readonly redactor?: Redactor | false
  readonly log?: Logger
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Does the calls that sessions left to jobs, in whichever process. What runs is exactly what was let through: arguments, definition and principal are
 * compared, and the policy is asked once more. Gives the result as the model will read it. A job's person is not here: a tool that asks is told so.
 *
 * @example
 * ```ts
 * const worker = queue.work({ tool: toolJobHandler({ tools: () => registry.snapshot(), namespaceRoot }) })
 * ```
 */
export function toolJobHandler(options: ToolJobOptions): JobHandler {
  const { clock = systemClock, ids = randomIds, log = SILENT, policy } = options
  const redactor = options.redactor === false ? undefined : (options.redactor ?? createRedactor({ env: process.env }))
  return async (cx) => {
    const job = readToolJob(cx.job.payload)
    const call = letThrough(job, options.tools(), policy)
    const { namespace, shared } = jobNamespace(job, options, clock, log)
    const startedAt = clock.now()
    const outcome = await run(call, job, cx, { clock, log, namespace })
    if (cx.signal.aborted) throw cx.signal.reason
    retryable(outcome, cx)
    const result = await buildResult(
      {
        call: call.call,
        tool: call.tool,
        input: call.input,
        outcome,
        times: { startedAt: 0, endedAt: clock.now() - startedAt, attempts: cx.job.attempt },
      },
      {
        namespace,
        // The session may be giving names to results of its own meanwhile, elsewhere.
        keepAs: `job_${cx.job.id}`,
        resultChars: DEFAULT_RESULT_CHARS,
        redactor,
        fence: () => ids.traceId().slice(0, 16),
      },
    )
    await shared?.sent()
    const kept: JsonValue = JSON.parse(JSON.stringify(result))
    return kept
  }
}

/** The folder that the session has on this machine; what is kept in it goes to where the session finds it. */
function jobNamespace(job: ToolJob, { namespaceRoot: root, resultStore }: ToolJobOptions, clock: Clock, log: Logger) {
  const { sessionId, principal: owner } = job
  if (resultStore === undefined) return { namespace: openNamespace({ root, sessionId, owner }), shared: undefined }
  const shared = new SharedResults({
    store: resultStore,
    owner: { tenantId: owner.tenantId, userId: owner.userId, sessionId },
    fence: undefined,
    clock,
    failed: (message) => log.warn(message),
  })
  const namespace = openNamespace({ root, sessionId, owner, secret: (own) => shared.secret(own) })
  setSharedResults(namespace, shared)
  return { namespace, shared }
}

/** @throws AdjutantError of grade `final` when it may not, or is not what was let through */
function letThrough(job: ToolJob, tools: ToolLookup, policy: Policy | undefined): AdmittedCall {
  const tool = tools.get(job.name)
  if (tool === undefined) throw new AdjutantError('UNKNOWN_TOOL', `${job.name} is not there any more`, { grade: 'final' })
  const made = {
    id: job.callId,
    index: 0,
    name: job.name,
    arguments: { ok: true, value: job.input },
    idFromProvider: true,
  } as const
  const admission = new Admission({ mode: 'allow', principal: job.principal, ...(policy === undefined ? {} : { policy }) })
  const verdict = admission.admit(made, tools)
  if (verdict.type === 'refused') throw verdict.error
  if (!sameBinding(bindingOf(verdict.call, job.principal), job.binding)) {
    throw new AdjutantError('APPROVAL_MISMATCH', `${job.name} is not what was let through any more`)
  }
  return verdict.call
}

async function run(
  call: AdmittedCall,
  job: ToolJob,
  { signal, progress }: JobContext,
  host: { readonly clock: Clock; readonly log: Logger; readonly namespace: ReturnType<typeof openNamespace> },
): Promise<RawOutcome> {
  const running = execute(
    call,
    {
      ...host,
      sessionId: job.sessionId,
      traceId: job.traceId,
      principal: job.principal,
      idempotencyKey: () => job.idempotencyKey,
      progress: (_id, _name, step) => progress(step),
      ask: () => Promise.reject(new AdjutantError('QUESTION_UNANSWERED', 'a background job has nobody to ask')),
    },
    DEFAULT_TIMEOUT_MS,
  )
  const stop = (): void => running.cancel()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await running.outcome
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** A failure that may pass is the queue's to try again, as long as it may. */
function retryable(outcome: RawOutcome, { job }: JobContext): void {
  if (outcome.status === 'succeeded' || job.attempt >= job.maxAttempts) return
  if (outcome.error.grade === 'retry') throw outcome.error
}
