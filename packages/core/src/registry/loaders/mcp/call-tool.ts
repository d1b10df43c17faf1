import { isSpecType, type Tool, UrlElicitationRequiredError } from '@modelcontextprotocol/client'
import { AdjutantError, type CallContext, isJsonObject, type JsonObject, type Question, ToolOutput } from '../../../contract/index.ts'
import { isServerLost, isSessionLost, toCallError } from './call-error.ts'
import type { CallQueue } from './call-queue.ts'
import { answerElicitation } from './elicitation.ts'
import { NEVER_MS } from './limits.ts'
import type { Link } from './link.ts'
import type { LinkKeeper } from './link-keeper.ts'
import type { OutputCheck } from './output-check.ts'
import type { PinVerdict } from './pin-book.ts'
import type { ListedTool } from './read-tool.ts'
import type { RunningCalls } from './running-calls.ts'
import { toToolOutput } from './tool-output.ts'

export interface ToolCallerOptions {
  readonly server: string
  readonly keeper: LinkKeeper
  readonly calls: RunningCalls
  readonly queue: CallQueue | undefined
  readonly check: OutputCheck
  /** What is to be done with a tool of this name as it was listed last. */
  readonly verdict: (originalName: string) => PinVerdict
  /** A person agreed to the definition of a tool that was held. */
  readonly release: (tool: ListedTool) => void
}

/** More addresses than a person opens for one call. */
const MAX_ADDRESSES = 5

/** A call's schema for the client when nothing has to be mirrored: it then looks nothing up. */
const ANY_INPUT: Tool['inputSchema'] = { type: 'object' }

/**
 * Owns the way of one call to its server and back. A call of a tool that may be repeated is sent a second time when the server was
 * lost before it answered; any other call is sent once, whatever happens, and told truthfully.
 */
export class ToolCaller {
  readonly #options: ToolCallerOptions

  constructor(options: ToolCallerOptions) {
    this.#options = options
  }

  /** @param held why a person was asked about this definition, if one was: reaching this place means that they agreed */
  async call(tool: ListedTool, held: string | undefined, input: JsonObject, cx: CallContext): Promise<ToolOutput> {
    const { queue } = this.#options
    if (cx.signal.aborted) throw notSent(tool)
    if (queue === undefined) return this.#attempts(tool, held, input, cx)
    let begun = false
    try {
      return await queue.run(() => {
        begun = true
        return this.#attempts(tool, held, input, cx)
      }, cx.signal)
    } catch (error) {
      throw begun ? error : notSent(tool)
    }
  }

  async #attempts(tool: ListedTool, held: string | undefined, input: JsonObject, cx: CallContext): Promise<ToolOutput> {
    const { keeper } = this.#options
    const harmless = tool.readOnly || tool.idempotent
    for (let isAgain = false; ; isAgain = true) {
      const link = await keeper.up(cx.signal)
      // The server may have been started for this call, with another definition than the one it was made by.
      if (!isAgain) this.#checkPin(tool, held)
      try {
        return await keeper.use(link, () => this.#send(link, tool, input, cx))
      } catch (error) {
        if (cx.signal.aborted) throw this.#stopped(tool, cx.signal, error)
        if (error instanceof UrlElicitationRequiredError) throw await this.#visit(tool, error.elicitations, cx)
        const mayRepeat = harmless && !isAgain && !keeper.closed
        if (isSessionLost(error)) {
          const failure = await keeper.renew(link)
          if (!mayRepeat || failure !== undefined) throw this.#sessionLost(failure)
        } else if (!mayRepeat || !isServerLost(error)) {
          throw toCallError(error, { server: this.#options.server, tool: tool.originalName, harmless, death: link.death() })
        }
      }
    }
  }

  async #send(link: Link, tool: ListedTool, input: JsonObject, cx: CallContext): Promise<ToolOutput> {
    const { server, calls, check } = this.#options
    const result = await calls.run({ tool: tool.originalName, cx }, () =>
      link.client.callTool(
        { name: tool.originalName, arguments: input },
        {
          signal: cx.signal,
          timeout: NEVER_MS,
          // With a listener the server is asked for progress at all; each sign of life starts the call's time anew.
          onprogress: ({ message, progress, total }) =>
            cx.progress({ current: progress, ...(message === undefined ? {} : { message }), ...(total === undefined ? {} : { total }) }),
          toolDefinition: definitionOf(tool, link),
        },
      ),
    )
    const fault = check.fault(tool, result)
    const output = toToolOutput(result)
    if (fault === undefined) return output
    const { structured, isError, parts } = output
    // Where a text stands, the structured form is not shown: it is put into words first.
    const shown = structured === undefined ? parts : [...parts, { type: 'text' as const, text: JSON.stringify(structured) }]
    const note = `(MCP_PROTOCOL: MCP server "${server}" gave a result of another form than ${tool.originalName} declares: ${fault})`
    return new ToolOutput([...shown, { type: 'text', text: note }], { isError })
  }

  #checkPin(tool: ListedTool, held: string | undefined): void {
    const now = this.#options.verdict(tool.originalName)
    if (now.type === 'as-known') return
    if (now.type === 'leave-out') {
      throw new AdjutantError('DENIED_BY_POLICY', `${tool.originalName} is not what it was when it was agreed to, and is refused`)
    }
    if (now.reason === held) {
      this.#options.release(tool)
      return
    }
    throw new AdjutantError('CONFLICT', `${tool.originalName} was changed by its server since it was listed; it was not called`, {
      outcome: 'not-run',
      hint: 'Look at its definition as it is now and call it again: a person is asked first.',
    })
  }

