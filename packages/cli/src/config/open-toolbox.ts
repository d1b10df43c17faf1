/**
 * Owns everything a session can call: built-in tools, module folders, skills and MCP servers in one registry. What does not start is
 * reported with its place and the next step, and the rest works. Servers are started beside each other; `close` ends all of them.
 */
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import {
  AdjutantError,
  type AgentTool,
  type Clock,
  loadModuleFolder,
  loadSkills,
  Registry,
  type RegistryProblem,
  type Skill,
  systemClock,
  type ToolSnapshot,
} from '@adjutant/core'
import type { McpConnection, McpServerConfig } from '@adjutant/core/mcp'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { builtInTools } from './built-in-tools.ts'
import type { Config, RawMcpServer } from './config.ts'
import { openSkillPlaces } from './skill-places.ts'
import { watchFolders } from './watch-folders.ts'

interface ServerReport {
  readonly name: string
  readonly ok: boolean
  /** Tools that the server has. */
  readonly tools: number
}

export interface Toolbox {
  readonly tools: ToolSnapshot
  readonly skills: readonly Skill[]
  readonly servers: readonly ServerReport[]
  /** What was left out, and why; said by {@link openToolbox} itself unless `quiet`. */
  readonly problems: readonly RegistryProblem[]
  /** Reads skills anew when their files change, and tells the tools that there are then. Ends with `close`. */
  watch(changed: (tools: ToolSnapshot) => void): void
  /** Ends servers and connections. Safe to call twice. */
  close(): Promise<void>
}

export interface ToolboxOptions {
  readonly clock?: Clock
  /** Do not write the problems to stderr: the caller shows them itself. */
  readonly quiet?: boolean
}

function serverConfig(name: string, server: RawMcpServer): McpServerConfig {
  const timeout = server.timeoutMs === undefined ? {} : { timeoutMs: server.timeoutMs }
  if (server.type === 'sse') {
    throw new AdjutantError('UNSUPPORTED', `the server ${name} asks for the old HTTP+SSE transport`, {
      hint: 'Give the address of its Streamable HTTP endpoint and leave "type" out.',
    })
  }
  if (server.url !== undefined) return { url: server.url, ...(server.headers === undefined ? {} : { headers: server.headers }), ...timeout }
  if (server.command === undefined) throw new AdjutantError('CONFIG_INVALID', `the server ${name} has neither "command" nor "url"`)
  return {
    command: server.command,
    ...(server.args === undefined ? {} : { args: server.args }),
    ...(server.env === undefined ? {} : { env: server.env }),
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    ...timeout,
  }
}

interface Started {
  readonly name: string
  readonly connection?: McpConnection
  readonly problem?: RegistryProblem
}

function problemOf(source: string, error: unknown, code: 'MCP_SERVER_UNAVAILABLE' | 'TOOL_INVALID'): RegistryProblem {
  const known = AdjutantError.from(error, code)
  return {
    code: known.code,
    source,
    message: known.message.includes(source) ? known.message : `${source}: ${known.message}`,
    hint: known.hint,
  }
}

async function startServers(config: Config, clock: Clock, signal: AbortSignal): Promise<readonly Started[]> {
  const wanted = Object.entries(config.mcpServers).filter(([, server]) => server.disabled !== true)
  if (wanted.length === 0) return []
  // Imported here: a run without servers does not pay for the client.
  const { connectMcpServer } = await import('@adjutant/core/mcp')
  return Promise.all(
    wanted.map(async ([name, server]): Promise<Started> => {
      try {
        return { name, connection: await connectMcpServer(name, serverConfig(name, server), { clock, signal }) }
      } catch (error) {
        return { name, problem: problemOf(name, error, 'MCP_SERVER_UNAVAILABLE') }
      }
    }),
  )
}

async function checkWorkspace(workspace: string): Promise<void> {
  const found = await stat(workspace).catch(() => undefined)
  if (found?.isDirectory() === true) return
  throw new AdjutantError('CONFIG_INVALID', `the workspace ${workspace} ${found === undefined ? 'does not exist' : 'is not a folder'}`, {
    hint: 'Make the folder, or name another one with --workspace.',
  })
}

/**
 * @throws AdjutantError CONFIG_INVALID when the workspace is no folder, CANCELLED when `io.signal` aborts meanwhile
 */
export async function openToolbox(config: Config, io: Pick<CliIo, 'stderr' | 'signal'>, options: ToolboxOptions = {}): Promise<Toolbox> {
  await checkWorkspace(config.workspace)
  const registry = new Registry()
  const problems: RegistryProblem[] = []
  const closers: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Promise.allSettled(closers.map((end) => end())).then(() => {})
    return closing
  }
  const add = (tools: Iterable<AgentTool>, source: string): void => {
    problems.push(...registry.add(tools, source))
  }

  const skillPlaces = await openSkillPlaces(config.skills, { workspace: config.workspace, home: homedir() })
  closers.push(async () => skillPlaces.close())
  const [builtIn, modules, skills, servers] = await Promise.all([
    builtInTools(config),
    Promise.all(
      config.modules.map((folder) =>
        loadModuleFolder(folder).catch((error: unknown) => ({ tools: [], problems: [problemOf(folder, error, 'TOOL_INVALID')] })),
      ),
    ),
    loadSkills(skillPlaces.places),
    startServers(config, options.clock ?? systemClock, io.signal),
  ])
  closers.push(builtIn.close)
  for (const { connection } of servers) if (connection !== undefined) closers.push(() => connection.close())
  if (io.signal.aborted) {
    await close()
    throw new AdjutantError('CANCELLED', 'stopped while the tools were being started')
  }
  // The order decides who keeps a name that two claim.
  add(builtIn.tools, 'built-in')
  problems.push(...builtIn.problems)
  for (const [index, report] of modules.entries()) {
    problems.push(...report.problems)
    add(report.tools, config.modules[index] ?? 'modules')
  }
  problems.push(...skillPlaces.problems, ...skills.problems)
  add(skills.tools, 'skills')
  for (const { name, connection, problem } of servers) {
    if (problem !== undefined) problems.push(problem)
    if (connection === undefined) continue
    problems.push(...connection.problems)
    add(connection.tools, name)
  }
  if (options.quiet !== true) {
    for (const note of config.notes) io.stderr.write(`! ${printableLine(note)}\n`)
    for (const problem of problems)
      io.stderr.write(`! ${printableLine(`${problem.code}: ${problem.message}`)}\n  ${printableLine(problem.hint)}\n`)
  }
  return {
    tools: registry.snapshot(),
    skills: skills.skills,
    servers: servers.map(({ name, connection }) => ({ name, ok: connection !== undefined, tools: connection?.tools.length ?? 0 })),
    problems,
    watch(changed) {
      if (skillPlaces.folders.length === 0) return
      const reload = async (): Promise<void> => {
        const { tools } = await loadSkills(skillPlaces.places)
        registry.remove('skills')
        registry.add(tools, 'skills')
        changed(registry.snapshot())
      }
      const stop = watchFolders(skillPlaces.folders, options.clock ?? systemClock, () => void reload())
      closers.push(async () => stop())
    },
    close,
  }
}
