/**
 * The one way out of a box: a proxy on a unix socket that passes HTTP and TLS to the hosts of an allow-list and to no other. Owns its socket,
 * its folder and every connection; `close` ends and removes all of them. A gate serves one box, so that what it counts is that box's.
 *
 * Refuses: hosts and ports that are not listed, addresses that are not public (after the look-up, on the address that is connected to), a TLS
 * hello or a Host header that names another server, bodies with two ends, more bytes and connections than allowed. Each is answered with one
 * sentence and noted.
 *
 * After a crash its folder is left with a dead socket in it: the next gate in the same place removes it.
 */
import { chmod, chown, mkdtemp, rmdir, unlink } from 'node:fs/promises'
import { createServer, type Server, type ServerOptions } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { Attempts, type NetworkAttempt } from './attempts.ts'
import { endGently, type GateCore, type NetworkGateLimits, noteRefusal } from './gate-core.ts'
import { GateRefusal, writeRefusal } from './gate-refusal.ts'
import { HostRules } from './host-rules.ts'
import { passRequest, refuse } from './pass-request.ts'
import { passTunnel, type TunnelServer } from './pass-tunnel.ts'
import type { AddressPolicy } from './public-address.ts'
import type { ResolveHost } from './resolve-host.ts'
import { folderPrefix, SOCKET_NAME, sweepDeadGates } from './sweep-gates.ts'
import { Traffic } from './traffic.ts'

export interface NetworkGateOptions {
  /** `example.com`, `*.example.com` (every name below, not itself), an address; each with `:port`, or for 80 and 443. */
  readonly allow: readonly string[]
  readonly clock: Clock
  readonly limits?: Partial<NetworkGateLimits>
  /** Default: the name servers of this machine, asked directly. */
  readonly resolve?: ResolveHost
  /** Which addresses may be connected to. Default: {@link isPublicAddress}. */
  readonly mayConnect?: AddressPolicy
  /** Told of every attempt as it happens. Must not throw. */
  readonly tried?: (event: NetworkAttempt) => void
  /** Whom the folder and the socket belong to: the user that the box runs as. Default: the own one. Only root can give it away. */
  readonly owner?: { readonly uid: number; readonly gid: number }
  /** Where the folder is made. Default: the folder for temporary files. */
  readonly parent?: string
}

export interface NetworkGate extends AsyncDisposable {
  /** A unix socket in a folder of mode 0700 of its own; the box is given this file. */
  readonly socketPath: string
  /** What was tried and refused, e.g. `evil.example:443`: each once, the first 200. */
  readonly refused: readonly string[]
  /** From the box. */
  readonly bytesSent: number
  /** To the box. */
  readonly bytesReceived: number
  /** Ends every connection and removes the socket. Safe to call twice. */
  close(): Promise<void>
}

export const DEFAULT_GATE_LIMITS: NetworkGateLimits = Object.freeze({
  bytes: 268_435_456,
  connections: 64,
  connectMs: 10_000,
  idleMs: 60_000,
})

/** Of all heads together; the size that most servers take. */
const MAX_HEAD_BYTES = 16_384
const MAX_HEADERS = 100
/** Sockets that say nothing cost a descriptor each; beyond this they are closed unheard. */
const SILENT_FACTOR = 2
/** All times are the gate's own, by its clock. */
const SERVER: ServerOptions = {
  maxHeaderSize: MAX_HEAD_BYTES,
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  insecureHTTPParser: false,
  joinDuplicateHeaders: false,
}
/** `sockaddr_un` holds 108 bytes on Linux and 104 on macOS, one of them for the end. */
const MAX_SOCKET_PATH = 103

/**
 * @throws AdjutantError CONFIG_INVALID for a wrong allow-list or limit; SANDBOX_FAILED when the socket cannot be made
 * @example
 * ```ts
 * await using gate = await startNetworkGate({ allow: ['registry.npmjs.org', '*.pythonhosted.org'], clock })
 * // bwrap … --unshare-net --bind ${gate.socketPath} /run/network.sock
 * ```
 */
export async function startNetworkGate(options: NetworkGateOptions): Promise<NetworkGate> {
  const limits = checkLimits({ ...DEFAULT_GATE_LIMITS, ...options.limits })
  const gate = new Gate({
    rules: new HostRules(options.allow),
    traffic: new Traffic(limits.bytes),
    attempts: new Attempts(options.tried),
    limits,
    clock: options.clock,
    resolve: options.resolve,
    mayConnect: options.mayConnect,
    open: new Set(),
  })
  try {
    await gate.listen(options.parent ?? tmpdir(), options.owner)
    return gate
  } catch (error) {
    await gate.close()
    throw AdjutantError.from(error, 'SANDBOX_FAILED', 'the network gate of a box')
  }
}

class Gate implements NetworkGate {
  readonly #core: GateCore
  readonly #outer: Server
  readonly #inside: TunnelServer
  /** Connections of which a request is under way. */
  readonly #busy = new Set<Duplex>()
  #folder: string | undefined
  #closing: Promise<void> | undefined

