import { type Implementation, isSpecType, type Tool } from '@modelcontextprotocol/client'
import {
  AdjutantError,
  type AgentTool,
  type CallContext,
  type Clock,
  type JsonObject,
  type Logger,
  type RegistryProblem,
  type ToolOutput,
} from '../../../contract/index.ts'
import { isSessionLost, serverGone, toCallError } from './call-error.ts'
import { type McpServerConfig, readServerConfig } from './config.ts'
import { Deadline } from './deadline.ts'
import { NEVER_MS } from './limits.ts'
import { type Link, openLink } from './link.ts'
import { type Listing, listTools } from './list-tools.ts'
import type { ListedTool } from './read-tool.ts'
import { mcpToolNames } from './tool-names.ts'
import { toToolOutput } from './tool-output.ts'

export interface McpConnectOptions {
  readonly clock: Clock
  readonly logger?: Logger
  /** Gives up connecting. A connection that is made is ended with `close`. */
  readonly signal?: AbortSignal
  /** What the server is told of this client. */
  readonly clientInfo?: Implementation
  /** Milliseconds for starting the server, the handshake and its list of tools. Default 30 000. */
  readonly connectTimeoutMs?: number
}

/** A connected server and its tools. */
export interface McpConnection extends AsyncDisposable {
  /** The name in the configuration; it is in the names of the tools. */
  readonly name: string
  /** Usable for as long as the connection is open; after that each call fails. */
  readonly tools: readonly AgentTool[]
  /** What was wrong with the server's other tools. */
  readonly problems: readonly RegistryProblem[]
  /** Ends the server with everything it started. Never rejects; may be called any number of times. */
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 30_000

/**
 * Starts or reaches an MCP server and reads its tools. Several servers are connected side by side by calling this several times.
 *
 * @throws AdjutantError CONFIG_INVALID, MCP_SERVER_UNAVAILABLE, MCP_PROTOCOL or CANCELLED, naming the server, its command or
 * address, how it ended and its last words; nothing is left running then
 * @example
 * ```ts
 * await using files = await connectMcpServer('files', { command: 'mcp-server-filesystem', args: ['/data'] }, { clock: systemClock })
 * registry.add(files.tools, files.name)
 * ```
 */
export async function connectMcpServer(name: string, config: McpServerConfig, options: McpConnectOptions): Promise<McpConnection> {
  const checked = readServerConfig(name, config)
  const { link, listing } = await open(name, checked, options, options.signal)
  return new ServerConnection(name, checked, options, link, listing)
}

interface Opened {
  readonly link: Link
  readonly listing: Listing
}

async function open(name: string, config: McpServerConfig, options: McpConnectOptions, signal?: AbortSignal): Promise<Opened> {
  if (signal?.aborted) throw new AdjutantError('CANCELLED', `connecting to MCP server "${name}" was cancelled`)
  const deadline = new Deadline(options.clock, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, signal)
  try {
    const link = await openLink(name, config, deadline, options)
    try {
      return { link, listing: await deadline.race(listTools(name, link.client, link.tap, deadline.signal)) }
    } catch (error) {
      await link.close()
      throw link.failure(deadline, error)
    }
  } finally {
    deadline.dispose()
  }
}

/** A call's schema for the client when nothing has to be mirrored: it then looks nothing up. */
const ANY_INPUT: Tool['inputSchema'] = { type: 'object' }

class ServerConnection implements McpConnection {
  readonly name: string
  readonly #config: McpServerConfig
  readonly #options: McpConnectOptions
  #link: Link
  #tools: readonly AgentTool[] = []
  #problems: readonly RegistryProblem[] = []
  #renewing: Promise<AdjutantError | undefined> | undefined
  #closed = false
  #closing: Promise<void> | undefined

  constructor(name: string, config: McpServerConfig, options: McpConnectOptions, link: Link, listing: Listing) {
    this.name = name
    this.#config = config
    this.#options = options
    this.#link = link
    this.#take(link, listing)
  }

  get tools(): readonly AgentTool[] {
    return this.#tools
  }

  get problems(): readonly RegistryProblem[] {
    return this.#problems
  }

  close(): Promise<void> {
    this.#closed = true
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#link.close()
    // A new session that was being opened meanwhile is closed by whoever opens it.
    await this.#renewing
  }

