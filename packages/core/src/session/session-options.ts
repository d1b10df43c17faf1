import type { BudgetLimits } from '../admission/budget/budget.ts'
import type { Pricing } from '../admission/budget/pricing.ts'
import type { RateLimiter } from '../admission/budget/rate-limiter.ts'
import type { LoopGuardOptions } from '../admission/loop-guard/limits.ts'
import type { CatalogOptions } from '../catalog/catalog.ts'
import type { EventSink } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { JobQueue } from '../contract/job.ts'
import type { SessionObserver } from '../contract/observe.ts'
import type { ApprovalMode, Policy, PolicyKeeper } from '../contract/policy.ts'
import type { Approver, Asker, Clock, IdSource, SessionStore } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { Redactor } from '../contract/redact.ts'
import type { InteractionLock } from '../dispatch/interaction-lock.ts'
import type { ResultCache } from '../execution/cache.ts'
import type { NamespaceOptions } from '../execution/namespace.ts'
import type { OriginGuards } from '../execution/origins.ts'
import type { ToolSnapshot } from '../registry/snapshot.ts'
import type { HintLanguage } from '../response/hints/hint.ts'
import type { HintDictionary } from '../response/hints/hint-dictionary.ts'
import type { SpillLimits } from '../response/spill-settings.ts'
import type { DurableSide } from './durable/durable-side.ts'
import type { TurnStrategy } from './turn.ts'

export interface SessionOptions {
  readonly tools: ToolSnapshot
  /** The folder below which the session's own folder is made. */
  readonly namespaceRoot: string
  /** What becomes of calls that no rule of the policy speaks of. */
  readonly mode: ApprovalMode
  readonly approver: Approver
  readonly asker: Asker
  /** Default: no rules. Where it is a keeper too, answers for always are kept in it. */
  readonly policy?: Policy | (Policy & PolicyKeeper)
  /** Default: the person at this terminal. */
  readonly principal?: Principal
  /** Default: a new one. */
  readonly id?: SessionId
  readonly clock?: Clock
  readonly ids?: IdSource
  readonly events?: EventSink
  /** Follow the session: audit, trace, metrics. It waits for them at the end of each turn. */
  readonly observers?: readonly SessionObserver[]
  readonly store?: SessionStore
  /** What of the session outlives the process: see openDurableSession, which makes it. Then `store` is not used. */
  readonly durable?: DurableSide
  /** Where calls of tools that go on behind the session become jobs. Default: they run like any other. */
  readonly jobs?: JobQueue
  /** Shared with whoever else writes to the same terminal. Default: one of its own. */
  readonly interaction?: InteractionLock
  readonly strategy?: TurnStrategy
  /** What of the tools the model sees, and when. Default: all that everybody may use, extended ones on demand once there are many. */
  readonly catalog?: SessionCatalogOptions
  /** Whether a complete read may start while the model still writes the rest of its answer. Default true. */
  readonly earlyStart?: boolean
  /** When repeated calls are stopped. Default: see docs/reference/loop-guard.md. `false`: never. */
  readonly loopGuard?: LoopGuardOptions | false
  /** What a run may use up. Default: nothing is limited but the rounds of the agent loop. */
  readonly budget?: BudgetLimits
  /** What tokens cost, for a budget of money. */
  readonly pricing?: Pricing
  /** Shared by the sessions of a process. Default: one of its own, for the rates that tools declare. */
  readonly rates?: RateLimiter
  /** Shared by the sessions of a process. Default: one of its own. */
  readonly cache?: ResultCache
  /** Shared by the sessions of a process. Default: of its own. */
  readonly origins?: OriginGuards
  /** Takes secrets out of results. Default: known forms of secrets and the values of this process's environment whose names say so. `false`: nothing. */
  readonly redactor?: Redactor | false
  /**
   * Where the model is told what the marks around text of strangers mean: with the first such result of the session, or `none` here, for a system
   * prompt that has {@link fenceNote} in it. Default `first-result`.
   */
  readonly fenceNote?: 'first-result' | 'none'
  /** Recognises failures. Default: the built-in dictionary. */
  readonly hints?: HintDictionary
  /** In which language hints about failures are. Default `en`. */
  readonly hintLanguage?: HintLanguage
  /** Of all files of the session together. Default 1 073 741 824 bytes (1 GiB), 100 000 files and folders. */
  readonly quota?: Pick<NamespaceOptions, 'maxBytes' | 'maxFiles'>
  /** What is kept of results that were too long: see {@link SPILL_LIMITS} for the defaults. */
  readonly results?: Partial<SpillLimits>
  readonly limits?: {
    /** Reads in flight at once. Default 10. */
    readonly concurrency?: number
    /** Characters of a result that reach the model. Default 8 000. */
    readonly resultChars?: number
    /** Milliseconds for a call whose tool sets no limit. Default 60 000. */
    readonly timeoutMs?: number
    /** Milliseconds that a question to a person stays open. Default: as long as it takes. */
    readonly approvalTimeoutMs?: number
    /** Further attempts of a call that may be repeated and whose tool sets no limit. Default 2. */
    readonly retries?: number
  }
}

/** The catalogue's options that are not the session's own business. */
export type SessionCatalogOptions = Omit<CatalogOptions, 'principal' | 'search' | 'loaded' | 'unloaded'> & {
  /** Finds tools, e.g. by meaning as well. Default: by words, with an index that sessions share. */
  readonly search?: CatalogOptions['search']
}
