/**
 * Owns what the errors of both drivers mean. What comes out is an AdjutantError that names the database, says what to do next and holds no password;
 * `fault` says whether the same transaction may simply be tried again.
 */
import { AdjutantError, type AdjutantErrorOptions, type ErrorCode } from '@adjutant/core/contract'

export type Fault =
  /** Another process writes; nothing was begun. */
  | 'busy'
  /** The database chose this transaction as the one to give up; all of it was rolled back. */
  | 'serialisation'
  /** The connection was lost or could not be made. */
  | 'connection'
  /** The server takes no connections at this moment. */
  | 'starting'
  /** A row with this key is there already. */
  | 'duplicate'
  | 'other'

/** An error of a database. Thrown only by this folder; everybody else sees an AdjutantError. */
export class DriverFault extends AdjutantError {
  readonly fault: Fault

  constructor(fault: Fault, code: ErrorCode, message: string, options: AdjutantErrorOptions) {
    super(code, message, options)
    this.fault = fault
  }
}

interface Meaning {
  readonly fault: Fault
  readonly code: ErrorCode
  readonly says: string
  readonly hint: string
  readonly grade?: 'retry' | 'final'
}

/** By the primary result code, see sqlite3.h. */
const SQLITE: Readonly<Record<number, Meaning>> = {
  3: failed('may not be opened', 'Give this user the right to read and write the file and its folder.'),
  5: { fault: 'busy', code: 'STORE_FAILED', says: 'is being written by another process', hint: 'Try again in a moment.', grade: 'retry' },
  6: { fault: 'busy', code: 'STORE_FAILED', says: 'is being written by another process', hint: 'Try again in a moment.', grade: 'retry' },
  8: failed('cannot be written', 'Give this user the right to write the file and its folder, or name another file.'),
  10: failed('could not be read or written by the machine', 'Look at the disk and at the log of the machine.'),
  11: failed('is damaged', 'Take the file away and put a backup in its place.'),
  13: failed('is on a disk that is full', 'Make room on the disk, then try again; what was kept before is still there.'),
  14: failed('cannot be opened', 'Check that the folder exists and that this user may write to it.'),
  26: config('is no SQLite database', 'Name a database of this program or a file that does not exist yet.'),
}

function failed(says: string, hint: string): Meaning {
  return { fault: 'other', code: 'STORE_FAILED', says, hint, grade: 'final' }
}
function config(says: string, hint: string): Meaning {
  return { fault: 'other', code: 'CONFIG_INVALID', says, hint }
}

/** @param shown the database, without a password */
export function sqliteFault(error: unknown, shown: string): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  const number = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
  const said = error instanceof Error ? error.message : String(error)
  if (number === undefined)
    return make(failed('refused a statement', 'This is a fault of whoever wrote it; please report it.'), shown, said, error)
  // 2067 SQLITE_CONSTRAINT_UNIQUE, 1555 SQLITE_CONSTRAINT_PRIMARYKEY, 2579 SQLITE_CONSTRAINT_ROWID
  if (number === 2067 || number === 1555 || number === 2579) return duplicate(shown, said, error)
  const meaning = SQLITE[number & 0xff] ?? failed('refused a statement', 'Read the message; adjutant store check looks the database over.')
  return make(meaning, shown, said, error)
}

const POSTGRES: Readonly<Record<string, Meaning>> = {
  '40001': again('gave this transaction up for another one'),
  '40P01': again('gave this transaction up: two waited for each other'),
  '55P03': again('did not get a lock in time'),
  '57014': { ...failed('took too long for a statement', 'Try again when it has less to do, or raise statementTimeoutMs.'), grade: 'retry' },
  '57P03': {
    fault: 'starting',
    code: 'STORE_FAILED',
    says: 'is starting up or shutting down',
    hint: 'Try again in a moment.',
    grade: 'retry',
  },
  '53300': {
    fault: 'starting',
    code: 'STORE_FAILED',
    says: 'has no connection left',
    hint: 'Lower the pool size or raise max_connections.',
    grade: 'retry',
  },
  '53100': failed('is on a disk that is full', 'Make room on the disk of the database server, then try again.'),
  '25006': failed('is read-only', 'Name the primary server, not a replica.'),
  '28P01': config('refused the password', 'Check the user and the password in the address.'),
  '28000': config('refused the user', 'Check the user in the address and pg_hba.conf of the server.'),
  '3D000': config('has no database of this name', 'Create the database first, or correct its name in the address.'),
  '42501': config('does not permit this to the user', 'Give the user the right, or migrate once as the owner: adjutant store migrate.'),
}

/** Another process has migrated since this connection prepared the statement: it has to be prepared by a new one. */
const OUTDATED: Meaning = {
  fault: 'connection',
  code: 'STORE_FAILED',
  says: 'has other tables now than when a statement was prepared',
  hint: 'Try again.',
  grade: 'retry',
}

function again(says: string): Meaning {
  return { fault: 'serialisation', code: 'STORE_FAILED', says, hint: 'Try again.', grade: 'retry' }
}

/** What Node says of sockets, and what pg says when its socket is gone. */
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const LOST =
  /^(Connection terminated|Client has encountered a connection error|timeout e(xceeded|xpired)|Connection ended|Query read timeout|The client was closed|write after end)/i

/** @param shown the database, without a password */
export function postgresFault(error: unknown, shown: string): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  const said = firstMessage(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === '23505') return duplicate(shown, said, error)
  const meaning = code === '0A000' && said.includes('cached plan') ? OUTDATED : POSTGRES[code]
  if (meaning !== undefined) return make(meaning, shown, said, error)
  if (SOCKET.has(code) || /^(08|57P0)/.test(code) || code === '25P03' || LOST.test(said) || error instanceof AggregateError) {
    const lost: Meaning = {
      fault: 'connection',
      code: 'STORE_FAILED',
      says: 'cannot be reached',
      hint: 'Check that the server runs and that the host and the port in the address are right.',
      grade: 'retry',
    }
    return make(lost, shown, said, error)
  }
  return make(failed('refused a statement', 'Read the message; adjutant store check looks the database over.'), shown, said, error)
}

/** Node joins the errors of several addresses of one host into one without a message. */
function firstMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return firstMessage(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

function duplicate(shown: string, said: string, cause: unknown): DriverFault {
  return new DriverFault('duplicate', 'CONFLICT', `${shown} has this row already: ${said}`, { cause, outcome: 'not-run' })
}

function make(meaning: Meaning, shown: string, said: string, cause: unknown): DriverFault {
  return new DriverFault(meaning.fault, meaning.code, `the store ${shown} ${meaning.says}: ${said}`, {
    cause,
    hint: meaning.hint,
    outcome: 'not-run',
    ...(meaning.grade === undefined ? {} : { grade: meaning.grade }),
  })
}
