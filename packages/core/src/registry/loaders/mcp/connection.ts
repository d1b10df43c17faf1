import type { Implementation } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { AdjutantError, type AgentTool, type Clock, type Logger, type RegistryProblem } from '../../../contract/index.ts'
import { CallQueue } from './call-queue.ts'
import { ToolCaller } from './call-tool.ts'
import { type McpServerConfig, readServerConfig } from './config.ts'
import { Deadline } from './deadline.ts'
import { openLink } from './link.ts'
import { LinkKeeper, type Opened } from './link-keeper.ts'
import { listTools } from './list-tools.ts'
import { type ShowSignIn, SignIn } from './oauth/sign-in.ts'
import { OutputCheck } from './output-check.ts'
import { PinBook } from './pin-book.ts'
import type { ListedTool } from './read-tool.ts'
import { RunningCalls } from './running-calls.ts'
import { stateFile } from './state-file.ts'
import { toolFilter, unusedEntries } from './tool-filter.ts'
import { ToolSet } from './tool-set.ts'
import { keepKnownTools, readKnownTools } from './tools-file.ts'

export interface McpConnectOptions {
  readonly clock: Clock
  readonly logger?: Logger
  /** Gives up connecting. A connection that is made is ended with `close`. */
  readonly signal?: AbortSignal
  /** What the server is told of this client. */
  readonly clientInfo?: Implementation
  /** Milliseconds for starting the server, the handshake and its list of tools. Default 30 000. */
  readonly connectTimeoutMs?: number
  /** Where tokens, definitions and tool lists are kept between runs. Without it nothing is: no sign-in, no `pin`, no `lazy`. */
  readonly stateFolder?: string
  /** Shows a person where to sign in. Without it a server that wants somebody to sign in is not connected. */
  readonly signIn?: ShowSignIn
  /** Told when `tools` or `problems` became others: the server changed them, or came back with others. Not told of the first ones. */
  readonly onToolsChanged?: (connection: McpConnection) => void
}

/** A connected server and its tools. */
export interface McpConnection extends AsyncDisposable {
  /** The name in the configuration; it is in the names of the tools. */
  readonly name: string
  /** As they are now. Usable for as long as the connection is open; after that each call fails. */
  readonly tools: readonly AgentTool[]
  /** What was wrong with the server's other tools, and which changed since they were seen first. */
  readonly problems: readonly RegistryProblem[]
  /** Ends the server with everything it started. Never rejects; may be called any number of times. */
  close(): Promise<void>
}

const DESTRUCTIVE: readonly string[] = Object.freeze(['destructive'])
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
  const { stateFolder, logger } = options
  const fileOf = (kind: 'tools' | 'pins' | 'oauth'): string | undefined =>
    stateFolder === undefined ? undefined : stateFile(stateFolder, name, checked, kind)
  const pinFile = checked.pin === undefined ? undefined : fileOf('pins')
  const connection = new ServerConnection(name, checked, options, {
    pins:
      checked.pin === undefined || pinFile === undefined
        ? undefined
        : await PinBook.open({ server: name, mode: checked.pin, path: pinFile, logger }),
    signIn: await signInOf(name, checked, fileOf('oauth'), options),
    toolsFile: checked.lazy === true ? fileOf('tools') : undefined,
  })
  await connection.start()
  return connection
}