  #take(link: Link, { tools, problems }: Listing): void {
    const names = mcpToolNames(
      this.name,
      tools.map((tool) => tool.originalName),
    )
    this.#link = link
    this.#tools = tools.map((tool) => this.#makeTool(tool, names.get(tool.originalName) ?? tool.originalName))
    this.#problems = problems
    link.client.onclose = () => {
      if (this.#closed || this.#link !== link) return
      this.#options.logger?.warn(`MCP server "${this.name}" ${link.death() ?? 'closed its connection'}`, { lastWords: link.lastWords() })
    }
  }

  #makeTool(listed: ListedTool, name: string): AgentTool {
    const { originalName, description, inputSchema, outputSchema, readOnly, idempotent } = listed
    return {
      name,
      description: description === '' ? `The tool ${originalName} of the MCP server ${this.name}.` : description,
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      origin: { kind: 'mcp', from: this.name, originalName },
      tier: 'extended',
      lifetime: 'session',
      effect: readOnly ? 'read' : 'write',
      repeatable: readOnly || idempotent,
      ...(this.#config.timeoutMs === undefined ? {} : { limits: { timeoutMs: this.#config.timeoutMs } }),
      execute: (input, cx) => this.#call(listed, input, cx),
    }
  }

  /** One request, sent once: whatever happens, a call is never sent again from here. */
  async #call(tool: ListedTool, input: JsonObject, cx: CallContext): Promise<ToolOutput> {
    const link = this.#link
    const death = this.#closed ? 'is closed' : link.death()
    if (death !== undefined) throw serverGone(this.name, death)
    if (cx.signal.aborted)
      throw new AdjutantError('CANCELLED', `${tool.originalName} was stopped before it was sent`, { outcome: 'not-run' })
    try {
      const result = await link.client.callTool(
        { name: tool.originalName, arguments: input },
        {
          signal: cx.signal,
          timeout: NEVER_MS,
          // With a listener the server is asked for progress at all; each sign of life starts the call's time anew.
          onprogress: ({ message, progress, total }) =>
            cx.progress({ current: progress, ...(message === undefined ? {} : { message }), ...(total === undefined ? {} : { total }) }),
          toolDefinition: definitionOf(tool, link),
        },
      )
      return toToolOutput(result)
    } catch (error) {
      if (cx.signal.aborted) throw this.#stopped(tool, cx.signal, error)
      if (isSessionLost(error)) throw await this.#sessionLost(link)
      throw toCallError(error, {
        server: this.name,
        tool: tool.originalName,
        harmless: tool.readOnly || tool.idempotent,
        death: link.death(),
      })
    }
  }

  #stopped(tool: ListedTool, signal: AbortSignal, cause: unknown): AdjutantError {
    if (AdjutantError.isInstance(signal.reason)) return signal.reason
    const outcome = tool.readOnly || tool.idempotent ? 'failed' : 'unknown'
    return new AdjutantError('CANCELLED', `the call of ${tool.originalName} was stopped; MCP server "${this.name}" was told so`, {
      outcome,
      cause,
    })
  }

  /** The server refused the call unread, because it forgot the session. Opens a new one, so that the next call works. */
  async #sessionLost(lost: Link): Promise<AdjutantError> {
    if (this.#link === lost && !this.#closed) {
      this.#renewing ??= this.#renew(lost).finally(() => {
        this.#renewing = undefined
      })
    }
    const failure = await this.#renewing
    const now =
      failure === undefined ? 'a new session was opened: the call can be sent again' : `opening a new one failed: ${failure.message}`
    return new AdjutantError('MCP_SERVER_UNAVAILABLE', `MCP server "${this.name}" lost the session and did not run the call; ${now}`, {
      outcome: 'not-run',
      ...(failure === undefined ? { hint: 'Send the same call again.' } : { cause: failure }),
    })
  }

  async #renew(lost: Link): Promise<AdjutantError | undefined> {
    try {
      const { link, listing } = await open(this.name, this.#config, this.#options)
      if (this.#closed) await link.close()
      else this.#take(link, listing)
      return undefined
    } catch (error) {
      return AdjutantError.from(error, 'MCP_SERVER_UNAVAILABLE')
    } finally {
      await lost.close()
    }
  }
}

function definitionOf(tool: ListedTool, link: Link): Tool {
  // Without the output schema: what a server returns is shown to the model, not thrown away.
  const definition = { name: tool.originalName, inputSchema: tool.inputSchema }
  if (link.mirrorsArguments && isSpecType.Tool(definition)) return definition
  return { name: tool.originalName, inputSchema: ANY_INPUT }
}
