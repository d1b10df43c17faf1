/**
 * Owns what a failed request is told as: which code, what to do next, and for whoever decides on a further attempt the status and the headers,
 * or the error of the connection, as `cause`.
 */
import { AdjutantError, type ErrorOutcome } from '@adjutant/core/contract'

/** Of certificates: trying again changes nothing, and going around it is not for the model to decide. */
const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|INVALID_CA|PATH_LENGTH_|INVALID_PURPOSE|HOSTNAME_MISMATCH|ERROR_IN_CERT_)/

export function forbidden(
  message: string,
  hint = 'Only public addresses can be fetched; go on without it or ask the person.',
): AdjutantError {
  return new AdjutantError('DENIED_BY_POLICY', message, { hint })
}

/** @param outcome what is known of a request that changes something; for reads it is always `failed` */
export function connectionFailure(error: unknown, host: string, outcome: ErrorOutcome): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const said = error instanceof Error ? error.message.slice(0, 300) : String(error)
  if (code === 'ENOTFOUND' || code === 'EAI_NODATA' || code === 'EAI_NONAME') {
    return new AdjutantError('NOT_FOUND', `there is no host ${host}`, {
      hint: 'Check the address, or search for the page.',
      cause: error,
      outcome: 'failed',
    })
  }
  if (CERTIFICATE.test(code)) {
    return new AdjutantError('TOOL_FAILED', `the certificate of ${host} is not valid: ${said}`, {
      hint: 'Do not try again; tell the person that the connection is not safe.',
      grade: 'final',
      cause: error,
    })
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AdjutantError('TOO_LARGE', `the headers of ${host} are too large`, {
      hint: 'Go on without this page.',
      cause: error,
      outcome,
    })
  }
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    const hint = 'Check whether the address needs http or https, and its port.'
    return new AdjutantError('TOOL_FAILED', `${host} does not speak ${code.startsWith('HPE_') ? 'HTTP' : 'TLS'}: ${said}`, {
      hint,
      cause: error,
      outcome,
    })
  }
  return new AdjutantError('TOOL_FAILED', `${host} cannot be reached: ${said}`, {
    hint: 'Try again later, or use another source.',
    cause: error,
    outcome,
  })
}

export interface FailedAnswer {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** What the server says, as text; empty where it says nothing readable. */
  readonly said: string
}

export function statusFailure(answer: FailedAnswer): AdjutantError {
  const { status, headers } = answer
  const said = answer.said === '' ? '' : `: ${answer.said}`
  const message = `${answer.url} answered ${status}${answer.statusText === '' ? '' : ` ${answer.statusText}`}${said}`
  // Only what a further attempt is decided by: cookies of strangers are nothing for a log.
  const cause = { status, headers: { 'retry-after': headers['retry-after'], 'retry-after-ms': headers['retry-after-ms'] } }
  if (status === 404 || status === 410) {
    return new AdjutantError('NOT_FOUND', message, { hint: 'The page is not there: search for it, or try the address of the site.', cause })
  }
  return new AdjutantError('TOOL_FAILED', message, { hint: statusHint(status), cause })
}

function statusHint(status: number): string {
  if (status === 401 || status === 407) return 'It wants a login; go on without it or ask the person.'
  if (status === 403 || status === 451) return 'It does not show this to programs; use another source.'
  if (status === 429) return 'It was asked too often; wait, or use another source.'
  if (status >= 500) return 'The server has a problem; try again later or use another source.'
  return 'Read what it says; correct the request or use another source.'
}