/** Where credentials are given by hand there is nothing to sign in to. */
async function signInOf(
  server: string,
  config: McpServerConfig,
  path: string | undefined,
  options: McpConnectOptions,
): Promise<SignIn | undefined> {
  if (!('url' in config) || path === undefined || config.oauth === false) return undefined
  if (Object.keys(config.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return undefined
  const settings = typeof config.oauth === 'object' ? config.oauth : {}
  return SignIn.open({ server, settings, path, clock: options.clock, show: options.signIn })
}

interface Kept {
  readonly pins: PinBook | undefined
  readonly signIn: SignIn | undefined
  /** Where the tools of a server are kept that is not started before it is needed. */
  readonly toolsFile: string | undefined
}

class ServerConnection implements McpConnection {
  readonly name: string
  readonly #config: McpServerConfig
  readonly #options: McpConnectOptions
  readonly #kept: Kept
  readonly #calls = new RunningCalls()
  readonly #keeper: LinkKeeper
  readonly #set: ToolSet
  #keeping: Promise<void> = Promise.resolve()
  #started = false
  #closing: Promise<void> | undefined

  constructor(name: string, config: McpServerConfig, options: McpConnectOptions, kept: Kept) {
    this.name = name
    this.#config = config
    this.#options = options
    this.#kept = kept
    this.#keeper = new LinkKeeper({
      server: name,
      clock: options.clock,
      logger: options.logger,
      open: (signal) => this.#calls.outside(() => this.#open(signal)),
      list: (link, signal) => this.#within(signal, (deadline) => deadline.race(listTools(name, link.client, link.tap, deadline.signal))),
      listed: (_link, listing) => this.#changed(this.#set.take(listing)),
    })
    const caller = new ToolCaller({
      server: name,
      keeper: this.#keeper,
      calls: this.#calls,
      queue: config.concurrency === undefined ? undefined : new CallQueue(config.concurrency),
      check: new OutputCheck(() => new AjvJsonSchemaValidator()),
      verdict: (tool) => this.#set.verdict(tool),
      release: (tool) => {
        this.#set.release(tool)
        this.#changed(true)
      },
    })
    this.#set = new ToolSet({
      server: name,
      taken: toolFilter(config),
      unused: unusedEntries(name, config),
      pins: kept.pins,
      make: (listed, toolName, held) => this.#makeTool(listed, toolName, held, caller),
    })
  }

  get tools(): readonly AgentTool[] {
    return this.#set.tools
  }

  get problems(): readonly RegistryProblem[] {
    return this.#set.problems
  }

  /** Reads the tools: from the server, or for one that is started later, from what is known of it. */
  async start(): Promise<void> {
    const { toolsFile, signIn } = this.#kept
    const known = toolsFile === undefined ? undefined : await readKnownTools(toolsFile)
    try {
      if (known === undefined) this.#keeper.adopt(await this.#open(this.#options.signal))
      else this.#set.take({ tools: known, problems: [] })
      this.#started = true
    } catch (error) {
      await signIn?.close()
      throw error
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#keeper.close()
    const { signIn, pins } = this.#kept
    await Promise.all([signIn?.close(), pins?.settled(), this.#keeping])
  }

  async #open(signal: AbortSignal | undefined): Promise<Opened> {
    const { name } = this
    if (signal?.aborted) throw new AdjutantError('CANCELLED', `connecting to MCP server "${name}" was cancelled`)
    return this.#within(signal, async (deadline) => {
      const link = await openLink(name, this.#config, deadline, { ...this.#options, calls: this.#calls, signIn: this.#kept.signIn })
      try {
        return { link, listing: await deadline.race(listTools(name, link.client, link.tap, deadline.signal)) }
      } catch (error) {
        await link.close()
        throw link.failure(deadline, error)
      }
    })
  }

  async #within<T>(signal: AbortSignal | undefined, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const deadline = new Deadline(this.#options.clock, this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, signal)
    try {
      return await work(deadline)
    } finally {
      deadline.dispose()
    }
  }

  #changed(isChanged: boolean): void {
    const { toolsFile } = this.#kept
    if (toolsFile !== undefined) this.#keep(toolsFile)
    if (isChanged && this.#started) this.#options.onToolsChanged?.(this)
  }

  #keep(path: string): void {
    const { listed } = this.#set
    this.#keeping = this.#keeping
      .then(() => keepKnownTools(path, listed))
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        this.#options.logger?.warn(`MCP server "${this.name}": its tools could not be kept in ${path}: ${why}`)
      })
  }

  #makeTool(listed: ListedTool, name: string, held: string | undefined, caller: ToolCaller): AgentTool {
    const { originalName, description, inputSchema, outputSchema, readOnly, idempotent, destructive, openWorld } = listed
    return {
      name,
      description: description === '' ? `The tool ${originalName} of the MCP server ${this.name}.` : description,
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      origin: { kind: 'mcp', from: this.name, originalName },
      tier: 'extended',
      lifetime: 'session',
      effect: readOnly ? 'read' : 'write',
      // A hint of a server is no proof in either direction: policy may speak of it by the tag.
      ...(destructive && !readOnly ? { tags: DESTRUCTIVE } : {}),
      repeatable: readOnly || idempotent,
      untrusted: openWorld,
      ...(held === undefined ? {} : { pinned: { reason: held } }),
      ...(this.#config.timeoutMs === undefined ? {} : { limits: { timeoutMs: this.#config.timeoutMs } }),
      execute: (input, cx) => caller.call(listed, held, input, cx),
    }
  }
}
