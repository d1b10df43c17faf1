/** The shapes of a configuration: as written ({@link RawConfig}, what config.schema.json describes) and as used ({@link Config}). */
import type {
  ApprovalMode,
  AuditSync,
  BudgetLimits,
  HintLanguage,
  LoopGuardOptions,
  OriginRule,
  RateRule,
  ToolLimits,
  TurnStrategy,
} from '@adjutant/core'
import type { SandboxGuarantee, SandboxLimits } from '@adjutant/core/contract'
import type { OAuthSettings, PinMode } from '@adjutant/core/mcp'
import type { NotifySettings } from '@adjutant/store'
import type { AuditConfig } from './audit-folder.ts'
import type { SandboxConfig } from './sandbox-config.ts'
import type { WorkspaceAsk } from './workspace-settings.ts'

export type ApproveMode = ApprovalMode

export interface RawMcpServer {
  readonly type?: 'stdio' | 'http' | 'streamable-http' | 'streamableHttp' | 'sse'
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly oauth?: boolean | OAuthSettings
  readonly timeoutMs?: number
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly concurrency?: number
  readonly lazy?: boolean
  readonly pin?: PinMode | 'off'
  /** True: the workspace. */
  readonly roots?: boolean | readonly string[]
  readonly disabled?: boolean
}

interface Limits {
  readonly concurrency?: number
  readonly resultChars?: number
  readonly timeoutMs?: number
  readonly approvalTimeoutMs?: number
  readonly retries?: number
}

/** An argument of other people's tools that is a command: the effect of a call is what the command does. */
export interface CommandConfig {
  /** Patterns over tool names. */
  readonly tools: readonly string[]
  /** Name of the argument, or a JSON Pointer. */
  readonly argument: string
  readonly language: 'bash' | 'sql' | 'sql:postgresql' | 'sql:sqlite'
}

export interface RedactConfig {
  readonly values?: readonly string[]
  /** Whether values of this process's environment whose names say that they are secret count. Default true. */
  readonly environment?: boolean
  readonly rules?: 'recommended' | 'off'
  readonly allow?: readonly string[]
}

/** In the currency that the host counts in. */
export interface BudgetConfig extends Pick<BudgetLimits, 'rounds' | 'calls' | 'tokens'> {
  readonly seconds?: number
  readonly money?: number
}

/** Price of a million tokens. */
interface PricingConfig {
  readonly input: number
  readonly output: number
}

/** Code of the model, in boxes: see docs/guides/code.md. */
export interface CodeConfig {
  /** Backends, best first. */
  readonly order?: readonly string[]
  readonly requires?: readonly SandboxGuarantee[]
  /** `box`: each session has a folder that goes with it; `project`: the workspace itself. Default `box`. */
  readonly workspace?: 'box' | 'project'
  /** Hosts that code may reach. Default: none. */
  readonly network?: readonly string[]
  readonly limits?: Partial<SandboxLimits>
  readonly idleMs?: number
  readonly maxBoxes?: number
  /** Calls that may wait while all boxes are busy. */
  readonly maxWaiting?: number
}

/** A PostgreSQL database of sql_query. */
export interface PostgresConfig {
  readonly url: string
  readonly statementTimeoutMs?: number
  readonly maxRows?: number
  readonly schemas?: readonly string[]
  readonly functions?: readonly string[]
  readonly connections?: number
  readonly idleMs?: number
  /** File with certificates in PEM; in a {@link Config} its absolute path. */
  readonly ca?: string
}

