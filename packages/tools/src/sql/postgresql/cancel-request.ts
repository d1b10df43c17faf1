/**
 * Owns asking a server to end what a connection of ours does: by a connection of its own, as the protocol wants it
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS), within TLS where the other one is.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ConnectionTarget } from './connection-target.ts'

const CANCEL = 80_877_102
const TLS = 80_877_103

/** What the server told the connection that is to be stopped. */
export interface BackendKey {
  readonly processId: number
  readonly secretKey: number
}

/**
 * Ends when the server has taken the request, or it could not be brought there; the caller looks at its own connection for what became of it. Never rejects.
 *
 * @param giveUp ends the attempt
 */
export async function cancelRequest(target: ConnectionTarget, key: BackendKey, giveUp: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const path = target.host.startsWith('/') ? { path: `${target.host}/.s.PGSQL.${target.port}` } : { host: target.host, port: target.port }
  const socket = connect(path)
  const stop = (): void => {
    socket.destroy()
    resolve()
  }
  socket.on('error', stop)
  // The server closes when it has passed the request on.
  socket.on('close', resolve)
  giveUp.addEventListener('abort', stop, { once: true })
  if (giveUp.aborted) stop()
  socket.once('connect', () => {
    if (target.tls === false) sendCancel(socket, key)
    else throughTls(socket, target, key, stop)
  })
  await promise
  giveUp.removeEventListener('abort', stop)
  socket.destroy()
}

function throughTls(socket: Socket, { tls, host }: ConnectionTarget, key: BackendKey, stop: () => void): void {
  socket.once('data', (answer) => {
    if (answer[0] !== 0x53 || tls === false) {
      stop()
      return
    }
    const protectedSocket = connectTls({ ...tls, socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) })
    protectedSocket.on('error', stop)
    protectedSocket.on('close', stop)
    protectedSocket.once('secureConnect', () => sendCancel(protectedSocket, key))
  })
  socket.write(numbers(8, TLS))
}

function sendCancel(socket: Socket, { processId, secretKey }: BackendKey): void {
  // Read to its end, or the close is never seen.
  socket.resume()
  socket.write(numbers(16, CANCEL, processId, secretKey))
}

function numbers(...all: readonly number[]): Buffer {
  const bytes = Buffer.alloc(all.length * 4)
  for (const [index, number] of all.entries()) bytes.writeInt32BE(number, index * 4)
  return bytes
}
