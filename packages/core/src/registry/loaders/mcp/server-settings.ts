import { isJsonObject, type JsonObject, ownValue } from '../../../contract/json.ts'

/** What becomes of a tool whose definition is not the one that was seen before. */
export type PinMode = 'warn' | 'ask' | 'refuse'

/** What a server of either kind can be given. */
export interface ServerSettings {
  /** Milliseconds for one call; progress starts the time anew. Default: the session's. */
  readonly timeoutMs?: number
  /** Names of the server's own tools that are taken, `*` and `?` as in file names. Default: all. */
  readonly allow?: readonly string[]
  /** Names of the server's own tools that are left out; goes before `allow`. */
  readonly deny?: readonly string[]
  /** Calls that the server works on at the same time; more wait. Default: no limit. */
  readonly concurrency?: number
  /** Not started before the first call, as long as its tools are known from an earlier time. Needs a state folder. Default false. */
  readonly lazy?: boolean
  /**
   * What to do when a tool's description or schema is not the one that was seen before: tell of it, hold its next call until a
   * person agrees, or leave the tool out. Needs a state folder. Default: definitions are not remembered.
   */
  readonly pin?: PinMode
  /** Absolute paths of the folders the server is told to work in. Default: none. */
  readonly roots?: readonly string[]
}

/** How a remote server is signed in to. */
export interface OAuthSettings {
  /** For a client that was registered by hand. Default: registers itself. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Address of a document that describes this client, for authorisation servers that take one as the id. */
  readonly clientMetadataUrl?: string
  /** Default: what the server asks for. */
  readonly scope?: string
  /** Port of the loopback address the browser is sent back to. Default: any that is free. */
  readonly port?: number
}

type Fail = (what: string, hint: string) => never

export function readSettings(value: JsonObject, fail: Fail): ServerSettings {
  const timeoutMs = ownValue(value, 'timeoutMs')
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    return fail('timeoutMs is not a number above 0', 'Give milliseconds for one call, or leave it out.')
  }
  const concurrency = ownValue(value, 'concurrency')
  if (concurrency !== undefined && !(typeof concurrency === 'number' && Number.isInteger(concurrency) && concurrency > 0)) {
    return fail('concurrency is not a whole number above 0', 'Give the number of calls at the same time, or leave it out.')
  }
  const { allow, deny, roots, lazy, pin } = value
  for (const [key, list] of Object.entries({ allow, deny, roots })) {
    if (list !== undefined && !isTextList(list))
      return fail(`${key} is not a list of strings`, `Give each entry of ${key} as a string of its own.`)
  }
  if (lazy !== undefined && typeof lazy !== 'boolean') return fail('lazy is neither true nor false', 'Give true or false.')
  if (pin !== undefined && !isPinMode(pin)) return fail('pin is none of warn, ask, refuse', 'Give one of these, or leave it out.')
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(isTextList(allow) ? { allow } : {}),
    ...(isTextList(deny) ? { deny } : {}),
    ...(isTextList(roots) ? { roots } : {}),
    ...(lazy === undefined ? {} : { lazy }),
    ...(pin === undefined ? {} : { pin }),
  }
}

/** False: never signs in. */
export function readOAuth(value: unknown, fail: Fail): OAuthSettings | boolean {
  if (typeof value === 'boolean') return value
  if (!isJsonObject(value)) return fail('oauth is neither true, false nor an object', 'Give { "clientId": … }, or leave it out.')
  const texts: [string, string][] = []
  for (const key of ['clientId', 'clientSecret', 'clientMetadataUrl', 'scope'] as const) {
    const text = ownValue(value, key)
    if (text === undefined) continue
    // The value is not quoted: it may be a secret.
    if (typeof text !== 'string' || text === '') return fail(`oauth.${key} is not a string`, 'Give a string, or leave it out.')
    texts.push([key, text])
  }
  const port = ownValue(value, 'port')
  if (port !== undefined && !(typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536)) {
    return fail('oauth.port is no port', 'Give a number from 1 to 65535, or leave it out.')
  }
  return { ...Object.fromEntries(texts), ...(port === undefined ? {} : { port }) }
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isPinMode(value: unknown): value is PinMode {
  return value === 'warn' || value === 'ask' || value === 'refuse'
}
