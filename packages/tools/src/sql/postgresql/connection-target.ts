/**
 * Owns what an address of PostgreSQL says: where to connect, as whom, and how the connection is protected. Read by one reader, strictly: an option
 * that is not known here is refused, because a server takes settings from it (`options=-c …`). Nothing of a password is in any message.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { AdjutantError } from '@adjutant/core/contract'

export interface ConnectionTarget {
  /** Name, address, or the folder of a socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  /** Undefined: from the environment (PGPASSWORD) or the file of passwords, as other clients of PostgreSQL do. */
  readonly password: string | undefined
  readonly tls: false | ConnectionOptions
  /** `user@host:port/database`, for messages. */
  readonly shown: string
}

const OPTIONS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'host', 'port', 'user', 'dbname'])
const EXAMPLE = 'Write postgres://user:password@host:5432/database; take the password from an environment variable.'

/**
 * TLS: `sslmode=disable` none; `require`, `verify-ca`, `verify-full` with a certificate that is checked; `no-verify` unchecked. Without it: none to this machine
 * itself, checked to any other.
 *
 * @param ca certificates in PEM that are trusted in place of the usual ones
 * @throws AdjutantError CONFIG_INVALID
 */
export function readConnectionTarget(url: string, ca?: string): ConnectionTarget {
  const parsed = URL.parse(url)
  if (parsed === null || (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:')) throw wrong('it is no postgres:// address')
  const options = new Map<string, string>()
  for (const [name, value] of parsed.searchParams) {
    if (!OPTIONS.has(name)) throw wrong(`it has the option ${JSON.stringify(name.slice(0, 40))}, which is not taken here`)
    if (options.has(name)) throw wrong(`it has the option ${name} twice`)
    options.set(name, value)
  }
  if (parsed.hash !== '') throw wrong('it has a # (write %23 for one in a password)')
  const host = options.get('host') ?? decoded(parsed.hostname, 'host').replace(/^\[(.+)\]$/, '$1')
  const port = portOf(options.get('port') ?? parsed.port)
  const user = options.get('user') ?? decoded(parsed.username, 'user')
  const database = options.get('dbname') ?? decoded(parsed.pathname.slice(1), 'database')
  if (host === '') throw wrong('it names no host')
  if (user === '') throw wrong('it names no user')
  if (database === '') throw wrong('it names no database')
  const password = parsed.password === '' ? undefined : decoded(parsed.password, 'password')
  const shown = `${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
  return { host, port, user, database, password, tls: tlsOf(host, options, ca), shown }
}

/** A name or address that means this machine, or a socket. */
function isHere(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function tlsOf(host: string, options: ReadonlyMap<string, string>, ca: string | undefined): false | ConnectionOptions {
  const trusted = ca ?? certificates(options.get('sslrootcert'))
  const checked: ConnectionOptions = { rejectUnauthorized: true, ...(trusted === undefined ? {} : { ca: trusted }) }
  const mode = options.get('sslmode')
  switch (mode) {
    case 'disable':
      return false
    case 'no-verify':
      return { rejectUnauthorized: false }
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      return checked
    case undefined:
      return isHere(host) && trusted === undefined ? false : checked
    default:
      throw wrong(`sslmode ${JSON.stringify(mode.slice(0, 20))} is not taken here`, 'Use disable, verify-full or no-verify.')
  }
}

function certificates(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrong(`sslrootcert ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 'Name a file in PEM.')
  }
}

function portOf(text: string): number {
  if (text === '') return 5432
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port
  throw wrong('its port is none')
}

function decoded(text: string, part: string): string {
  try {
    const value = decodeURIComponent(text)
    if (!value.includes('\0')) return value
  } catch {
    // Said below, as for a NUL.
  }
  throw wrong(`its ${part} has a % that begins no letter (write %25)`)
}

function wrong(problem: string, hint = EXAMPLE): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `the url of the database cannot be used: ${problem}`, { hint })
}
