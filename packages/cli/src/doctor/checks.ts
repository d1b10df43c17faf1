/** The checks of `adjutant doctor`. Each tries the thing itself and cleans up after it. */
import { constants } from 'node:fs'
import { access, mkdtemp, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AdjutantError, namespacesUsage } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import type { SharedOptions } from '../commands/shared-options.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { openToolbox } from '../config/open-toolbox.ts'
import { capabilitiesOf } from '../terminal/capabilities.ts'

export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do about it. */
  readonly fix?: string
}

const NEEDED_NODE = [22, 19] as const

const KEYS = {
  OPENAI_API_KEY: 'openai:NAME and openai-responses:NAME',
  ANTHROPIC_API_KEY: 'anthropic:NAME',
  GEMINI_API_KEY: 'gemini:NAME',
} as const

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])
  return {
    name: 'node',
    ok,
    detail: `${process.versions.node} at ${process.execPath}`,
    ...(ok ? {} : { fix: `Install Node ${NEEDED_NODE.join('.')} or newer.` }),
  }
}

async function checkWorkspace(workspace: string): Promise<Check> {
  const name = 'workspace'
  try {
    if (!(await stat(workspace)).isDirectory())
      return { name, ok: false, detail: `${workspace} is not a folder`, fix: 'Name a folder with --workspace.' }
    const probe = await mkdtemp(join(workspace, '.adjutant-probe-'))
    await rm(probe, { recursive: true })
    return { name, ok: true, detail: `${workspace} can be written` }
  } catch (error) {
    return {
      name,
      ok: false,
      detail: messageOf(error),
      fix: 'Make the folder and give yourself the right to write there, or name another with --workspace.',
    }
  }
}

/** The folder is made by the first session; here only whether it could be. */
async function checkSessionsFolder(folder: string): Promise<Check> {
  const name = 'sessions folder'
  for (let here = folder; ; here = dirname(here)) {
    const found = await stat(here).catch(() => undefined)
    if (found === undefined && here !== dirname(here)) continue
    if (found?.isDirectory() !== true)
      return { name, ok: false, detail: `${here} is not a folder`, fix: 'Name another with "sessionsFolder" in the configuration.' }
    try {
      await access(here, constants.W_OK | constants.X_OK)
      return { name, ok: true, detail: here === folder ? `${folder} can be written` : `${folder} (is made by the first session)` }
    } catch (error) {
      return {
        name,
        ok: false,
        detail: messageOf(error),
        fix: 'Give yourself the right to write there, or name another with "sessionsFolder".',
      }
    }
  }
}

/** How much sessions keep. Nothing of it is a fault. */
async function checkKept({ sessionsFolder, sessions }: Config): Promise<Check> {
  const name = 'kept'
  try {
    const { sessions: count, bytes, files, oldestAt, more: moreThere } = await namespacesUsage(sessionsFolder)
    if (count === 0) return { name, ok: true, detail: `no session in ${sessionsFolder}` }
    const since = oldestAt === undefined ? '' : `, the first of ${new Date(oldestAt).toISOString().slice(0, 10)}`
    const size = `${moreThere ? 'more than ' : ''}${(bytes / 1_048_576).toFixed(1)} MB in ${files} files`
    const detail = `${count} session${count === 1 ? '' : 's'} in ${sessionsFolder}: ${size}${since}`
    if (sessions.keepDays !== undefined) {
      const days = `${sessions.keepDays} day${sessions.keepDays === 1 ? '' : 's'}`
      return { name, ok: true, detail: `${detail}; removed ${days} after they changed last` }
    }
    return { name, ok: true, detail: `${detail}; nothing is ever removed`, fix: 'To have old ones removed: "sessions: { keepDays: 30 }".' }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error), fix: 'Give yourself the right to read there.' }
  }
}

async function checkSqlite(): Promise<Check> {
  const name = 'sqlite'
  try {
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(':memory:')
    try {
      const row: unknown = database.prepare('select sqlite_version() as version').get()
      const version = typeof row === 'object' && row !== null && 'version' in row ? String(row.version) : 'of unknown version'
      return { name, ok: true, detail: `SQLite ${version}, opened` }
    } finally {
      database.close()
    }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error), fix: 'Use a Node that has node:sqlite (22.19 or newer).' }
  }
}

function checkKeys(env: CliIo['env']): readonly Check[] {
  return Object.entries(KEYS).map(([name, spec]) => {
    const there = env[name] !== undefined && env[name] !== ''
    // Not an error: who uses another provider, a local model or a recording needs none.
    return there
      ? { name, ok: true, detail: `set; ${spec} can be used` }
      : { name, ok: true, detail: 'not set', fix: `To use ${spec}: export ${name}=…` }
  })
}

