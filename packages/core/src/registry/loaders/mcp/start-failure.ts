import { existsSync } from 'node:fs'
import { SdkHttpError } from '@modelcontextprotocol/client'
import { AdjutantError } from '../../../contract/errors.ts'
import type { HttpServerConfig, StdioServerConfig } from './config.ts'
import type { Deadline } from './deadline.ts'
import { describeCommand, describeExit, describeUrl } from './describe-server.ts'
import type { StdioTransport } from './stdio-transport.ts'

/**
 * Owns what a person reads when a server could not be connected: which server, which command or address, what became of it,
 * and its own last words.
 */

const LAST_LINES = 10
const BY_HAND = 'Run the command by hand to see what it needs: arguments, environment variables, a folder.'

export function stdioFailure(
  name: string,
  config: StdioServerConfig,
  transport: StdioTransport,
  deadline: Deadline,
  cause: unknown,
): AdjutantError {
  const command = describeCommand(config)
  const said = lastWords(transport)
  const fail = (what: string, hint: string, code: 'MCP_SERVER_UNAVAILABLE' | 'MCP_PROTOCOL' = 'MCP_SERVER_UNAVAILABLE'): AdjutantError =>
    new AdjutantError(code, `MCP server "${name}" could not be connected: ${what}${said}`, { hint, cause, outcome: 'not-run' })
  if (deadline.over === 'cancelled') return cancelled(name, cause)
  switch (errorCode(cause)) {
    case 'ENOENT':
      if (config.cwd !== undefined && !existsSync(config.cwd)) {
        return fail(`its folder ${config.cwd} does not exist`, 'Correct "cwd" of this server in the configuration.')
      }
      return fail(`the command ${config.command} was not found`, 'Install it, or correct "command" of this server in the configuration.')
    case 'EACCES':
      return fail(`${config.command} may not be run`, 'Make it executable, or correct "command" of this server in the configuration.')
    case 'ENOTDIR':
      return fail(`its folder ${config.cwd} is no folder`, 'Correct "cwd" of this server in the configuration.')
  }
  if (transport.pid === null) return fail(`${command} could not be started: ${messageOf(cause)}`, BY_HAND)
  if (deadline.over === 'late') {
    return fail(`${command} did not answer as an MCP server within ${deadline.ms} ms`, BY_HAND)
  }
  if (transport.lost && transport.failure === undefined && transport.exit !== undefined) {
    return fail(`${command} ended with ${describeExit(transport.exit)} before it was ready`, BY_HAND)
  }
  const reason = messageOf(transport.failure ?? cause)
  return fail(`${command} answered wrongly: ${reason}`, 'Check that this command is an MCP server that speaks over stdio.', 'MCP_PROTOCOL')
}

export function httpFailure(name: string, config: HttpServerConfig, deadline: Deadline, cause: unknown): AdjutantError {
  const url = describeUrl(config)
  const fail = (what: string, hint: string, code: 'MCP_SERVER_UNAVAILABLE' | 'MCP_PROTOCOL' = 'MCP_SERVER_UNAVAILABLE'): AdjutantError =>
    new AdjutantError(code, `MCP server "${name}" could not be connected: ${what}`, { hint, cause, outcome: 'not-run' })
  if (deadline.over === 'cancelled') return cancelled(name, cause)
  const own = findCause(cause, (error): error is AdjutantError => AdjutantError.isInstance(error))
  if (own !== undefined && deadline.over === undefined) return own
  if (deadline.over === 'late') return fail(`${url} did not answer within ${deadline.ms} ms`, 'Check the address and that the server runs.')
  const http = findCause(cause, (error): error is SdkHttpError => error instanceof SdkHttpError)
  if (http !== undefined) {
    const { status } = http.data
    return status === 401 || status === 403
      ? fail(`${url} refuses access (HTTP ${status})`, 'Give this server its credentials under "headers" in the configuration.')
      : fail(`${url} answered with HTTP ${status}`, 'Check the address: it has to be that of the MCP endpoint, often ending in /mcp.')
  }
  const network = findCause(
    cause,
    (error): error is Error & { readonly code: string } => errorCode(error) !== undefined && !('data' in error),
  )
  if (network !== undefined) return fail(`${url} cannot be reached (${network.code})`, 'Check the address and that the server runs.')
  return fail(
    `${url} answered wrongly: ${messageOf(cause)}`,
    'Check that this address is an MCP server over Streamable HTTP.',
    'MCP_PROTOCOL',
  )
}

function cancelled(name: string, cause: unknown): AdjutantError {
  return new AdjutantError('CANCELLED', `connecting to MCP server "${name}" was cancelled`, { cause })
}

function lastWords(transport: StdioTransport): string {
  const { stray, errors } = transport
  const lines = errors.lines(LAST_LINES)
  const printed =
    stray.lines === 0
      ? ''
      : `. It printed ${stray.lines} ${stray.lines === 1 ? 'line' : 'lines'} on stdout that are no MCP messages, the last: ${JSON.stringify(stray.last)}`
  return lines.length === 0 ? printed : `${printed}. The last lines of its stderr:\n${lines.map((line) => `  ${line}`).join('\n')}`
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1_000)
}

/** The innermost cause of a kind: the client wraps what the network said several times. */
function findCause<Kind extends Error>(error: unknown, isKind: (error: Error) => error is Kind): Kind | undefined {
  let found: Kind | undefined
  for (let next = error, depth = 0; next instanceof Error && depth < 10; next = next.cause, depth++) if (isKind(next)) found = next
  return found
}
