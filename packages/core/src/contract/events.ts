import type { AdmittedCall, CallBinding, ToolCall } from './call.ts'
import type { CallState } from './call-state.ts'
import type { DecodeEvent, Usage } from './decode.ts'
import type { AskedApproval } from './durable.ts'
import type { AdjutantError, ErrorCode } from './errors.ts'
import type { ApprovalId, CallId, Digest, TraceId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { PolicyDecision } from './policy.ts'
import type { ApprovalDecision, ApprovalRequest, Question } from './ports.ts'
import type { ToolResult } from './result.ts'
import type { Effect, Progress } from './tool.ts'

/** Why a loaded tool left the model's context. */
export type UnloadReason = 'asked' | 'turn-ended' | 'task-ended' | 'too-many-tools' | 'too-many-tokens' | 'gone'

/** What a session tells while it works. `at`: milliseconds since the session started. */
export type SessionEvent =
  | { readonly type: 'round'; readonly round: number; readonly at: number }
  | { readonly type: 'model'; readonly event: DecodeEvent; readonly at: number }
  | { readonly type: 'call-state'; readonly id: CallId; readonly name: string; readonly state: CallState; readonly at: number }
  /** What the person asked for. */
  | { readonly type: 'task'; readonly text: string; readonly at: number }
  /** A call passed admission: what it will do and who said that it may. Told before it is held or queued. */
  | { readonly type: 'judged'; readonly call: AdmittedCall; readonly decision: PolicyDecision; readonly at: number }
  /** A call was refused before it came to that. */
  | { readonly type: 'refused'; readonly call: ToolCall; readonly error: AdjutantError; readonly at: number }
  /** The run came near one of its budgets, or has used one up. */
  | { readonly type: 'budget'; readonly budget: string; readonly used: number; readonly limit: number; readonly at: number }
  /** The loop guard spoke: `stop` ends the task. */
  | {
      readonly type: 'loop'
      readonly id: CallId
      readonly name: string
      readonly step: 'warn' | 'stop'
      readonly reason: string
      readonly at: number
    }
  /** A further attempt of a call follows after `delayMs`. */
  | {
      readonly type: 'retry'
      readonly id: CallId
      readonly name: string
      readonly attempt: number
      readonly delayMs: number
      readonly code: ErrorCode
      readonly at: number
    }
  /** What a call used of something that is counted. */
  | {
      readonly type: 'metered'
      readonly id: CallId
      readonly name: string
      readonly units: number
      readonly unit: string
      readonly microPrice: number
      readonly at: number
    }
  /** The session's final word on a task. */
  | { readonly type: 'ended'; readonly reason: string; readonly text: string; readonly at: number }
  /** All results of one batch, in call order. */
  | { readonly type: 'results'; readonly results: readonly ToolResult[]; readonly at: number }
  /** The model's answer broke off and is asked for again; what of it ran is not run twice. */
  | { readonly type: 'answer-retried'; readonly round: number; readonly reason: string; readonly at: number }
  | { readonly type: 'tool-loaded'; readonly name: string; readonly tokens: number; readonly at: number }
  | { readonly type: 'tool-unloaded'; readonly name: string; readonly reason: UnloadReason; readonly at: number }
  | { readonly type: 'progress'; readonly id: CallId; readonly name: string; readonly progress: Progress; readonly at: number }
  | { readonly type: 'approval-asked'; readonly request: ApprovalRequest; readonly at: number }
  | { readonly type: 'approval-answered'; readonly request: ApprovalRequest; readonly decision: ApprovalDecision; readonly at: number }
  | { readonly type: 'question'; readonly id: CallId; readonly question: Question; readonly at: number }
  | {
      readonly type: 'log'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      readonly fields?: JsonObject
      readonly at: number
    }

/** Takes a session's events. Must not throw; is called synchronously and in order. */
export type EventSink = (event: SessionEvent) => void

/**
 * One step of a session, as kept (E9). `version` is the type's own. `at`: milliseconds since the process took the session; `time`: milliseconds since
 * 1970. What the steps of a session are, in order, is the session: see docs/reference/sessions.md.
 */
export type StepRecord =
  | { readonly version: 1; readonly type: 'user'; readonly at: number; readonly text: string }
  /** Read, not written any more. */
  | {
      readonly version: 1
      readonly type: 'model'
      readonly at: number
      readonly endedAt: number
      readonly round: number
      readonly text: string
      readonly calls: readonly ToolCall[]
    }
  /** An answer of the model. With calls it begins a batch. */
  | {
      readonly version: 2
      readonly type: 'model'
      readonly at: number
      readonly endedAt: number
      readonly round: number
      readonly text: string
      readonly calls: readonly ToolCall[]
      /** Sent back unchanged to the provider they came from. */
      readonly providerBlocks: readonly JsonObject[]
      readonly usage: Usage
    }
  /** A batch that came without a model's answer. */
  | { readonly version: 1; readonly type: 'batch'; readonly time: number; readonly calls: readonly ToolCall[] }
  /** A call that may change something is about to run. Kept before it does. */
  | {
      readonly version: 1
      readonly type: 'started'
      readonly time: number
      /** Which batch of the session, from 1. */
      readonly batch: number
      readonly id: CallId
      /** The tool's. */
      readonly name: string
      readonly effect: Effect
      readonly attempt: number
      readonly idempotencyKey: string
      readonly binding: CallBinding
    }
  | { readonly version: 1; readonly type: 'call'; readonly call: ToolCall; readonly result: ToolResult }
  /** A held call waits for a person. Kept before anybody is told. */
  | { readonly version: 1; readonly type: 'asked'; readonly time: number; readonly approval: AskedApproval }
  /** An approval was taken: by its answer, or because its time was over. */
  | {
      readonly version: 1
      readonly type: 'answered'
      readonly time: number
      readonly approvalId: ApprovalId
      /** Absent: it expired. */
      readonly decision?: ApprovalDecision
      readonly by?: string
      /** What is allowed for the rest of the session from here on. */
      readonly grants: readonly Digest[]
    }
  /** A call goes on behind the session: its result only says that. */
  | {
      readonly version: 1
      readonly type: 'queued'
      readonly time: number
      readonly batch: number
      readonly id: CallId
      readonly name: string
      readonly jobId: string
    }
  /** The job has ended: what it came to is part of the talk from here on. */
  | { readonly version: 1; readonly type: 'job'; readonly time: number; readonly jobId: string; readonly result: ToolResult }
  /** Which tools on demand the model has from here on, the ones used longest ago first. */
  | { readonly version: 1; readonly type: 'tools'; readonly time: number; readonly loaded: readonly string[] }
  /** The process lets go until these are decided. */
  | { readonly version: 1; readonly type: 'paused'; readonly time: number; readonly waiting: readonly ApprovalId[] }
  /** Another process carries it on. */
  | { readonly version: 1; readonly type: 'resumed'; readonly time: number; readonly node: string; readonly traceId: TraceId }
  | { readonly version: 1; readonly type: 'answer'; readonly at: number; readonly text: string; readonly reason: string }
