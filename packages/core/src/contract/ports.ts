/**
 * What the core needs from outside, as interfaces. Each has an adapter in core for one-process use and one conformance suite
 * in @adjutant/testkit that every adapter passes. Ports of later rooms (sandbox, job queue) come with those rooms.
 */
import type { AdmittedCall } from './call.ts'
import type { DecodeEvent } from './decode.ts'
import type { StepRecord } from './events.ts'
import type { ApprovalId, CallId, SessionId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { Message, ToolDefinition } from './messages.ts'
import type { PolicyDecision, SavedTier } from './policy.ts'

/** Time. Logic never calls `Date.now()` or `setTimeout` itself. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds that only grow; for durations. */
  monotonic(): number
  /** Calls back once after `ms`. The returned function takes it back; calling it twice is harmless. */
  after(ms: number, callback: () => void): () => void
}

/** Ids and randomness. */
export interface IdSource {
  /** A new id with this prefix, e.g. `call_01J…`. Never the same twice in a process. */
  next(prefix: string): string
  /** 32 hex digits. */
  traceId(): string
}

/** A question to a person, from a tool. */
export interface Question {
  readonly text: string
  /** Where given, the answer is one of these. */
  readonly choices?: readonly string[]
  /** Taken on an empty answer. */
  readonly fallback?: string
}

/** A held call, shown to whoever decides. */
export interface ApprovalRequest {
  readonly id: ApprovalId
  readonly sessionId: SessionId
  readonly call: AdmittedCall
  /** Why a person is asked. */
  readonly reason: string
  /** The arguments as they are shown, where they hold a secret: it is taken out. What runs is `call.input`. */
  readonly shown?: JsonObject
  /** The rule of the policy that asks; absent when the mode does. */
  readonly decision?: PolicyDecision
  /** Other held calls with the very same binding: they get the same answer, save an edit. Default: none. */
  readonly identical?: readonly CallId[]
  /** Other held calls of the same tool and effect: `matching` lets them all run. The person must be shown them. Default: none. */
  readonly matching?: readonly AdmittedCall[]
  /** Where an answer for always can be kept so that it has an effect. Default: nowhere. */
  readonly saveTo?: readonly SavedTier[]
}

export type ApprovalDecision =
  /**
   * `once`: this call; `matching`: this call and all that the request lists as matching; `call`: these very arguments for the rest of the
   * session; `tool`: this tool for the rest of the session.
   */
  | { readonly type: 'approve'; readonly scope: 'once' | 'matching' | 'call' | 'tool' }
  /** For always: kept as a rule of the project's or the user's policy, for these arguments or for the tool with this effect. */
  | { readonly type: 'approve'; readonly scope: 'always'; readonly of: 'call' | 'tool'; readonly tier: SavedTier }
  /** Run with these arguments instead: they are validated, classified and held again like new ones, but not asked again. */
  | { readonly type: 'edit'; readonly input: JsonObject }
  /** `by: 'policy'` when nobody was there to ask. */
  | { readonly type: 'deny'; readonly reason?: string; readonly by?: 'person' | 'policy' }

/** Whoever decides on held calls. */
export interface Approver {
  /** Rejects only when `signal` aborts. Called with the interaction lock held. */
  decide(request: ApprovalRequest, options: { readonly signal: AbortSignal }): Promise<ApprovalDecision>
}

/** Whoever answers a tool's questions. */
export interface Asker {
  /** @throws AdjutantError QUESTION_UNANSWERED when there is nobody */
  ask(question: Question, options: { readonly signal: AbortSignal }): Promise<string>
}

/** The files of one session: a folder nobody else's path, link or id reaches. */
export interface Namespace {
  readonly sessionId: SessionId
  /** Absolute path of the session's folder; made on first use, mode 0700. */
  directory(): Promise<string>
  /** Absolute path of `name` inside it (folders made); symbolic links resolved. @throws AdjutantError NAMESPACE_ESCAPE */
  path(name: string): Promise<string>
  /** An unguessable name for `value`, good for this session only, also in a later process. @throws TypeError for a kind or value that cannot be named */
  issueHandle(kind: string, value: string): Promise<string>
  /** What it names. @throws AdjutantError NAMESPACE_ESCAPE when it is not of this session and kind */
  readHandle(kind: string, handle: string): Promise<string>
}

/** Each step of a session, written as it happens, read back in order (E9). */
export interface SessionStore {
  append(sessionId: SessionId, record: StepRecord): Promise<void>
  /** Every record of the session in order; an unknown session gives none. */
  read(sessionId: SessionId): AsyncIterable<StepRecord>
}

/** A skill as a store keeps it. */
export interface StoredSkill {
  /** What the store finds it by. */
  readonly key: string
  /** The whole SKILL.md. */
  readonly text: string
  /** Names of the files beside it, with `/`. */
  readonly files: readonly string[]
}

/** Skills kept elsewhere than in folders, e.g. in a database (A4). */
export interface SkillStore {
  /** All of them, in the order in which the earlier one wins a name. */
  skills(): Promise<readonly StoredSkill[]>
  /** One bundled file. @throws AdjutantError NOT_FOUND */
  readFile(key: string, path: string): Promise<Uint8Array>
}

export interface ModelRequest {
  readonly system?: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** `none` on the last round: answer from what is known. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none'
  readonly maxOutputTokens?: number
  /** Also events on arguments that are still being written. Default false. */
  readonly signals?: boolean
}

/** A model behind a provider's wire. */
export interface Model {
  /** For people and records, e.g. `openai:gpt-5`. */
  readonly name: string
  /** Streams one answer as decode events; ends with exactly one `end`. @throws AdjutantError MODEL_FAILED, MODEL_UNAVAILABLE, STREAM_BROKEN, CANCELLED */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<DecodeEvent>
}

/** Turns texts into vectors that lie near each other when the texts mean alike. */
export interface Embedder {
  /** Length of every vector. */
  readonly dimensions: number
  /**
   * One vector for each text, in their order. Any text is taken, also an empty one.
   *
   * @throws AdjutantError MODEL_FAILED, MODEL_UNAVAILABLE, CANCELLED
   */
  embed(texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<readonly Float32Array[]>
}
