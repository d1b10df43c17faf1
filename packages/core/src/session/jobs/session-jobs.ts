import { bindingOf } from '../../admission/approval.ts'
import type { AdmittedCall } from '../../contract/call.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { SessionId, TraceId } from '../../contract/ids.ts'
import type { Job, JobQueue } from '../../contract/job.ts'
import type { RawOutcome } from '../../contract/outcome.ts'
import type { Clock } from '../../contract/ports.ts'
import type { Principal } from '../../contract/principal.ts'
import type { ToolResult } from '../../contract/result.ts'
import type { OpenJob } from '../durable/session-state.ts'
import { isToolResult, TOOL_JOB, writeToolJob } from './tool-job.ts'

export interface SessionJobsOptions {
  readonly queue: JobQueue
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly principal: Principal
  readonly clock: Clock
  /** Keeps a step before it resolves. */
  readonly keep: (step: StepRecord) => Promise<void>
  /** What went on behind the session when another process left it. */
  readonly open: readonly OpenJob[]
}

/** A job that has ended, and what of it the model is told. */
export interface EndedJob {
  readonly jobId: string
  readonly result: ToolResult
}

/** Attempts of a call that may be repeated. */
const ATTEMPTS = 3

/**
 * Owns what goes on behind one session: calls that became jobs, and what has come of them that the model was not told yet. Each is told once. The same
 * call makes the same job, also when the process died between the two.
 */
export class SessionJobs {
  readonly #cx: SessionJobsOptions
  readonly #open: Map<string, OpenJob>

  constructor(options: SessionJobsOptions) {
    this.#cx = options
    this.#open = new Map(options.open.map((job) => [job.jobId, job]))
  }

  /** Those that the model was not told the end of. */
  get open(): readonly OpenJob[] {
    return [...this.#open.values()]
  }

  /** Makes a job of a call. Its outcome says only that. */
  async start(call: AdmittedCall, batch: number, idempotencyKey: string): Promise<RawOutcome> {
    const { queue, sessionId, traceId, principal, clock } = this.#cx
    const { tool, input } = call
    const { id } = call.call
    const job = await queue.enqueue({
      tenantId: principal.tenantId,
      kind: TOOL_JOB,
      key: idempotencyKey,
      payload: writeToolJob({
        version: 1,
        sessionId,
        traceId,
        callId: id,
        name: tool.name,
        input,
        idempotencyKey,
        principal,
        binding: bindingOf(call, principal),
      }),
      maxAttempts: call.effect === 'read' || tool.repeatable === true ? ATTEMPTS : 1,
      sessionId,
      callId: id,
      ...(tool.limits?.timeoutMs === undefined ? {} : { timeoutMs: tool.limits.timeoutMs }),
    })
    await this.#cx.keep({ version: 1, type: 'queued', time: clock.now(), batch, id, name: tool.name, jobId: job.id })
    this.#open.set(job.id, { jobId: job.id, id, name: tool.name })
    return {
      status: 'succeeded',
      output: `Accepted as background job ${job.id}. It goes on by itself; you are told when it has ended. Go on with what does not need it, or answer.`,
    }
  }

  /** Those that have ended since, in the order in which they were made. Each is given once, and is kept as told. */
  async ended(): Promise<readonly EndedJob[]> {
    const ended: EndedJob[] = []
    for (const open of this.open) {
      const job = await this.#cx.queue.get(this.#cx.principal.tenantId, open.jobId)
      const result = job === undefined ? lost(open, 'it is not in the queue any more') : resultOf(open, job)
      if (result === undefined) continue
      await this.#cx.keep({ version: 1, type: 'job', time: this.#cx.clock.now(), jobId: open.jobId, result })
      this.#open.delete(open.jobId)
      ended.push({ jobId: open.jobId, result })
    }
    return ended
  }

  /** Resolves when one of them has ended, or `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const { queue, principal } = this.#cx
    try {
      await Promise.race(this.open.map(({ jobId }) => queue.settled(principal.tenantId, jobId, { signal: either }).catch(() => {})))
    } finally {
      over.abort()
    }
  }
}

/** What the model is told of a job; undefined while it goes on. */
function resultOf(open: OpenJob, job: Job): ToolResult | undefined {
  const said = job.error === undefined ? 'nobody said why' : job.error.message
  switch (job.state) {
    case 'queued':
    case 'running':
      return undefined
    case 'succeeded':
      return isToolResult(job.result) ? job.result : failed(open, 'it gave back nothing that can be read')
    case 'failed':
    case 'dead':
      return failed(open, said)
    case 'cancelled':
      // What had begun may have taken effect in part.
      return job.attempt === 0
        ? { ...base(open), outcome: 'not-run', isError: true, text: 'It was cancelled before it began.', code: 'CANCELLED' }
        : { ...lost(open, 'it was cancelled while it ran'), code: 'CANCELLED' }
    case 'lost':
      return lost(open, 'the process that did it died')
    default:
      return job.state satisfies never
  }
}

function base({ id, name }: OpenJob): Pick<ToolResult, 'id' | 'name' | 'parts'> {
  return { id, name, parts: [] }
}

function failed(open: OpenJob, said: string): ToolResult {
  return { ...base(open), outcome: 'failed', isError: true, text: `It failed: ${said}`, code: 'TOOL_FAILED' }
}

function lost(open: OpenJob, why: string): ToolResult {
  const hint = 'Check whether it took effect before doing it again.'
  const text = `Nobody can say whether it took effect: ${why}. ${hint}`
  return { ...base(open), outcome: 'unknown', isError: true, text, code: 'OUTCOME_UNKNOWN', hint }
}
