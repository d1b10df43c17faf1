/**
 * Owns what a failure of PostgreSQL means for a model or a person: the server's words with its code (SQLSTATE,
 * https://www.postgresql.org/docs/current/errcodes-appendix.html) and place, and the next step. Never a password.
 */
import { AdjutantError, type AdjutantErrorOptions, type ErrorCode } from '@adjutant/core/contract'
import { lineAndColumn } from './check-statement.ts'
import type { ConnectionTarget } from './connection-target.ts'

/** What the server says of an error, as far as it is looked at. */
export interface ServerError {
  readonly code: string
  readonly message: string
  readonly detail: string | undefined
  readonly hint: string | undefined
  /** Of a character, from 1. */
  readonly position: number | undefined
}

/** Undefined: it is not the server that speaks. */
export function serverError(error: unknown): ServerError | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const text = (name: string): string | undefined => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? value : undefined
  }
  const position = Number(text('position'))
  return {
    code: error.code,
    message: error.message,
    detail: text('detail'),
    hint: text('hint'),
    position: Number.isSafeInteger(position) && position > 0 ? position : undefined,
  }
}

/** Exact codes first, then classes of two letters. */
const HINTS: Readonly<Record<string, string>> = {
  '42601': 'Correct the statement at the place named.',
  '42P01': 'There is no such table: describe "*" lists them.',
  '42703': 'There is no such column: describe the table; text goes in single quotes.',
  '42883': 'There is no such function or operator for these types: cast the values, e.g. $1::int.',
  '42702': 'Put the table before the column: table.column.',
  '42803': 'Put the column into GROUP BY, or use it within an aggregate.',
  '42804': 'Cast one side so that the types agree.',
  '42P18': 'Say what type the parameter has, e.g. $1::text.',
  '42501': 'This account may not read that: use another table, or tell the person.',
  '25006': 'Only reading is allowed here.',
  '22P02': 'A value does not fit its type: correct it, or cast another way.',
  '22012': 'Guard the division: x / NULLIF(y, 0).',
  '54001': 'The statement is nested too deeply: simplify it.',
  '22': 'Correct the value that is named.',
  '40': 'Another transaction was in the way: try again.',
  '53': 'The server has no room for this now: ask for less, or try later.',
  '55': 'Something is locked: try again later.',
  '42': 'Correct the statement; describe shows tables and columns.',
}

/** @param sql what was sent; its place is told in lines and columns */
export function explainServerError(error: ServerError, sql: string, hint?: string): AdjutantError {
  const { code, position } = error
  const place = position === undefined ? '' : ` at ${lineAndColumn(sql, position)}`
  const detail = error.detail === undefined ? '' : ` (${error.detail.slice(0, 500)})`
  const known = hint ?? HINTS[code] ?? HINTS[code.slice(0, 2)] ?? 'Correct the statement, or ask in another way.'
  const said = error.hint === undefined ? known : `${error.hint.slice(0, 300)} ${known}`
  const grade: Pick<AdjutantErrorOptions, 'grade'> = /^(?:40|53|55)/.test(code)
    ? { grade: 'retry' }
    : code === '42501'
      ? { grade: 'final' }
      : {}
  return new AdjutantError('TOOL_FAILED', `PostgreSQL says (${code})${place}: ${error.message.slice(0, 1_000)}${detail}`, {
    hint: said,
    ...grade,
  })
}

type Reason = readonly [code: ErrorCode, problem: string, hint: string]

const LOGIN: Reason = ['CONFIG_INVALID', 'does not take this login', 'Check user and password, and what pg_hba.conf of the server allows.']
const DOWN: Reason = ['ORIGIN_UNAVAILABLE', 'is not taking connections now', 'Try again later; it is starting, stopping or full.']
const CERTIFICATE: Reason = [
  'CONFIG_INVALID',
  'shows a certificate that is not trusted',
  'Name its authority with "ca" or sslrootcert; sslmode=no-verify connects without a check.',
]

const CONNECTING: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: ['ORIGIN_UNAVAILABLE', 'refuses the connection', 'Check that the server runs there, and host and port in the url.'],
  ENOENT: ['ORIGIN_UNAVAILABLE', 'has no socket there', 'Check that the server runs, and the folder and port in the url.'],
  EACCES: ['CONFIG_INVALID', 'has a socket that this account may not use', 'Check the rights of the folder.'],
  ENOTFOUND: ['ORIGIN_UNAVAILABLE', 'is a host that nobody knows', 'Check the name of the host in the url.'],
  EAI_AGAIN: ['ORIGIN_UNAVAILABLE', 'is a host whose name cannot be looked up now', 'Check the network and the name servers.'],
  EHOSTUNREACH: ['ORIGIN_UNAVAILABLE', 'cannot be reached', 'Check the network, and host and port in the url.'],
  ENETUNREACH: ['ORIGIN_UNAVAILABLE', 'cannot be reached', 'Check the network, and host and port in the url.'],
  '3D000': ['CONFIG_INVALID', 'has no such database', 'Check the name of the database in the url.'],
  '28P01': LOGIN,
  '28000': LOGIN,
  '53300': DOWN,
  '57P01': DOWN,
  '57P02': DOWN,
  '57P03': DOWN,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  CERT_HAS_EXPIRED: ['CONFIG_INVALID', 'shows a certificate that has expired', 'It has to be renewed on the server.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['CONFIG_INVALID', 'shows a certificate for another name', 'Use the name that the certificate is for.'],
}

/** Why a connection is not there, or no longer. @param name of the database for the model, where it has one */
export function explainConnection(error: unknown, target: ConnectionTarget): AdjutantError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const message = error instanceof Error ? error.message : String(error)
  const [kind, problem, hint] = CONNECTING[code] ?? byMessage(message)
  const said = withoutPassword(message, target).slice(0, 500)
  return new AdjutantError(kind, `PostgreSQL at ${target.shown} ${problem}: ${code === '' ? '' : `${code}, `}${said}`, { hint })
}

function byMessage(message: string): Reason {
  if (/does not support SSL/.test(message)) {
    return [
      'CONFIG_INVALID',
      'offers no TLS',
      'Turn it on at the server, or write sslmode=disable into the url where the network is trusted.',
    ]
  }
  if (/timeout expired|timeout exceeded/.test(message)) {
    return ['ORIGIN_UNAVAILABLE', 'does not answer', 'Check host and port in the url, and firewalls on the way.']
  }
  if (/password must be a string/i.test(message)) {
    return [
      'CONFIG_INVALID',
      'wants a password and there is none',
      'Put it into the url, from an environment variable, or into PGPASSWORD.',
    ]
  }
  return ['ORIGIN_UNAVAILABLE', 'closed or lost the connection', 'Try again; if it stays so, check the server and its log.']
}

function withoutPassword(message: string, { password }: ConnectionTarget): string {
  return password === undefined || password === '' ? message : message.replaceAll(password, '***')
}
