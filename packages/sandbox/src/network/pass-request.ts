/**
 * Owns passing one plain HTTP request on: `http://` in absolute form to the gate itself, or in origin form inside of a tunnel. One request
 * for each connection; both heads are written anew, so that nothing that two readers could read differently gets through.
 */
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import { checkFraming, headBytes, passedHeaders } from './forwarded-headers.ts'
import { type GateCore, noteRefusal, reach, spent } from './gate-core.ts'
import { GateRefusal, refusalOf } from './gate-refusal.ts'
import { type HostTarget, readAuthority, writeTarget } from './host-rules.ts'
import { IdleWatch } from './idle-watch.ts'
import { pump } from './pump.ts'

/** An open tunnel to `target` whose socket the request goes over. */
export interface OpenTunnel {
  readonly target: HostTarget
  readonly upstream: Socket
}

interface Passage {
  readonly target: HostTarget
  readonly path: string
}

/** Never rejects. */
export async function passRequest(core: GateCore, request: IncomingMessage, response: ServerResponse, tunnel?: OpenTunnel): Promise<void> {
  let place = tunnel === undefined ? (request.url ?? '') : writeTarget(tunnel.target)
  try {
    const framing = checkFraming(request)
    const { target, path } = tunnel === undefined ? readAbsolute(request) : readWithin(request, tunnel.target)
    place = writeTarget(target)
    checkHost(request, target)
    const upstream = tunnel?.upstream ?? (await reach(core, 'HTTP', target, request.socket))
    if (request.socket.destroyed) upstream.destroy()
    else send(core, { request, response, target, path, upstream, framing })
  } catch (error) {
    const refusal = refusalOf(error, place)
    noteRefusal(core, 'HTTP', place, refusal)
    refuse(response, refusal)
  }
}

export function refuse(response: ServerResponse, refusal: GateRefusal): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = refusal.sentence
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  response.writeHead(refusal.status, headers).end(body)
}

function readAbsolute(request: IncomingMessage): Passage {
  const text = request.url ?? ''
  if (/^https:/i.test(text)) throw new GateRefusal(403, 'https goes through CONNECT, so that it stays encrypted to its end')
  // Read by hand and not by URL, which would mend what another reader takes literally.
  const [, authority = '', path = ''] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(text) ?? []
  if (authority === '') throw new GateRefusal(400, 'this is a proxy: it takes http:// addresses in full, and CONNECT')
  if (authority.includes('@')) throw new GateRefusal(403, 'an address with a user name in it is not passed on')
  const target = readAuthority(/:\d+$/.test(authority) ? authority : `${authority}:80`)
  if (target === undefined) throw new GateRefusal(403, `${JSON.stringify(authority.slice(0, 300))} is no host`)
  return { target, path: path.startsWith('/') ? path : `/${path}` }
}

function readWithin(request: IncomingMessage, target: HostTarget): Passage {
  const path = request.url ?? ''
  if (!path.startsWith('/') && path !== '*') throw new GateRefusal(403, 'inside of a tunnel only the path is asked for')
  return { target, path }
}

/** The server must be told the name that was allowed, or it may answer in the name of another one. */
function checkHost(request: IncomingMessage, target: HostTarget): void {
  const names = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  const text = request.headers.host
  if (names > 1) throw new GateRefusal(400, 'a request has two Host headers')
  if (text === undefined) return
  const said = readAuthority(/:\d+$/.test(text) ? text : `${text}:80`)
  if (said?.host === target.host && said.port === target.port) return
  throw new GateRefusal(403, `the Host header names another host than ${writeTarget(target)}`)
}

interface Sending extends Passage {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upstream: Socket
  readonly framing: 'none' | 'length' | 'chunked'
}

function send(core: GateCore, { request, response, target, path, upstream, framing }: Sending): void {
  const { traffic } = core
  const method = request.method ?? 'GET'
  const headers = ['Host', writeTarget(target, 'http'), ...passedHeaders(request, ['host']), 'Connection', 'close']
  if (framing === 'chunked') headers.push('Transfer-Encoding', 'chunked')
  const outgoing = sendRequest({ createConnection: () => upstream, method, path, headers, setHost: false })
  const watch = new IdleWatch(core.clock, core.limits.idleMs, () =>
    end(new GateRefusal(504, `${writeTarget(target)} did not answer in time`)),
  )
  const end = (refusal: GateRefusal): void => {
    outgoing.destroy()
    upstream.destroy()
    if (response.destroyed) return
    if (response.headersSent) response.destroy()
    else {
      noteRefusal(core, 'HTTP', writeTarget(target), refusal)
      refuse(response, refusal)
    }
  }
  const take = (direction: 'sent' | 'received') => (bytes: number) => {
    watch.touch()
    return traffic.take(direction, bytes)
  }
  const cut = (): void => end(spent(core))
  if (!take('sent')(headBytes(`${method} ${path}`, headers))) {
    cut()
    return
  }
  response.once('close', () => {
    watch.stop()
    outgoing.destroy()
    upstream.destroy()
  })
  request.once('error', () => response.destroy())
  outgoing.once('error', (error) => end(refusalOf(error, writeTarget(target))))
  // An answer that is none, such as a change of protocol that nobody asked for, ends it without an error.
  outgoing.once('close', () => {
    if (!response.headersSent) end(new GateRefusal(502, `${writeTarget(target)} gave no answer`))
  })
  outgoing.once('response', (incoming) => {
    const passed = passedHeaders(incoming)
    if (!take('received')(headBytes('HTTP/1.1 200 OK', passed))) {
      cut()
      return
    }
    // An answer that breaks off must break off for the client as well: an end would make it whole.
    incoming.once('error', () => response.destroy())
    incoming.once('close', () => {
      if (!incoming.complete) response.destroy()
    })
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? '', [...passed, 'Connection', 'close'])
    pump(incoming, response, take('received'), cut)
  })
  if (framing === 'none') outgoing.end()
  else pump(request, outgoing, take('sent'), cut)
}
