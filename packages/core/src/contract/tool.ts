import type { CallId, SessionId, TraceId } from './ids.ts'
import type { JsonObject, JsonSchema, JsonValue } from './json.ts'
import type { Namespace, Question } from './ports.ts'
import type { Principal } from './principal.ts'
import type { ContentPart } from './result.ts'

/** What a call may do to the world. Decides order and, with the approval mode, whether a person is asked. */
export type Effect = 'read' | 'write' | 'dangerous'

/** Where a tool came from: shown to people, never branched on. */
export interface Origin {
  readonly kind: 'function' | 'module' | 'mcp' | 'skill' | 'built-in'
  /** A file, a server name, a folder. */
  readonly from: string
  /** The name at its source, where it had to be changed to become legal or unique. */
  readonly originalName?: string
}

/** One thing that a call reads or writes, e.g. `{ key: 'file:/work/a.txt', mode: 'write' }`. */
export interface ResourceClaim {
  readonly key: string
  readonly mode: 'read' | 'write'
}

export interface ToolLimits {
  /** Milliseconds for one attempt. Default 60 000. Progress starts the time anew. */
  readonly timeoutMs?: number
  /** Characters of text that reach the model. Default 8 000. */
  readonly maxResultChars?: number
}

/** Something a running call tells while it runs. */
export interface Progress {
  readonly message?: string
  /** 0 … total; without `total` only its growth means something. */
  readonly current?: number
  readonly total?: number
}

export interface Logger {
  debug(message: string, fields?: JsonObject): void
  info(message: string, fields?: JsonObject): void
  warn(message: string, fields?: JsonObject): void
  error(message: string, fields?: JsonObject): void
}

/** What a tool gets beside its arguments. */
export interface CallContext {
  readonly callId: CallId
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly principal: Principal
  readonly namespace: Namespace
  /** Aborted on cancel and on timeout. A tool that starts a process ends it then. */
  readonly signal: AbortSignal
  /** Same for every attempt of one call, different for every call. */
  readonly idempotencyKey: string
  readonly log: Logger
  /** Shows progress and starts the timeout anew. */
  progress(progress: Progress): void
  /** Asks the person at the terminal; holds the interaction lock meanwhile. @throws AdjutantError QUESTION_UNANSWERED */
  ask(question: Question): Promise<string>
}

/** A tool's return: a value, or a generator that yields progress and returns the value. */
export type Execution = Promise<unknown> | AsyncGenerator<Progress, unknown, void>

/** Parts instead of a value, for a tool that gives back more than text. */
export class ToolOutput {
  readonly parts: readonly ContentPart[]
  /** The tool ran and says itself that it failed (MCP `isError`). */
  readonly isError: boolean
  readonly structured: JsonValue | undefined
  constructor(parts: readonly ContentPart[], options: { readonly isError?: boolean; readonly structured?: JsonValue } = {}) {
    this.parts = parts
    this.isError = options.isError ?? false
    this.structured = options.structured
  }
}

/**
 * The one shape of a tool: a function, an MCP tool and a skill all end as this. Nothing after the registry asks which it was.
 */
export interface AgentTool {
  /** `^[A-Za-z0-9_-]{1,64}$`, unique in a snapshot. */
  readonly name: string
  /** For the model: use for …; not for … */
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly origin: Origin
  /** `core`: always in the model's context. `extended`: on demand, once there are many. */
  readonly tier: 'core' | 'extended'
  /** Of a skill: the tools that its instructions work with. Absent: it says nothing about that. */
  readonly allows?: readonly string[]
  /** Words to group tools by, e.g. `skill`. */
  readonly tags?: readonly string[]
  readonly lifetime: 'turn' | 'task' | 'session'
  /** Fixed, or from the actual arguments. A function that throws makes the call `dangerous`. */
  readonly effect: Effect | ((input: JsonObject) => Effect)
  /** What it reads and writes, for finer plans and for messages. */
  readonly resources?: (input: JsonObject) => readonly ResourceClaim[]
  /** Its definition is not the one that was agreed to: its next call is held for this reason, whatever its effect. */
  readonly pinned?: { readonly reason: string }
  /** Safe to run again with the same arguments. Default: true for `read`, else false. */
  readonly repeatable?: boolean
  readonly limits?: ToolLimits
  /** Business rule, before approval. Throws to refuse: an AdjutantError, or an Error whose message the model reads. */
  check?(input: JsonObject, cx: CallContext): Promise<void>
  execute(input: JsonObject, cx: CallContext): Execution
  /** Turns the value into what the model reads. Default: a string as it is, else JSON. */
  format?(output: unknown, input: JsonObject): string | readonly ContentPart[]
}
