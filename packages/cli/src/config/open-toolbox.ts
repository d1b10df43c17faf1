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
  type Principal,
  type ReadCommand,
  Registry,
  type RegistryProblem,
  type Skill,
  systemClock,
  type ToolSnapshot,
} from '@adjutant/core'
import type { McpConnection } from '@adjutant/core/mcp'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { toolAdjuster } from './adjust-tools.ts'
import { builtInTools } from './built-in-tools.ts'
import { commandReaders } from './command-readers.ts'
import type { Config } from './config.ts'
import { functionTools } from './function-tools.ts'
import { startServers } from './mcp-servers.ts'
import { reachingTools } from './reaching-tools.ts'
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
  /**
   * Reads skills anew when their files change, takes what servers change, and tells the tools that there are then. `note` is told what a
   * person should know of it. Ends with `close`.
   */
  watch(changed: (tools: ToolSnapshot) => void, note?: (text: string) => void): void
  /** Ends servers and connections. Safe to call twice. */
  close(): Promise<void>
}

export interface ToolboxOptions {
  readonly clock?: Clock
  /** Do not write the problems to stderr: the caller shows them itself. */
  readonly quiet?: boolean
  /** Start servers too that are otherwise started when they are needed: whoever asks wants to know whether they can be. */
  readonly startAll?: boolean
  /** Whose policy says which hosts a database may be on. Default: with the roles of the configuration. */
  readonly principal?: Principal
}

function problemOf(source: string, error: unknown): RegistryProblem {
  const known = AdjutantError.from(error, 'TOOL_INVALID')
  return {
    code: known.code,
    source,
    message: known.message.includes(source) ? known.message : `${source}: ${known.message}`,
    hint: known.hint,
  }
}

/** Only where the readers are missing, and then there are no commands to read. */
const unread: ReadCommand = () => ({ effect: 'dangerous', reasons: ['it was not read'], parts: [] })

function withoutLazy(config: Config): Config {
  const servers = Object.entries(config.mcpServers).map(([name, server]) => [name, { ...server, lazy: false }] as const)
  return { ...config, mcpServers: Object.fromEntries(servers) }
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
export async function openToolbox(
  config: Config,
  io: Pick<CliIo, 'stderr' | 'signal' | 'env'>,
  options: ToolboxOptions = {},
): Promise<Toolbox> {
  await checkWorkspace(config.workspace)
  const registry = new Registry()
  const problems: RegistryProblem[] = []
  const closers: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Promise.allSettled(closers.map((end) => end())).then(() => {})
    return closing
  }
  const readers = config.guards.commands === undefined ? undefined : await commandReaders()
  const adjust = toolAdjuster(config.guards, (language) => readers?.[language] ?? unread)
  const register = (tools: Iterable<AgentTool>, source: string): readonly RegistryProblem[] => registry.add([...tools].map(adjust), source)
  const add = (tools: Iterable<AgentTool>, source: string): void => {
    problems.push(...register(tools, source))
  }

  // A server may be called as another source is; what it changes must not take that one's tools away.
  const others = new Set(['built-in', 'skills', 'modules', ...config.modules])
  const sourceOf = (server: string): string => (others.has(server) ? `mcpServers.${server}` : server)
  let changed: ((tools: ToolSnapshot) => void) | undefined
  let note = (_text: string): void => {}
  const takeChange = (connection: McpConnection): void => {
    const { name } = connection
    const told = new Set(problems.map(({ message }) => message))
    registry.remove(sourceOf(name))
    const found = [...connection.problems, ...register(connection.tools, sourceOf(name))]
    for (const problem of found) {
      if (told.has(problem.message)) continue
      problems.push(problem)
      note(`${problem.message}. ${problem.hint}`)
    }
    changed?.(registry.snapshot())
  }

  const skillPlaces = await openSkillPlaces(config.skills, { workspace: config.workspace, home: homedir() })
  closers.push(async () => skillPlaces.close())
  let loaded: readonly Skill[] = []
  const [builtIn, reaching, modules, functions, skills, servers] = await Promise.all([
    builtInTools(config, { io, clock: options.clock ?? systemClock, principal: options.principal }),
    reachingTools(config, { io, clock: options.clock ?? systemClock, skills: () => loaded }),
    Promise.all(
      config.modules.map((folder) =>
        loadModuleFolder(folder).catch((error: unknown) => ({ tools: [], problems: [problemOf(folder, error)] })),
      ),
    ),
    Promise.all(config.functions.map(functionTools)),
    loadSkills(skillPlaces.places),
    startServers(options.startAll === true ? withoutLazy(config) : config, options.clock ?? systemClock, io, {
      changed: takeChange,
      note: (text) => note(text),
    }),
  ])
  closers.push(builtIn.close, reaching.close)
  loaded = skills.skills
  for (const { connection } of servers) if (connection !== undefined) closers.push(() => connection.close())
  if (io.signal.aborted) {
    await close()
    throw new AdjutantError('CANCELLED', 'stopped while the tools were being started')
  }
  // The order decides who keeps a name that two claim.
  add([...builtIn.tools, ...reaching.tools], 'built-in')
  problems.push(...builtIn.problems)
  for (const [index, report] of modules.entries()) {
    problems.push(...report.problems)
    add(report.tools, config.modules[index] ?? 'modules')
  }
  for (const [index, report] of functions.entries()) {
    problems.push(...report.problems)
    add(report.tools, config.functions[index] ?? 'functions')
  }
  problems.push(...skillPlaces.problems, ...skills.problems)
  add(skills.tools, 'skills')
  for (const { name, connection, problem } of servers) {
    if (problem !== undefined) problems.push(problem)
    if (connection === undefined) continue
    problems.push(...connection.problems)
    add(connection.tools, sourceOf(name))
  }
  if (options.quiet !== true) {
    for (const note of config.notes) io.stderr.write(`! ${printableLine(note)}\n`)
    for (const problem of [...problems, ...functions.flatMap(({ warnings }) => warnings)])
      io.stderr.write(`! ${printableLine(`${problem.code}: ${problem.message}`)}\n  ${printableLine(problem.hint)}\n`)
  }
  const started = registry.snapshot()
  return {
    tools: started,
    skills: skills.skills,
    servers: servers.map(({ name, connection }) => ({ name, ok: connection !== undefined, tools: connection?.tools.length ?? 0 })),
    problems,
    watch(listener, say) {
      changed = listener
      if (say !== undefined) note = say
      // What a server changed since it was started.
      if (registry.snapshot() !== started) listener(registry.snapshot())
      if (skillPlaces.folders.length === 0) return
      const reload = async (): Promise<void> => {
        const { tools, skills: now } = await loadSkills(skillPlaces.places)
        loaded = now
        registry.remove('skills')
        register(tools, 'skills')
        changed?.(registry.snapshot())
      }
      const stop = watchFolders(skillPlaces.folders, options.clock ?? systemClock, () => void reload())
      closers.push(async () => stop())
    },
    close,
  }
}
