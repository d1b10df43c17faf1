import type { ToolCall } from './call.ts'
import type { CallState } from './call-state.ts'
import type { DecodeEvent } from './decode.ts'
import type { CallId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { ApprovalDecision, ApprovalRequest, Question } from './ports.ts'
import type { ToolResult } from './result.ts'
import type { Progress } from './tool.ts'

/** Why a loaded tool left the model's context. */
export type UnloadReason = 'asked' | 'turn-ended' | 'task-ended' | 'too-many-tools' | 'too-many-tokens' | 'gone'

/** What a session tells while it works. `at`: milliseconds since the session started. */
export type SessionEvent =
  | { readonly type: 'round'; readonly round: number; readonly at: number }
  | { readonly type: 'model'; readonly event: DecodeEvent; readonly at: number }
  | { readonly type: 'call-state'; readonly id: CallId; readonly name: string; readonly state: CallState; readonly at: number }
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

/** One step of a session, as kept (E9). `version` is the shape's own. */
export type StepRecord =
  | { readonly version: 1; readonly type: 'user'; readonly at: number; readonly text: string }
  | {
      readonly version: 1
      readonly type: 'model'
      readonly at: number
      readonly endedAt: number
      readonly round: number
      readonly text: string
      readonly calls: readonly ToolCall[]
    }
  | { readonly version: 1; readonly type: 'call'; readonly call: ToolCall; readonly result: ToolResult }
  | { readonly version: 1; readonly type: 'answer'; readonly at: number; readonly text: string; readonly reason: string }