function checkTerminal(io: CliIo): Check {
  const can = capabilitiesOf(io)
  const said = [
    can.person ? 'a person can be asked' : 'nobody can be asked (stdin or stderr is no terminal): --approve ask denies',
    can.live ? 'live lines' : 'plain lines',
    can.colour ? 'colours' : 'no colours',
    can.unicode ? 'Unicode' : 'ASCII',
    `${can.columns} columns`,
  ]
  return { name: 'terminal', ok: true, detail: said.join(', ') }
}

export async function checkEnvironment(io: CliIo, config: Config | undefined): Promise<readonly Check[]> {
  return [
    checkNode(),
    await checkWorkspace(config?.workspace ?? io.cwd),
    ...(config === undefined ? [] : [await checkSessionsFolder(config.sessionsFolder), await checkKept(config)]),
    await checkSqlite(),
    checkTerminal(io),
    ...checkKeys(io.env),
  ]
}

export async function checkConfiguration(io: CliIo, shared: SharedOptions): Promise<{ readonly check: Check; readonly config?: Config }> {
  const name = 'config'
  try {
    const config = await loadConfig(io, shared.config, { workspace: shared.workspace })
    const note = config.notes[0]
    return {
      config,
      check: {
        name,
        ok: note === undefined,
        detail: config.file === undefined ? 'none in this folder: all defaults' : `${config.file} is valid`,
        ...(note === undefined ? {} : { fix: note }),
      },
    }
  } catch (error) {
    if (!AdjutantError.isInstance(error)) throw error
    return { check: { name, ok: false, detail: error.message, fix: error.hint } }
  }
}

/** Starts what the configuration names, and ends it again. */
export async function checkToolbox(io: CliIo, config: Config): Promise<readonly Check[]> {
  let toolbox: Awaited<ReturnType<typeof openToolbox>>
  try {
    toolbox = await openToolbox(config, io, { quiet: true, startAll: true })
  } catch (error) {
    if (!AdjutantError.isInstance(error) || error.code === 'CANCELLED') throw error
    return [{ name: 'tools', ok: false, detail: error.message, fix: error.hint }]
  }
  try {
    const { problems, servers, skills, tools } = toolbox
    const checks: Check[] = servers.map(({ name, ok, tools: count }) => {
      const own = problems.filter((problem) => problem.source === name)
      const [first, ...rest] = own
      const started = ok ? `started, ${count} tool${count === 1 ? '' : 's'}` : 'did not start'
      if (first === undefined) return { name: `mcp ${name}`, ok, detail: started }
      return { name: `mcp ${name}`, ok: false, detail: `${started}: ${first.message}${more(rest.length)}`, fix: first.hint }
    })
    for (const [name, server] of Object.entries(config.mcpServers)) {
      if (server.disabled === true) checks.push({ name: `mcp ${name}`, ok: true, detail: 'disabled in the configuration' })
    }
    const others = problems.filter((problem) => !servers.some(({ name }) => name === problem.source))
    checks.push(...folderChecks('skills', config.skills, others, `${skills.length} skill${skills.length === 1 ? '' : 's'} in all`))
    checks.push(...folderChecks('modules', config.modules, others, 'loaded'))
    checks.push(...folderChecks('functions', config.functions, others, 'loaded'))
    const folders = [...config.skills, ...config.modules, ...config.functions]
    for (const problem of others) {
      if (!folders.some((folder) => problem.source.startsWith(folder))) {
        checks.push({ name: problem.tool ?? problem.source, ok: false, detail: problem.message, fix: problem.hint })
      }
    }
    checks.push({ name: 'tools', ok: true, detail: `${tools.size} tools can be called` })
    return checks
  } finally {
    await toolbox.close()
  }
}

function more(count: number): string {
  return count === 0 ? '' : ` (and ${count} more)`
}

interface Told {
  readonly source: string
  readonly message: string
  readonly hint: string
}

function folderChecks(kind: string, folders: readonly string[], problems: readonly Told[], fine: string): readonly Check[] {
  return folders.map((folder) => {
    const [first, ...rest] = problems.filter((problem) => problem.source.startsWith(folder))
    const name = `${kind} ${folder}`
    return first === undefined
      ? { name, ok: true, detail: fine }
      : { name, ok: false, detail: `${first.message}${more(rest.length)}`, fix: first.hint }
  })
}
