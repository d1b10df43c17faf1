/** Finds, reads, expands and checks the configuration: the only way to a {@link Config}. */
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { AdjutantError } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import { type AuditConfig, auditFolderBeside } from './audit-folder.ts'
import { checkConfig } from './check-config.ts'
import type { Config, GuardConfig, PostgresConfig, RawConfig } from './config.ts'
import { type ConfigDocument, readConfigDocument } from './config-document.ts'
import { expandVariables } from './expand-variables.ts'
import { findConfig } from './find-config.ts'
import { absoluteNotify } from './notify-targets.ts'
import { isPostgresAddress } from './postgres-address.ts'
import { checkSandbox, type SandboxConfig } from './sandbox-config.ts'
import { defaultSessionsFolder, isInside } from './sessions-folder.ts'
import { absoluteSkillEntry } from './skill-places.ts'
import { storeConfig } from './store-place.ts'
import { admitSettings, askNotes, type WorkspaceAsk } from './workspace-settings.ts'

/** Files that belong to other MCP hosts and hold more than is known here. */
const FOREIGN = /(^|\.)mcp\.json$|^claude_desktop_config\.json$|^mcp_config\.json$/

export interface ConfigChoices {
  /** From `--workspace`, relative to the folder the command is run in; goes before the file's. */
  readonly workspace?: string | undefined
}

function isForeign(file: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('mcpServers' in value)) return false
  if (FOREIGN.test(basename(file))) return true
  return !basename(file).startsWith('adjutant.') && file.endsWith('.json') && Object.keys(value).every((key) => key === 'mcpServers')
}

function absolute(path: string, folder: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : isAbsolute(path) ? path : resolve(folder, path)
}

function checkServers(raw: RawConfig, document: ConfigDocument): void {
  for (const [name, server] of Object.entries(raw.mcpServers ?? {})) {
    if ((server.command === undefined) !== (server.url === undefined)) continue
    const said = server.command === undefined ? 'has neither "command" nor "url"' : 'has both "command" and "url"'
    throw new AdjutantError('CONFIG_INVALID', `${document.place(['mcpServers', name])}: mcpServers.${name} ${said}`, {
      hint: 'Write "command" for a server to start, or "url" for one that is running.',
    })
  }
}

function mapValues<T, R>(values: Readonly<Record<string, T>> | undefined, change: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, change(value)]))
}

/**
 * @param file `--config`; default: adjutant.yaml, .yml, .json or .ts in the folder the command is run in, else all defaults
 * @throws AdjutantError CONFIG_INVALID with `file:line:column`
 */
export async function loadConfig(io: Pick<CliIo, 'cwd' | 'env'>, file?: string, choices: ConfigChoices = {}): Promise<Config> {
  const path = file === undefined ? await findConfig(io.cwd) : resolve(io.cwd, file)
  let raw: RawConfig = {}
  let document: ConfigDocument | undefined
  let written: unknown
  const notes: string[] = []
  if (path !== undefined) {
    document = await readConfigDocument(path)
    written = document.value()
    document.replaceStrings((text, place) => expandVariables(text, io.env, place))
    // An empty file is a configuration of defaults.
    const value = document.value() ?? {}
    raw = checkConfig(document, value, isForeign(path, value))
    checkServers(raw, document)
    checkSandbox(raw, document)
  }
  const folder = path === undefined ? io.cwd : dirname(path)
  const from = (relative: string): string => absolute(relative, folder)
  const workspace =
    choices.workspace !== undefined ? resolve(io.cwd, choices.workspace) : raw.workspace === undefined ? io.cwd : from(raw.workspace)
  let asks: readonly WorkspaceAsk[] = []
  if (path !== undefined && document !== undefined) {
    const origin = { file: path, workspace, named: file !== undefined, workspaceNamed: choices.workspace !== undefined }
    const admitted = await admitSettings(raw, { document, written, origin, env: io.env })
    raw = admitted.raw
    asks = admitted.asks
    notes.push(...askNotes(asks))
  }
  let sessionsFolder: string
  if (raw.sessionsFolder === undefined) {
    const chosen = defaultSessionsFolder(io.env, workspace)
    if (chosen.note !== undefined) notes.push(chosen.note)
    sessionsFolder = chosen.path
  } else {
    sessionsFolder = from(raw.sessionsFolder)
    if (isInside(sessionsFolder, workspace)) {
      const place = document?.place(['sessionsFolder']) ?? 'sessionsFolder'
      throw new AdjutantError('CONFIG_INVALID', `${place}: sessionsFolder ${sessionsFolder} lies in the workspace ${workspace}`, {
        hint: 'Its file tools could read what other sessions keep: name a folder outside it, or leave the key out.',
      })
    }
  }
  return {
    ...(path === undefined ? {} : { file: path }),
    ...(raw.model === undefined ? {} : { model: modelSpec(raw.model, from) }),
    workspace,
    ...(raw.system === undefined ? {} : { system: raw.system }),
    approve: raw.approve ?? 'ask',
    approveGiven: raw.approve !== undefined,
    maxRounds: raw.maxRounds ?? 8,
    sessionsFolder,
    limits: raw.limits ?? {},
    builtin: raw.tools?.builtin ?? true,
    modules: (raw.tools?.modules ?? []).map(from),
    functions: (raw.tools?.functions ?? []).map(from),
    code: raw.tools?.code ?? false,
    http: raw.tools?.http ?? false,
    sandbox: sandboxOf(raw.sandbox ?? {}, from),
    sessions: raw.sessions ?? {},
    skills: (raw.skills ?? []).map((entry) => absoluteSkillEntry(entry, from)),
    databases: mapValues(raw.databases, (database) => databaseOf(database, from)),
    mcpServers: mapValues(raw.mcpServers, (server) => ({
      ...server,
      ...(typeof server.roots === 'object' ? { roots: server.roots.map(from) } : {}),
      ...(server.command === undefined ? {} : { cwd: server.cwd === undefined ? folder : from(server.cwd) }),
    })),
    ...(raw.roles === undefined ? {} : { roles: raw.roles }),
    role: typeof raw.role === 'string' ? [raw.role] : (raw.role ?? []),
    catalog: raw.catalog ?? {},
    guards: guardsOf(raw),
    policy: (typeof raw.policy === 'string' ? [raw.policy] : (raw.policy ?? [])).map(from),
    ...auditOf(raw, sessionsFolder, from),
    hints: (raw.hints ?? []).map(from),
    ...(raw.hintLanguage === undefined ? {} : { hintLanguage: raw.hintLanguage }),
    notify: (raw.notify ?? []).map((entry) => absoluteNotify(entry, from)),
    ...(raw.store === undefined ? {} : { store: storeConfig(raw.store, from) }),
    asks,
    earlyStart: raw.earlyStart ?? true,
    notes,
  }
}

