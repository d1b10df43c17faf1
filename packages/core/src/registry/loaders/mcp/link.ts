import { Client, type Implementation, ProtocolError } from '@modelcontextprotocol/client'
import type { Clock, Logger } from '../../../contract/index.ts'
import type { HttpServerConfig, McpServerConfig, StdioServerConfig } from './config.ts'
import type { Deadline } from './deadline.ts'
import { describeExit } from './describe-server.ts'
import { HttpTransport } from './http-transport.ts'
import { NEVER_MS } from './limits.ts'
import type { ListingTap } from './listing-tap.ts'
import type { SignIn } from './oauth/sign-in.ts'
import type { RunningCalls } from './running-calls.ts'
import { clientCapabilities, serveClient } from './serve-client.ts'
import { httpFailure, stdioFailure } from './start-failure.ts'
import { StdioTransport } from './stdio-transport.ts'

/** One connected client with its wire. A server that lost its session gets a new one. */
export interface Link {
  readonly client: Client
  readonly tap: ListingTap
  /** Over HTTP the newer protocol wants some arguments repeated as headers. */
  readonly mirrorsArguments: boolean
  /** Calls back each time the server says that its tools changed; at once when it did so before. */
  watchTools(changed: () => void): void
  /** What became of the server, once it is known to be gone: `has ended with exit code 1`. */
  death(): string | undefined
  /** The last lines the server wrote on its stderr; for logs, not for the model. */
  lastWords(): readonly string[]
  /** What a failure during the deadline is to a person. */
  failure(deadline: Deadline, cause: unknown): Error
  /** Never rejects. */
  close(): Promise<void>
}

export interface LinkOptions {
  readonly clock: Clock
  readonly logger?: Logger
  readonly clientInfo?: Implementation
  /** The calls of the connection that this is a link of. */
  readonly calls: RunningCalls
  readonly signIn?: SignIn | undefined
}

/** Kept equal to the package's version by a test. */
export const CLIENT_INFO: Implementation = { name: 'adjutant', version: '0.1.0' }

/**
 * A server that knows only the older protocol may never answer the newer one's first question. Then it is asked the older way;
 * one that is merely slow to start answers both.
 */
const PROBE_MS = 5_000

type Era = 'any' | 'older' | 'newer'

/** Connects and shakes hands. @throws AdjutantError that a person can act on; nothing is left running then */
export function openLink(name: string, config: McpServerConfig, deadline: Deadline, options: LinkOptions): Promise<Link> {
  return 'url' in config ? openHttp(name, config, deadline, options) : openStdio(name, config, deadline, options, 'any')
}

async function openStdio(name: string, config: StdioServerConfig, deadline: Deadline, options: LinkOptions, era: Era): Promise<Link> {
  const transport = new StdioTransport(config, options.clock)
  const client = makeClient(name, config, era, options)
  const watcher = watchTools(client)
  try {
    await deadline.race(client.connect(transport, connectOptions(era)))
  } catch (error) {
    const again = era === 'any' && deadline.over === undefined ? otherEra(transport, error) : undefined
    await transport.close()
    if (again !== undefined) {
      try {
        return await openStdio(name, config, deadline, options, again)
      } catch (second) {
        // A server that does not speak the newer protocol either had its say in the first answer.
        throw again === 'newer' ? stdioFailure(name, config, transport, deadline, error) : second
      }
    }
    throw stdioFailure(name, config, transport, deadline, error)
  }
  return {
    client,
    tap: transport.tap,
    mirrorsArguments: false,
    watchTools: watcher,
    death: () => {
      if (!transport.ended) return undefined
      if (transport.failure !== undefined) return `broke its connection: ${transport.failure.message}`
      return transport.exit === undefined ? 'ended its connection' : `has ended with ${describeExit(transport.exit)}`
    },
    lastWords: () => transport.errors.lines(20),
    failure: (over, cause) => stdioFailure(name, config, transport, over, cause),
    close: async () => {
      await client.close()
      await transport.close()
    },
  }
}

/** A server that ends at a question it does not know is asked the older way; one that refused the older way, the newer. */
function otherEra(transport: StdioTransport, error: unknown): Era | undefined {
  if (transport.endedBeforeInitialize) return 'older'
  return error instanceof ProtocolError && transport.messages === 1 ? 'newer' : undefined
}

async function openHttp(name: string, config: HttpServerConfig, deadline: Deadline, options: LinkOptions): Promise<Link> {
  const { clock, signIn, calls } = options
  let connecting = true
  const transport = new HttpTransport(config, {
    clock,
    signIn,
    patient: (work) => (connecting ? deadline.suspend(work) : waitInCall(work, calls, clock)),
  })
  const client = makeClient(name, config, 'any', options)
  const watcher = watchTools(client)
  try {
    await deadline.race(client.connect(transport, connectOptions('any')))
  } catch (error) {
    await transport.close()
    throw httpFailure(name, config, deadline, error)
  }
  connecting = false
  return {
    client,
    tap: transport.tap,
    watchTools: watcher,
    mirrorsArguments: client.getProtocolEra() === 'modern',
    death: () => undefined,
    lastWords: () => [],
    failure: (over, cause) => httpFailure(name, config, over, cause),
    close: async () => {
      await transport.close()
      await client.close()
    },
  }
}

/** So often a call that waits for a person says that it is not stuck. */
const SIGN_OF_LIFE_MS = 10_000

/** A sign-in in the middle of a call must not use up the call's time. */
async function waitInCall<T>(work: () => Promise<T>, calls: RunningCalls, clock: Clock): Promise<T> {
  const call = calls.asked?.call
  let takeBack = (): void => {}
  const tell = (): void => {
    call?.cx.progress({ message: 'waiting for somebody to sign in' })
    takeBack = clock.after(SIGN_OF_LIFE_MS, tell)
  }
  tell()
  try {
    return await work()
  } finally {
    takeBack()
  }
}

function makeClient(name: string, config: McpServerConfig, era: Era, options: LinkOptions): Client {
  const mode = era === 'older' ? 'legacy' : era === 'newer' ? { pin: NEWER } : 'auto'
  const { calls, logger } = options
  const roots = config.roots ?? []
  const client = new Client(options.clientInfo ?? CLIENT_INFO, {
    capabilities: clientCapabilities({ roots }),
    versionNegotiation: { mode, probe: { timeoutMs: era === 'newer' ? NEVER_MS : PROBE_MS } },
  })
  serveClient(client, { server: name, calls, roots, ...(logger === undefined ? {} : { logger }) })
  client.onerror = (error) => logger?.debug(`MCP server "${name}": ${error.message.slice(0, 500)}`)
  return client
}

/** Also a server that did not announce it says so; and one may say so while its tools are being listed. */
function watchTools(client: Client): Link['watchTools'] {
  let early = false
  let listener = (): void => {
    early = true
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => listener())
  return (changed) => {
    listener = changed
    if (early) changed()
    early = false
  }
}

/** The first protocol version of the newer kind. */
const NEWER = '2026-07-28'

function connectOptions(era: Era): { readonly timeout: number; readonly prior?: { readonly kind: 'legacy' } } {
  return era === 'older' ? { timeout: NEVER_MS, prior: { kind: 'legacy' } } : { timeout: NEVER_MS }
}
