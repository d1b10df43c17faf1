import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

const PATH = '/callback'
const DONE = 'Signed in. This page can be closed.\n'
const STRANGE = 'This is not the answer that is waited for.\n'

/**
 * Owns the address on this machine to which a browser is sent back after a person signed in. Listens on the loopback interface only
 * and takes one kind of request: the answer that carries the state of the sign-in that is under way; whatever else comes is refused and
 * changes nothing.
 */
export class Loopback implements AsyncDisposable {
  readonly #server: Server
  readonly url: string
  readonly port: number
  #expected: { readonly state: string; readonly answered: (answer: URLSearchParams) => void } | undefined

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
    this.url = `http://127.0.0.1:${port}${PATH}`
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', this.url)
      const waiting = this.#expected
      const fits =
        request.method === 'GET' && url.pathname === PATH && waiting !== undefined && url.searchParams.get('state') === waiting.state
      response.writeHead(fits ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end(fits ? DONE : STRANGE)
      if (fits) waiting.answered(url.searchParams)
    })
    server.unref()
  }

  /** @param wanted a port to listen on; where it is taken, another one, unless `fixed` @throws the system's error when it cannot listen */
  static async open(wanted: number | undefined, fixed: boolean): Promise<Loopback> {
    try {
      return await listen(wanted ?? 0)
    } catch (error) {
      if (fixed || wanted === undefined) throw error
      return listen(0)
    }
    async function listen(port: number): Promise<Loopback> {
      const server = createServer()
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      return new Loopback(server, typeof address === 'object' && address !== null ? address.port : port)
    }
  }

  /** The answer to the sign-in of this state. @throws the signal's reason when it aborts first */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    this.#expected = { state, answered: resolve }
    return promise.finally(() => {
      signal.removeEventListener('abort', giveUp)
      this.#expected = undefined
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