  constructor(core: GateCore) {
    this.#core = core
    const tunnels: TunnelServer['tunnels'] = new WeakMap()
    const servedInside = new WeakSet<Duplex>()
    const inner = createServer(SERVER, (request, response) => {
      const tunnel = tunnels.get(request.socket)
      if (tunnel !== undefined && this.#first(request.socket, servedInside)) void passRequest(core, request, response, tunnel)
    })
    const served = new WeakSet<Duplex>()
    this.#inside = { inner, tunnels }
    this.#outer = createServer(SERVER, (request, response) => {
      // What is sent behind the first request is never read: its answer would be another connection's.
      if (!this.#first(request.socket, served)) return
      const refusal = this.#admit(request.socket)
      if (refusal === undefined) return void passRequest(core, request, response)
      noteRefusal(core, 'HTTP', request.url ?? '', refusal)
      refuse(response, refusal)
    })
    this.#outer.on('connect', (request, socket, head) => {
      socket.on('error', () => {})
      const refusal = this.#admit(socket)
      // A tunnel behind a request would begin while its answer is still under way.
      if (!this.#first(socket, served)) return void socket.destroy()
      if (refusal === undefined) return void passTunnel(core, this.#inside, request, socket, head)
      noteRefusal(core, 'CONNECT', request.url ?? '', refusal)
      endGently(core, socket, writeRefusal(refusal))
    })
    inner.on('connect', (_request, socket) => void socket.destroy())
    for (const [server, begun] of [[this.#outer, served] as const, [inner, servedInside] as const]) {
      server.maxHeadersCount = MAX_HEADERS
      server.on('connection', (socket) => this.#watchHead(socket, begun))
      server.on('clientError', (error, socket) => this.#malformed(error, socket))
    }
    this.#outer.maxConnections = core.limits.connections * SILENT_FACTOR
  }

  get socketPath(): string {
    return join(this.#folder ?? '', SOCKET_NAME)
  }

  get refused(): readonly string[] {
    return this.#core.attempts.refused
  }

  get bytesSent(): number {
    return this.#core.traffic.sent
  }

  get bytesReceived(): number {
    return this.#core.traffic.received
  }

  async listen(parent: string, owner: NetworkGateOptions['owner']): Promise<void> {
    await sweepDeadGates(parent)
    this.#folder = await mkdtemp(join(parent, folderPrefix()))
    const path = this.socketPath
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
      throw new AdjutantError('CONFIG_INVALID', `${path} is too long for a unix socket`, {
        hint: 'Use a shorter folder for temporary files.',
      })
    }
    await new Promise<void>((resolve, reject) => {
      this.#outer.once('error', reject)
      this.#outer.listen(path, () => resolve())
    })
    // The folder keeps everybody else out; the file is all that a box sees, under whatever user it runs.
    await chmod(path, 0o666)
    if (owner !== undefined) {
      await chown(path, owner.uid, owner.gid)
      await chown(this.#folder, owner.uid, owner.gid)
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
    const closed = new Promise<void>((resolve) => {
      this.#outer.close(() => resolve())
    })
    for (const stream of this.#core.open) stream.destroy()
    await closed
    if (this.#folder === undefined) return
    await unlink(this.socketPath).catch(() => {})
    await rmdir(this.#folder).catch(() => {})
  }

  #first(socket: Duplex, served: WeakSet<Duplex>): boolean {
    if (served.has(socket)) return false
    served.add(socket)
    return true
  }

  #admit(socket: Duplex): GateRefusal | undefined {
    const { connections } = this.#core.limits
    if (this.#busy.size >= connections)
      return new GateRefusal(403, `this box has ${connections} connections open, which is all that it may`)
    this.#busy.add(socket)
    socket.once('close', () => this.#busy.delete(socket))
    return undefined
  }

  /** A head that comes a letter at a time holds its place for a bounded time only. */
  #watchHead(socket: Duplex, begun: WeakSet<Duplex>): void {
    const { open, clock, limits } = this.#core
    open.add(socket)
    const cancel = clock.after(limits.connectMs, () => {
      if (!begun.has(socket)) socket.destroy()
    })
    socket.once('close', () => {
      cancel()
      open.delete(socket)
    })
  }

  #malformed(error: Error, socket: Duplex): void {
    const code = 'code' in error ? String(error.code) : ''
    if (socket.destroyed || !socket.writable || code === 'ECONNRESET') return void socket.destroy()
    const long = code === 'HPE_HEADER_OVERFLOW'
    const refusal = new GateRefusal(400, long ? `the head of a request has more than ${MAX_HEAD_BYTES} bytes` : 'this is no HTTP request')
    noteRefusal(this.#core, 'HTTP', 'malformed', refusal)
    endGently(this.#core, socket, writeRefusal(refusal))
  }
}

function checkLimits(limits: NetworkGateLimits): NetworkGateLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new AdjutantError('CONFIG_INVALID', `the network limit ${name} must be a whole number from 1, got ${String(value)}`)
    }
  }
  return limits
}
