import { STATUS_CODES } from 'node:http'

/** Why something is not passed on: by the rules of the gate (403), because it is no proper request (400), or because nobody answers (502, 504). */
export class GateRefusal extends Error {
  readonly status: 400 | 403 | 502 | 504

  /** @param message one sentence without its full stop, for whoever runs in the box */
  constructor(status: 400 | 403 | 502 | 504, message: string) {
    super(message)
    this.name = 'GateRefusal'
    this.status = status
  }

  /** The body of the answer. */
  get sentence(): string {
    return `adjutant: ${this.message}.\n`
  }
}

/** Anything thrown, as an answer: what is no refusal is a failure of the way to the server. */
export function refusalOf(thrown: unknown, place: string): GateRefusal {
  if (thrown instanceof GateRefusal) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'no answer'
  return new GateRefusal(502, `${place} cannot be reached (${code})`)
}

/** The answer as bytes, for a socket that no HTTP server holds any more. */
export function writeRefusal(refusal: GateRefusal): string {
  const body = refusal.sentence
  return (
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}