function guardsOf(raw: RawConfig): GuardConfig {
  const { strategy, toolLimits, untrusted, commands, loopGuard, budget, pricing, rates, ratesUnanswered, origins, redact } = raw
  return {
    ...(strategy === undefined ? {} : { strategy }),
    ...(toolLimits === undefined ? {} : { toolLimits }),
    ...(untrusted === undefined ? {} : { untrusted }),
    ...(commands === undefined ? {} : { commands }),
    ...(loopGuard === undefined ? {} : { loopGuard }),
    ...(budget === undefined ? {} : { budget }),
    ...(pricing === undefined ? {} : { pricing }),
    ...(rates === undefined ? {} : { rates }),
    ...(ratesUnanswered === undefined ? {} : { ratesUnanswered }),
    ...(origins === undefined ? {} : { origins }),
    ...(redact === undefined ? {} : { redact }),
  }
}

function auditOf(
  { audit }: RawConfig,
  sessionsFolder: string,
  from: (path: string) => string,
): Pick<Config, 'auditFolder' | 'auditSync' | 'auditInStore'> {
  if (audit === false) return {}
  const { folder, sync, store }: AuditConfig = typeof audit === 'string' ? { folder: audit } : typeof audit === 'object' ? audit : {}
  return {
    auditFolder: folder === undefined ? auditFolderBeside(sessionsFolder) : from(folder),
    ...(sync === undefined ? {} : { auditSync: sync }),
    ...(store === undefined ? {} : { auditInStore: store }),
  }
}

/** Paths of this machine made absolute. A key that a variable left empty is none. */
function sandboxOf({ bubblewrap, container, e2b, landlock, ...rest }: SandboxConfig, from: (path: string) => string): SandboxConfig {
  const given = Object.fromEntries(Object.entries(e2b ?? {}).filter(([, value]) => value !== ''))
  return {
    ...rest,
    ...(bubblewrap === undefined ? {} : { bubblewrap: withPaths(bubblewrap, from) }),
    ...(container === undefined ? {} : { container: withPaths(container, from) }),
    ...(landlock === undefined ? {} : { landlock: withPaths(landlock, from) }),
    ...(e2b === undefined ? {} : { e2b: given }),
  }
}

function databaseOf(database: string | PostgresConfig, from: (path: string) => string): string | PostgresConfig {
  if (typeof database === 'string') return isPostgresAddress(database) ? { url: database } : from(database)
  return database.ca === undefined ? database : { ...database, ca: from(database.ca) }
}

const BOX_PATHS = ['path', 'node', 'stateFolder', 'filesFolder', 'socket'] as const

/** A socket may be an address as well. */
function withPaths<T extends Readonly<Partial<Record<(typeof BOX_PATHS)[number], string>>>>(
  settings: T,
  from: (path: string) => string,
): T {
  const changed: Partial<Record<(typeof BOX_PATHS)[number], string>> = {}
  for (const name of BOX_PATHS) {
    const value = settings[name]
    if (value !== undefined && !/^[a-z]+:\/\//.test(value)) changed[name] = from(value)
  }
  return { ...settings, ...changed }
}

/** A recording named in the file stands beside it. */
function modelSpec(spec: string, from: (path: string) => string): string {
  return spec.startsWith('replay:') ? `replay:${from(spec.slice('replay:'.length))}` : spec
}
