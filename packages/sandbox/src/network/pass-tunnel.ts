/**
 * Owns CONNECT. The first bytes of the client decide what the tunnel is: a TLS client hello that asks for the very name that was allowed, or
 * plain HTTP, which goes the way of every request. Nothing else is passed on, and nothing before that is known.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ClientHelloReader } from './client-hello.ts'
import { endGently, type GateCore, noteRefusal, reach, spent } from './gate-core.ts'
import { GateRefusal, refusalOf, writeRefusal } from './gate-refusal.ts'
import { canonicalHost, type HostTarget, isAddress, readAuthority, writeTarget } from './host-rules.ts'
import { IdleWatch } from './idle-watch.ts'
import type { OpenTunnel } from './pass-request.ts'
import { pump } from './pump.ts'

/** Fatal alert `unrecognized_name`, RFC 6066: the one answer that a TLS client understands at this point. */
const UNRECOGNISED_NAME = Buffer.from([21, 3, 1, 0, 2, 2, 112])

export interface TunnelServer {
  /** Serves the requests of plain tunnels. */
  readonly inner: Server
  readonly tunnels: WeakMap<Duplex, OpenTunnel>
}

/** Never rejects. */
export async function passTunnel(
  core: GateCore,
  inside: TunnelServer,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const text = request.url ?? ''
  const target = readAuthority(text)
  try {
    if (target === undefined) throw new GateRefusal(403, `${JSON.stringify(text.slice(0, 300))} is no host and port`)
    if (request.headers['transfer-encoding'] !== undefined || request.headers['content-length'] !== undefined) {
      throw new GateRefusal(400, 'CONNECT has no body')
    }
    const upstream = await reach(core, 'CONNECT', target, client)
    if (client.destroyed) {
      upstream.destroy()
      return
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) client.unshift(head)
    new Tunnel(core, inside, { target, upstream }, client).start()
  } catch (error) {
    const place = target === undefined ? text : writeTarget(target)
    const refusal = refusalOf(error, place)
    noteRefusal(core, 'CONNECT', place, refusal)
    endGently(core, client, writeRefusal(refusal))
  }
}

class Tunnel {
  readonly #core: GateCore
  readonly #inside: TunnelServer
  readonly #target: HostTarget
  readonly #upstream: Socket
  readonly #client: Duplex
  readonly #hello = new ClientHelloReader()
  readonly #watch: IdleWatch
  /** A client that never says whom it wants. */
  readonly #cancelHello: () => void

  constructor(core: GateCore, inside: TunnelServer, { target, upstream }: OpenTunnel, client: Duplex) {
    this.#core = core
    this.#inside = inside
    this.#target = target
    this.#upstream = upstream
    this.#client = client
    this.#watch = new IdleWatch(core.clock, core.limits.idleMs, this.#end)
    this.#cancelHello = core.clock.after(core.limits.connectMs, this.#end)
  }

  start(): void {
    this.#client.once('close', this.#clientClosed)
    this.#upstream.once('close', this.#upstreamClosed)
    this.#client.on('data', this.#read)
    this.#client.once('end', this.#end)
  }

  readonly #end = (): void => {
    this.#client.destroy()
    this.#upstream.destroy()
  }

  readonly #clientClosed = (): void => {
    this.#release()
    finish(this.#upstream)
  }

  readonly #upstreamClosed = (): void => {
    this.#release()
    finish(this.#client)
  }

  #release(): void {
    this.#cancelHello()
    // While one side still takes what is left for it, it may not take for ever.
    if (this.#client.destroyed && this.#upstream.destroyed) this.#watch.stop()
  }

  readonly #read = (chunk: Buffer): void => {
    this.#watch.touch()
    const reading = this.#hello.push(chunk)
    switch (reading.type) {
      case 'more':
        return
      case 'not-tls':
        this.#serve()
        return
      case 'refused':
        this.#refuse(reading.reason)
        return
      case 'hello':
        if (this.#asksFor(reading.name)) this.#pass()
        else this.#refuse('its TLS client hello asks for another server')
        return
      default:
        reading satisfies never
    }
  }

  #asksFor(name: string | undefined): boolean {
    // For an address no name is asked for (RFC 6066).
    if (name === undefined) return isAddress(this.#target.host)
    return canonicalHost(name) === this.#target.host
  }

  #refuse(reason: string): void {
    const place = writeTarget(this.#target)
    noteRefusal(this.#core, 'CONNECT', place, new GateRefusal(403, `the tunnel to ${place} was closed: ${reason}`))
    this.#handOver()
    this.#upstream.removeListener('close', this.#upstreamClosed)
    this.#upstream.destroy()
    endGently(this.#core, this.#client, UNRECOGNISED_NAME)
  }

  /** To the server's own end, encrypted. */
  #pass(): void {
    this.#handOver()
    const { traffic } = this.#core
    const take = (direction: 'sent' | 'received') => (bytes: number) => {
      this.#watch.touch()
      return traffic.take(direction, bytes)
    }
    const cut = (): void => {
      const place = writeTarget(this.#target)
      noteRefusal(this.#core, 'CONNECT', place, spent(this.#core))
      this.#end()
    }
    const first = this.#hello.bytes
    if (!take('sent')(first.length)) {
      cut()
      return
    }
    this.#upstream.write(first)
    pump(this.#client, this.#upstream, take('sent'), cut)
    pump(this.#upstream, this.#client, take('received'), cut)
    this.#client.resume()
  }

  /** Plain HTTP: the request is read and written anew like any other. */
  #serve(): void {
    this.#handOver()
    this.#watch.stop()
    // The answer may still be on its way when the server has closed: the request's own end closes the client.
    this.#upstream.removeListener('close', this.#upstreamClosed)
    this.#client.pause()
    this.#client.unshift(this.#hello.bytes)
    this.#inside.tunnels.set(this.#client, { target: this.#target, upstream: this.#upstream })
    this.#inside.inner.emit('connection', this.#client)
    this.#client.resume()
  }

  #handOver(): void {
    this.#cancelHello()
    this.#client.removeListener('data', this.#read)
    this.#client.removeListener('end', this.#end)
  }
}

/** Lets what is already written go out, then closes. */
function finish(stream: Duplex): void {
  if (stream.writableFinished || stream.errored !== null) {
    stream.destroy()
    return
  }
  stream.once('finish', () => stream.destroy())
  stream.end()
}