interface HttpConfig {
  readonly methods?: readonly ('GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]
  readonly trustedHosts?: readonly string[]
  readonly timeoutMs?: number
  readonly maxBytes?: number
  readonly redirects?: 'any-host' | 'same-host'
  readonly userAgent?: string
}

/** What protects the world from the model and the model from the world. */
export interface GuardConfig {
  readonly strategy?: TurnStrategy
  readonly toolLimits?: Readonly<Record<string, ToolLimits>>
  readonly untrusted?: readonly string[]
  readonly commands?: readonly CommandConfig[]
  readonly loopGuard?: false | Omit<LoopGuardOptions, 'clock'>
  readonly budget?: BudgetConfig
  readonly pricing?: PricingConfig
  readonly rates?: readonly RateRule[]
  readonly ratesUnanswered?: 'refuse' | 'reads'
  readonly origins?: readonly OriginRule[]
  readonly redact?: false | RedactConfig
}

export interface CatalogConfig {
  readonly disclosure?: 'auto' | 'on' | 'off'
  readonly aboveTools?: number
  readonly maxTools?: number
  readonly maxTokens?: number
  readonly notLoaded?: 'explain' | 'run'
  readonly skillLimits?: 'show' | 'enforce'
}

/** What is kept of sessions that are over, and how much one may keep. */
export interface SessionsConfig {
  /** Days since anything of a session changed, after which it is removed. Default: none is. */
  readonly keepDays?: number
  /** Of whole results that one session keeps; the oldest go first. Default 1 024. */
  readonly maxMB?: number
  /** Number of them. Default 1 000. */
  readonly maxFiles?: number
}

/** Where what outlives the process is kept: see docs/guides/approvals.md. */
export interface StoreConfig {
  /** `sqlite:FILE`, a path that ends in `.db`, or `postgres://…`. In a {@link Config} a path is absolute. */
  readonly url: string
  /** Keys for what is kept: each `id:` and 32 bytes in base64. All open, the first one seals. */
  readonly encryptionKeys?: readonly string[]
}

/** Who is told of what: see docs/guides/notifications.md. In a {@link Config} paths of certificates are absolute. */
export type NotifyConfig = Extract<NotifySettings, { readonly webhook: unknown } | { readonly email: unknown }>

export interface RawConfig extends GuardConfig {
  readonly store?: string | StoreConfig
  readonly notify?: readonly NotifyConfig[]
  readonly policy?: string | readonly string[]
  readonly audit?: boolean | string | AuditConfig
  readonly hints?: readonly string[]
  readonly hintLanguage?: HintLanguage
  readonly sandbox?: SandboxConfig
  readonly sessions?: SessionsConfig
  readonly model?: string
  readonly workspace?: string
  readonly system?: string
  readonly approve?: ApproveMode
  readonly maxRounds?: number
  readonly sessionsFolder?: string
  readonly limits?: Limits
  readonly tools?: {
    readonly builtin?: boolean | readonly string[]
    readonly modules?: readonly string[]
    readonly functions?: readonly string[]
    readonly code?: boolean | CodeConfig
    readonly http?: boolean | HttpConfig
  }
  readonly earlyStart?: boolean
  readonly roles?: Readonly<Record<string, readonly string[]>>
  readonly role?: string | readonly string[]
  readonly catalog?: CatalogConfig
  readonly skills?: readonly string[]
  /** A text: a SQLite file, or the address of a PostgreSQL database. */
  readonly databases?: Readonly<Record<string, string | PostgresConfig>>
  readonly mcpServers?: Readonly<Record<string, RawMcpServer>>
}

/** Ready for use: paths absolute, variables expanded, defaults filled in. */
export interface Config {
  /** Absolute path of the file; absent when there was none and everything is a default. */
  readonly file?: string
  readonly model?: string
  readonly workspace: string
  readonly system?: string
  readonly approve: ApproveMode
  /** Whether `approve` was written, or is the default. */
  readonly approveGiven: boolean
  readonly maxRounds: number
  readonly sessionsFolder: string
  readonly limits: Limits
  readonly builtin: boolean | readonly string[]
  readonly modules: readonly string[]
  readonly functions: readonly string[]
  readonly code: boolean | CodeConfig
  readonly http: boolean | HttpConfig
  /** How boxes are made, for whoever makes one. */
  readonly sandbox: SandboxConfig
  readonly sessions: SessionsConfig
  /** Absent: nobody said, and sessions are kept as files. */
  readonly store?: StoreConfig
  readonly notify: readonly NotifyConfig[]
  readonly skills: readonly string[]
  /** A text: absolute path of a SQLite file. */
  readonly databases: Readonly<Record<string, string | PostgresConfig>>
  readonly mcpServers: Readonly<Record<string, RawMcpServer>>
  /** Which tools each role may use; absent: everybody may use all. */
  readonly roles?: Readonly<Record<string, readonly string[]>>
  /** The roles of the person at this terminal, where `--role` names none. */
  readonly role: readonly string[]
  readonly catalog: CatalogConfig
  readonly earlyStart: boolean
  readonly guards: GuardConfig
  /** Absolute paths of policy documents that the configuration names, beside those in the usual places. */
  readonly policy: readonly string[]
  /** Absolute path of the folder that audit records are kept in; absent: none are. */
  readonly auditFolder?: string
  readonly auditSync?: AuditSync
  /** Sessions with a store have their audit records there. */
  readonly auditInStore?: boolean
  /** Absolute paths of dictionaries of failures. */
  readonly hints: readonly string[]
  readonly hintLanguage?: HintLanguage
  /** What the file of a workspace does beyond the usual, whether or not somebody agreed to it. */
  readonly asks: readonly WorkspaceAsk[]
  /** Not wrong enough to stop: said on stderr, listed by doctor. */
  readonly notes: readonly string[]
}
