/** Owns the way from `mcpServers` of a configuration to connections: what is told to each, where it keeps things, who signs in. */
import { join } from 'node:path'
import { AdjutantError, type Clock, type JsonObject, type Logger, type RegistryProblem } from '@adjutant/core'
import type { McpConnection, McpServerConfig, SignInRequest } from '@adjutant/core/mcp'
import type { CliIo } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import type { Config, RawMcpServer } from './config.ts'

export interface StartedServer {
  readonly name: string
  readonly connection?: McpConnection
  readonly problem?: RegistryProblem
}

export interface ServerListener {
  /** The tools of a server are others now. */
  changed(connection: McpConnection): void
  /** Something a person should know: a server ended, or is there again. */
  note(text: string): void
}

/** Tokens and what was agreed to: beside the sessions, as those are out of reach of the file tools too. */
function stateFolder(config: Config): string {
  return join(config.sessionsFolder, '.state')
}

function serverConfig(name: string, server: RawMcpServer, workspace: string): McpServerConfig {
  if (server.type === 'sse') {
    throw new AdjutantError('UNSUPPORTED', `the server ${name} asks for the old HTTP+SSE transport`, {
      hint: 'Give the address of its Streamable HTTP endpoint and leave "type" out.',
    })
  }
  const { timeoutMs, allow, deny, concurrency, lazy, roots, pin = 'warn' } = server
  const shared = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(lazy === undefined ? {} : { lazy }),
    ...(pin === 'off' ? {} : { pin }),
    roots: roots === true ? [workspace] : roots === false || roots === undefined ? [] : roots,
  }
  const { url, headers, oauth, command, args, env, cwd } = server
  if (url !== undefined) {
    return { url, ...(headers === undefined ? {} : { headers }), ...(oauth === undefined ? {} : { oauth }), ...shared }
  }
  if (command === undefined) throw new AdjutantError('CONFIG_INVALID', `the server ${name} has neither "command" nor "url"`)
  return {
    command,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...shared,
  }
}

/** Connects all servers side by side. One that does not start is a problem, and the rest works. */
export async function startServers(
  config: Config,
  clock: Clock,
  io: Pick<CliIo, 'stderr' | 'signal'>,
  listener: ServerListener,
): Promise<readonly StartedServer[]> {
  const wanted = Object.entries(config.mcpServers).filter(([, server]) => server.disabled !== true)
  if (wanted.length === 0) return []
  // Imported here: a run without servers does not pay for the client.
  const { connectMcpServer } = await import('@adjutant/core/mcp')
  const options = {
    clock,
    signal: io.signal,
    stateFolder: stateFolder(config),
    logger: noteLogger(listener),
    onToolsChanged: (connection: McpConnection) => listener.changed(connection),
    // Where nobody reads what is said, nobody signs in.
    ...(io.stderr.isTTY === true ? { signIn: (request: SignInRequest) => showSignIn(io, request) } : {}),
  }
  return Promise.all(
    wanted.map(async ([name, server]): Promise<StartedServer> => {
      try {
        return { name, connection: await connectMcpServer(name, serverConfig(name, server, config.workspace), options) }
      } catch (error) {
        const { code, message, hint } = AdjutantError.from(error, 'MCP_SERVER_UNAVAILABLE')
        return { name, problem: { code, source: name, message: message.includes(name) ? message : `${name}: ${message}`, hint } }
      }
    }),
  )
}

function showSignIn(io: Pick<CliIo, 'stderr'>, { server, url }: SignInRequest): void {
  io.stderr.write(
    `The MCP server ${printableLine(server)} wants you to sign in. Open this address in a browser:\n  ${printableLine(url)}\nWaiting …\n`,
  )
}

function noteLogger(listener: ServerListener): Logger {
  const note = (message: string, fields?: JsonObject): void => {
    const words = fields?.lastWords
    const last: unknown = Array.isArray(words) ? words.at(-1) : undefined
    listener.note(typeof last === 'string' ? `${message}. Its last words: ${last}` : message)
  }
  return { debug() {}, info: note, warn: note, error: note }
}
