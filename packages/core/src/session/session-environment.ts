import { Admission } from '../admission/admit.ts'
import { ApprovalMemory } from '../admission/approval.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { AdmittedCall, ToolCall } from '../contract/call.ts'
import type { EventSink } from '../contract/events.ts'
import type { CallId, SessionId, TraceId } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import type { Policy, PolicyKeeper } from '../contract/policy.ts'
import type { Clock, IdSource, Namespace, Question } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import type { Redacted, Redactor } from '../contract/redact.ts'
import type { ToolResult } from '../contract/result.ts'
import type { Logger, Progress } from '../contract/tool.ts'
import type { InteractionLock } from '../dispatch/interaction-lock.ts'
import { ResultCache } from '../execution/cache.ts'
import { CallRunner } from '../execution/call-runner.ts'
import type { ExecutionHost } from '../execution/call-scope.ts'
import { DEFAULT_TIMEOUT_MS } from '../execution/execute.ts'
import { OriginGuards } from '../execution/origins.ts'
import { ResultMemory } from '../execution/result-memory.ts'
import { DEFAULT_RESULT_CHARS } from '../response/clip.ts'
import { createRedactor } from '../response/redact/create-redactor.ts'
import { redactJson } from '../response/redact/redact-json.ts'
import { setSpillRedactor } from '../response/spill-settings.ts'
import type { DurableSide } from './durable/durable-side.ts'
import type { SessionJobs } from './jobs/session-jobs.ts'
import type { StepKeeper } from './kept-steps.ts'
import type { RunGuards } from './run-guards.ts'
import type { SessionOptions } from './session-options.ts'
import type { TurnEnvironment } from './turn.ts'
import type { UsedTools } from './used-tools.ts'

/** Reads in flight at once. More hardly helps one model's batch and strains servers. */
const DEFAULT_CONCURRENCY = 10

/** What of a session its turns are lent. */
export interface SessionParts {
  readonly id: SessionId
  readonly traceId: TraceId
  readonly clock: Clock
  readonly ids: IdSource
  readonly namespace: Namespace
  readonly interaction: InteractionLock
  readonly catalog: Catalog
  readonly guards: RunGuards
  readonly steps: StepKeeper | undefined
  /** What outlives the process; absent: nothing does. */
  readonly durable: DurableSide | undefined
  /** What goes on behind the session; absent: nothing can. */
  readonly jobs: SessionJobs | undefined
  /** Which batch of the session is carried out, from 1. */
  batch(): number
  readonly used: UsedTools
  readonly emit: EventSink | undefined
  at(): number
}