  /** The server refuses the call until a person was at some addresses: they are shown, and the model is told what came of it. */
  async #visit(tool: ListedTool, addresses: unknown, cx: CallContext): Promise<AdjutantError> {
    const { server } = this.#options
    const caller = { server, tools: [tool.originalName], ask: (question: Question) => cx.ask(question) }
    let visited = 0
    const wanted = Array.isArray(addresses) ? addresses.slice(0, MAX_ADDRESSES) : []
    for (const address of wanted) {
      const { action } = await answerElicitation(isJsonObject(address) ? { ...address, mode: 'url' } : { mode: 'url' }, caller)
      if (action !== 'accept') break
      visited++
    }
    const isDone = visited > 0 && visited === wanted.length
    const came = isDone ? 'the person says that they were there' : 'nobody was there'
    return new AdjutantError(
      'TOOL_FAILED',
      `MCP server "${server}" did not run ${tool.originalName}: a person has to open an address first; ${came}`,
      {
        outcome: 'not-run',
        grade: isDone ? 'retry' : 'final',
        hint: isDone ? 'Send the same call again.' : 'Do not repeat it; say that somebody has to do this first.',
      },
    )
  }

  #stopped(tool: ListedTool, signal: AbortSignal, cause: unknown): AdjutantError {
    if (AdjutantError.isInstance(signal.reason)) return signal.reason
    const outcome = tool.readOnly || tool.idempotent ? 'failed' : 'unknown'
    const message = `the call of ${tool.originalName} was stopped; MCP server "${this.#options.server}" was told so`
    return new AdjutantError('CANCELLED', message, { outcome, cause })
  }

  /** The server refused the call unread, because it forgot the session. */
  #sessionLost(failure: AdjutantError | undefined): AdjutantError {
    const now =
      failure === undefined ? 'a new session was opened: the call can be sent again' : `opening a new one failed: ${failure.message}`
    const message = `MCP server "${this.#options.server}" lost the session and did not run the call; ${now}`
    return new AdjutantError('MCP_SERVER_UNAVAILABLE', message, {
      outcome: 'not-run',
      ...(failure === undefined ? { hint: 'Send the same call again.' } : { cause: failure }),
    })
  }
}

function notSent(tool: ListedTool): AdjutantError {
  return new AdjutantError('CANCELLED', `${tool.originalName} was stopped before it was sent`, { outcome: 'not-run' })
}

function definitionOf(tool: ListedTool, link: Link): Tool {
  // Without the output schema: what a server returns is shown to the model, not thrown away.
  const definition = { name: tool.originalName, inputSchema: tool.inputSchema }
  if (link.mirrorsArguments && isSpecType.Tool(definition)) return definition
  return { name: tool.originalName, inputSchema: ANY_INPUT }
}
