import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, type ClientCapabilities, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import { isJsonObject, type Logger } from '../../../contract/index.ts'
import { answerElicitation, type ElicitationAnswer } from './elicitation.ts'
import type { RunningCalls } from './running-calls.ts'

/** What a server may ask of this side. */
export interface ClientServices {
  readonly server: string
  readonly calls: RunningCalls
  /** Absolute paths of the folders the server is told of; none: it is not told that there are any. */
  readonly roots: readonly string[]
  readonly logger?: Logger
}

/** Sampling is not among them: which model is asked what is decided by the host's model, never by a server. */
export function clientCapabilities({ roots }: Pick<ClientServices, 'roots'>): ClientCapabilities {
  return { elicitation: { form: {}, url: {} }, ...(roots.length === 0 ? {} : { roots: { listChanged: false } }) }
}

/** Lets a client answer what its server asks. Questions to the person come one after the other, each for the call it belongs to. */
export function serveClient(client: Client, { server, calls, roots, logger }: ClientServices): void {
  let last: Promise<unknown> = Promise.resolve()
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { asked } = calls
    if (asked === undefined) {
      logger?.warn(`MCP server "${server}" asked something while none of its tools was called; it was declined`)
      return { action: 'decline' }
    }
    const { call, tools } = asked
    const before = last
    const answer = (async (): Promise<ElicitationAnswer> => {
      await before
      return answerElicitation(isJsonObject(params) ? params : {}, { server, tools, ask: (question) => call.cx.ask(question) })
    })()
    last = answer.catch(() => {})
    return answer
  })
  if (roots.length > 0) {
    client.setRequestHandler('roots/list', () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path })),
    }))
  }
  client.fallbackRequestHandler = ({ method }) => {
    const why =
      method === 'sampling/createMessage' ? 'this client lends no model to its servers (no sampling)' : 'this client does not offer it'
    return Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, `${method.slice(0, 100)}: ${why}`))
  }
}
