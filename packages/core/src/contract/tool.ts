import type { CallId, SessionId, TraceId } from './ids.ts'
import type { JsonObject, JsonSchema, JsonValue } from './json.ts'
import type { Namespace, Question } from './ports.ts'
import type { Principal } from './principal.ts'
import type { ContentPart } from './result.ts'

/** What a call may do to the world. Decides order and, with the approval mode, whether a person is asked. */
export type Effect = 'read' | 'write' | 'dangerous'

/** Tools that change files in the workspace and nothing else carry this tag: mode `allow-edits` lets them run. */
export const EDIT_TAG = 'edit'

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
  /** Estimated tokens of that text. Default: only characters count. */
  readonly maxResultTokens?: number
  /** What is kept of a result that is too long. Default `auto`: by what it looks like. */
  readonly clip?: ClipStrategy
  /** Further attempts after a failure that may be repeated, 0 … 3. Default 2. Only for calls that are repeatable, or proven not to have run. */
  readonly retries?: number
  /** For how many milliseconds an equal call of the same principal is answered with this one's result. Default: not at all. */
  readonly cacheTtlMs?: number
  /**
   * What the results depend on beside the arguments, e.g. the address of a service and the account that is used there: calls of a tool with this name and definition
   * in another process are equal when this is, too. Default: results are given again in this process only. Tools that write there name the same.
   */
  readonly cacheScope?: string
  /** Calls that one principal may make of this tool. */
  readonly rate?: RateLimit
  /** What one call costs, for budgets and metering. */
  readonly cost?: CallCost
  /** What the loop guard bears of this tool. */
  readonly loop?: LoopLimits
}

/** `auto` looks at the text: JSON, a table, output with errors, else both ends. */
export type ClipStrategy = 'auto' | 'head-tail' | 'head' | 'tail' | 'json' | 'table' | 'errors'

/** At most `calls` in each `perMs` milliseconds. */
export interface RateLimit {
  readonly calls: number
  readonly perMs: number
  /** Whose calls are counted together. Default `user`. */
  readonly per?: 'session' | 'user' | 'tenant'
}

export interface CallCost {
  /** Units of one call, e.g. 1 query. Default 1. */
  readonly units?: number
  /** What a unit is called in metering records. Default `call`. */
  readonly unit?: string
  /** Price of one call, in millionths of the currency that the host counts in. Default 0. */
  readonly microPrice?: number
}

export interface LoopLimits {
  /** Equal calls in a row, with equal results, of which the last is not run. Default 5. */
  readonly identical?: number
  /** `false`: this tool's calls are not looked at. */
  readonly watched?: boolean
}

/** One part of an argument that a person should look at: the dangerous word of a command. */
export interface ArgumentMark {
  /** JSON Pointer to a text argument, e.g. `/command`. */
  readonly path: string
  /** UTF-16 offsets into it, `start` inclusive, `end` exclusive. */
  readonly start: number
  readonly end: number
  readonly effect: Effect
  /** Why, in a few words, e.g. `rm deletes files`. */
  readonly reason: string
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
  /** Same for every attempt of one call, also in another process after a crash; different for every call. */
  readonly idempotencyKey: string
  readonly log: Logger
  /** Shows progress and starts the timeout anew. */
  progress(progress: Progress): void
  /** Whether the session's model may call a tool of this name. Absent: nobody knows. */
  hasTool?(name: string): boolean
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
  /** JSON Pointers of arguments that say nothing about what is asked (a nonce, a request id): left out of fingerprints. */
  readonly volatile?: readonly string[]
  /** Its results carry text of strangers (web pages, mail, issues): fenced for the model, and policy may ask about writes that follow. */
  readonly untrusted?: boolean
  /**
   * A repeated read may be answered with the result that this session already has, until a call writes to one of its `resources` (D16).
   * `version`: a word that changes when what is read changes outside of the session (a time stamp, an etag); `undefined`: run it again.
   * `reused`: told when the result was given again, with the version that still holds, for a tool that notes what was read.
   */
  readonly remember?: {
    version?(input: JsonObject, cx: CallContext): Promise<string | undefined>
    reused?(input: JsonObject, cx: CallContext, version: string | undefined): void
  }
  /**
   * Goes on behind the session: the model gets the number of the job at once, and its result when it is done. Where there is no queue it runs like
   * any other. Default false.
   */
  readonly background?: boolean
  /**
   * Asked when the process died while a call ran that may not be repeated: did it take effect? `cx.idempotencyKey` is the one it had. Without this,
   * and when it throws, nobody can say.
   */
  reconcile?(input: JsonObject, cx: CallContext): Promise<'ran' | 'not-run' | 'unknown'>
  /** Which parts of the arguments do what, for the person who is asked. Must not throw. */
  marks?(input: JsonObject): readonly ArgumentMark[]
  /** Business rule, before approval. Throws to refuse: an AdjutantError, or an Error whose message the model reads. */
  check?(input: JsonObject, cx: CallContext): Promise<void>
  execute(input: JsonObject, cx: CallContext): Execution
  /**
   * A session in which it ran is over: lets go of what it keeps for that session, e.g. a box or a connection. Called once; tools that share it are
   * called once together. The session waits for it.
   */
  endSession?(sessionId: SessionId): Promise<void>
  /** Turns the value into what the model reads. Default: a string as it is, else JSON. */
  format?(output: unknown, input: JsonObject): string | readonly ContentPart[]
}