/** Joins a session's options and parts into what each of its turns needs. */
export function turnEnvironment(options: SessionOptions, parts: SessionParts): TurnEnvironment {
  const { limits, mode, approver, policy, strategy = 'strict', earlyStart = true } = options
  const { catalog, guards, steps, emit, at, ids, clock, namespace } = parts
  const principal = options.principal ?? LOCAL_PRINCIPAL
  const approvals = new ApprovalMemory()
  const admission = new Admission({ mode, principal, approvals, ...(policy === undefined ? {} : { policy }) })
  const { durable, jobs } = parts
  if (durable !== undefined) {
    approvals.restore(durable.state.grants)
    for (const tool of durable.state.untrusted) admission.readUntrusted(tool)
  }
  // Providers number the calls of each answer anew: the batch belongs to it.
  const idempotencyKey = (id: CallId): string => `${parts.id}/${parts.batch()}/${id}`
  const redactor = options.redactor === false ? undefined : (options.redactor ?? createRedactor({ env: process.env }))
  if (redactor !== undefined) setSpillRedactor(namespace, redactor)
  return {
    sessionId: parts.id,
    resolve: (call) => catalog.resolve(call),
    halt: (call, lookup) => guards.halt(call, lookup),
    take(call) {
      parts.used.note(call.tool)
      return guards.take(call)
    },
    principal,
    admission,
    approvals,
    approver,
    keeper: policy !== undefined && isKeeper(policy) ? policy : undefined,
    interaction: parts.interaction,
    ids,
    clock,
    approvalTimeoutMs: limits?.approvalTimeoutMs,
    redactor,
    desk: durable?.desk,
    starting: durable === undefined ? undefined : (call) => durable.starting(call, idempotencyKey(call.call.id)),
    background: jobs === undefined ? undefined : (call) => jobs.start(call, parts.batch(), idempotencyKey(call.call.id)),
    emit,
    at,
    host: executionHost(options, parts, redactor, idempotencyKey),
    runner: new CallRunner({
      clock,
      random: () => Number.parseInt(ids.traceId().slice(0, 8), 16) / 0x1_0000_0000,
      memory: new ResultMemory(),
      cache: options.cache ?? new ResultCache({ clock }),
      origins: options.origins ?? new OriginGuards({ clock }),
      ...(limits?.retries === undefined ? {} : { defaults: { retries: limits.retries } }),
      retrying: (event) => emit?.({ ...event, at: at() }),
    }),
    strategy,
    earlyStart,
    concurrency: limits?.concurrency ?? DEFAULT_CONCURRENCY,
    timeoutMs: limits?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    results: {
      namespace,
      resultChars: limits?.resultChars ?? DEFAULT_RESULT_CHARS,
      redactor,
      hints: options.hints,
      hintLanguage: options.hintLanguage,
      fence: () => ids.traceId().slice(0, 16),
      ...(options.fenceNote === 'none' ? {} : { fenceNote: once() }),
    },
    settled(call: ToolCall, result: ToolResult, admitted: AdmittedCall | undefined) {
      if (result.fence !== undefined && admitted !== undefined) admission.readUntrusted(admitted.tool.name)
      guards.settled(call, result, admitted)
      steps?.add({ version: 1, type: 'call', call, result })
    },
  }
}

/** True the first time. */
function once(): () => boolean {
  let asked = false
  return () => {
    const first = !asked
    asked = true
    return first
  }
}

interface LogEntry {
  readonly message: string
  readonly fields?: JsonObject
}

/** At once where nothing looks like a secret; else as soon as it is known what to take out. */
function whenClean(redactor: Redactor | undefined, entry: LogEntry, tell: (clean: LogEntry) => void): void {
  if (redactor === undefined) {
    tell(entry)
    return
  }
  const message = redactor.redact(entry.message)
  const fields = entry.fields === undefined ? undefined : redactJson(redactor, entry.fields)
  const told = (text: Redacted, rest: { readonly value: JsonValue } | undefined): void =>
    tell({ message: text.text, ...(rest !== undefined && isJsonObject(rest.value) ? { fields: rest.value } : {}) })
  if (message instanceof Promise || fields instanceof Promise) void Promise.all([message, fields]).then(([text, rest]) => told(text, rest))
  else told(message, fields)
}

function isKeeper(policy: Policy | (Policy & PolicyKeeper)): policy is Policy & PolicyKeeper {
  return 'save' in policy && 'canSave' in policy
}

function executionHost(
  options: SessionOptions,
  parts: SessionParts,
  redactor: Redactor | undefined,
  idempotencyKey: (id: CallId) => string,
): ExecutionHost {
  const { asker } = options
  const { catalog, emit, at, interaction } = parts
  const log =
    (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    (message, fields) => {
      if (emit === undefined) return
      const time = at()
      whenClean(redactor, fields === undefined ? { message } : { message, fields }, (clean) =>
        emit({ type: 'log', level, message: clean.message, ...(clean.fields === undefined ? {} : { fields: clean.fields }), at: time }),
      )
    }
  return {
    clock: parts.clock,
    sessionId: parts.id,
    traceId: parts.traceId,
    principal: options.principal ?? LOCAL_PRINCIPAL,
    namespace: parts.namespace,
    idempotencyKey,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    hasTool: (name: string) => catalog.has(name),
    progress: (id: CallId, name: string, progress: Progress) => emit?.({ type: 'progress', id, name, progress, at: at() }),
    ask: (id: CallId, question: Question, signal: AbortSignal) =>
      interaction.run(async () => {
        const shown = redactor === undefined ? question : { ...question, text: (await redactor.redact(question.text)).text }
        emit?.({ type: 'question', id, question: shown, at: at() })
        return asker.ask(shown, { signal })
      }, signal),
  }
}
