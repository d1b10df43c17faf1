import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { AdjutantError, type AdjutantErrorOptions, type ErrorOutcome } from '../../../contract/errors.ts'
import { STREAM_ENDED } from './http-transport.ts'

/**
 * Owns the truth about a call that gave no result: whether it can have run. A request that never reached the server, or that
 * the server refused before it looked at it, was not run. One that went out and was not answered may have taken effect, so
 * unless the tool only reads (or may be repeated) its outcome is unknown and the model is not told to try again.
 */

export interface CallSite {
  readonly server: string
  /** The tool's name at the server. */
  readonly tool: string
  /** Running it twice does no harm. */
  readonly harmless: boolean
  /** What became of the server, when it is known: `ended with exit code 1`. */
  readonly death: string | undefined
}

/** Codes of a connection that was never made. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])
const UNKNOWN_HINT = 'It may have taken effect; look before doing it again.'

/** True when the server no longer knows this session: the request was refused unread. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false
  // 404 is what the protocol says; some servers answer 400 and name the session.
  const { status } = error.data
  return status === 404 || (status === 400 && /session/i.test(error.message))
}

export function toCallError(error: unknown, site: CallSite): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  if (error instanceof Error && AdjutantError.isInstance(error.cause)) return error.cause
  const said = error instanceof Error ? error.message : String(error)
  const failed = (message: string): AdjutantError => new AdjutantError('TOOL_FAILED', message, { cause: error })
  if (error instanceof ProtocolError) {
    if (error.data === STREAM_ENDED) return unavailable(site, 'stopped answering in the middle of this call', unanswered(site), error)
    return failed(`MCP server "${site.server}" refused ${site.tool}: ${said.slice(0, MAX_SAID)}`)
  }
  if (error instanceof SdkHttpError) return httpError(error, site)
  if (error instanceof SdkError) {
    switch (error.code) {
      case SdkErrorCode.ConnectionClosed:
      case SdkErrorCode.SendFailed:
        return unavailable(site, `${site.death ?? 'ended'} in the middle of this call`, unanswered(site), error)
      case SdkErrorCode.CapabilityNotSupported:
        return new AdjutantError(
          'MCP_PROTOCOL',
          `MCP server "${site.server}" asked for what this client does not offer in ${site.tool}: ${said.slice(0, MAX_SAID)}`,
          {
            cause: error,
            ...unanswered(site),
          },
        )
      case SdkErrorCode.NotConnected:
        return unavailable(site, site.death ?? 'is not connected', { outcome: 'not-run' }, error)
      default:
        return new AdjutantError('MCP_PROTOCOL', `MCP server "${site.server}" answered ${site.tool} wrongly: ${said.slice(0, MAX_SAID)}`, {
          cause: error,
          ...unanswered(site),
        })
    }
  }
  if (NOT_CONNECTED.has(causeCode(error))) return unavailable(site, 'cannot be reached', { outcome: 'not-run' }, error)
  return unavailable(site, site.death ?? `gave no answer (${said.slice(0, MAX_SAID)})`, unanswered(site), error)
}

/** True when the server was lost before it answered: whether it ran the call is not known. */
export function isServerLost(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.data === STREAM_ENDED
  return (
    error instanceof SdkError && [SdkErrorCode.ConnectionClosed, SdkErrorCode.SendFailed, SdkErrorCode.NotConnected].includes(error.code)
  )
}

/** The server is not there: the call was not run. */
export function serverGone(server: string, death: string): AdjutantError {
  return new AdjutantError('MCP_SERVER_UNAVAILABLE', `MCP server "${server}" ${death}; the call was not run`, { outcome: 'not-run' })
}

const MAX_SAID = 1_000

function httpError(error: SdkHttpError, site: CallSite): AdjutantError {
  const { status } = error.data
  const options: AdjutantErrorOptions =
    status === 401 || status === 403
      ? { outcome: 'not-run', grade: 'final', hint: 'Do not repeat it: the server wants other credentials (headers in the configuration).' }
      : // A gateway's 5xx says nothing of whether the server behind it ran the call.
        status >= 500
        ? unanswered(site)
        : { outcome: 'not-run', grade: status === 408 || status === 429 ? 'retry' : 'final' }
  return unavailable(site, `answered with HTTP ${status}`, options, error)
}

function unavailable(site: CallSite, what: string, options: AdjutantErrorOptions, cause: unknown): AdjutantError {
  return new AdjutantError('MCP_SERVER_UNAVAILABLE', `MCP server "${site.server}" ${what}`, { ...options, cause })
}

function unanswered(site: CallSite): { readonly outcome: ErrorOutcome; readonly grade?: 'final'; readonly hint?: string } {
  return site.harmless ? { outcome: 'failed' } : { outcome: 'unknown', grade: 'final', hint: UNKNOWN_HINT }
}

function causeCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
