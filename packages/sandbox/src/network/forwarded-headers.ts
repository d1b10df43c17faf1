/**
 * Owns which headers pass a proxy: those that speak of one connection stay behind (RFC 9110 section 7.6.1), and how a body is framed is said
 * anew, so that both sides see the same end of it.
 */
import type { IncomingMessage } from 'node:http'
import { GateRefusal } from './gate-refusal.ts'

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
])

/** Names and values in turn, as `http.request` and `writeHead` take them, without hop-by-hop headers and without those in `besides`. */
export function passedHeaders(message: IncomingMessage, besides: readonly string[] = []): string[] {
  const named = new Set((message.headers.connection ?? '').split(',').map((word) => word.trim().toLowerCase()))
  // What frames the body and says whom it is for is not for the sender to take away.
  named.delete('content-length')
  named.delete('host')
  const passed: string[] = []
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index] ?? ''
    const lower = name.toLowerCase()
    if (!HOP_BY_HOP.has(lower) && !named.has(lower) && !besides.includes(lower)) passed.push(name, message.rawHeaders[index + 1] ?? '')
  }
  return passed
}

/**
 * How a request says where its body ends. Node's parser refuses a length beside chunks and two lengths; what is left is that
 * chunks must be the only coding, because only they are undone here.
 *
 * @throws GateRefusal 400
 */
export function checkFraming(request: IncomingMessage): 'none' | 'length' | 'chunked' {
  const coding = request.headers['transfer-encoding']
  const length = request.headers['content-length']
  if (coding !== undefined && length !== undefined) throw new GateRefusal(400, 'a request has both a length and chunks')
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw new GateRefusal(400, 'only chunks are taken as transfer coding')
  if (coding !== undefined) return 'chunked'
  return length === undefined ? 'none' : 'length'
}

/** Bytes that a head has about, for counting. */
export function headBytes(first: string, headers: readonly string[]): number {
  return headers.reduce((sum, part) => sum + part.length + 2, first.length + 4)
}
