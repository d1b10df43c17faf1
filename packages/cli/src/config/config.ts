/** The shapes of a configuration: as written ({@link RawConfig}, what config.schema.json describes) and as used ({@link Config}). */
import type { OAuthSettings, PinMode } from '@adjutant/core/mcp'

export type ApproveMode = 'ask' | 'allow' | 'deny'

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
}

export interface CatalogConfig {
  readonly disclosure?: 'auto' | 'on' | 'off'
  readonly aboveTools?: number
  readonly maxTools?: number
  readonly maxTokens?: number
  readonly notLoaded?: 'explain' | 'run'
  readonly skillLimits?: 'show' | 'enforce'
}

export interface RawConfig {
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
  }
  readonly earlyStart?: boolean
  readonly roles?: Readonly<Record<string, readonly string[]>>
  readonly role?: string | readonly string[]
  readonly catalog?: CatalogConfig
  readonly skills?: readonly string[]
  readonly databases?: Readonly<Record<string, string>>
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
  readonly skills: readonly string[]
  readonly databases: Readonly<Record<string, string>>
  readonly mcpServers: Readonly<Record<string, RawMcpServer>>
  /** Which tools each role may use; absent: everybody may use all. */
  readonly roles?: Readonly<Record<string, readonly string[]>>
  /** The roles of the person at this terminal, where `--role` names none. */
  readonly role: readonly string[]
  readonly catalog: CatalogConfig
  readonly earlyStart: boolean
  /** Not wrong enough to stop: said on stderr, listed by doctor. */
  readonly notes: readonly string[]
}
