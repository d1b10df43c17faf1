import { retryAfterMs } from '../util/retry-after.ts'

/**
 * Owns what an error and its causes say of the world: the code of a broken connection, an HTTP status, how long a server wants to be left
 * alone. Looks at the forms that Node, undici and the usual HTTP clients give their errors. Never throws; bounded whatever hangs on the error.
 */
export interface FailureSigns {
  /** e.g. `ECONNRESET`; only codes that say that the network failed. */
  readonly network?: string
  /** The status that a server answered with. */
  readonly status?: number
  /** Milliseconds. */
  readonly retryAfterMs?: number
}

/** Errors looked at, causes of causes included. */
const MAX_ERRORS = 16
/** Of one AggregateError: an address of each kind is tried, so two are usual. */
const MAX_PARTS = 4

/** From the errors of Node's `net`, `dns` and `tls`, and of undici (`fetch`). Those that a wrong program causes are left out. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CLOSED',
])

/** @param now milliseconds since 1970, for dates in `Retry-After` */
export function failureSigns(thrown: unknown, now: number): FailureSigns {
  const signs: { network?: string; status?: number; retryAfterMs?: number } = {}
  const queue: unknown[] = [thrown]
  const seen = new Set<unknown>()
  // Outermost first: what whoever threw last says counts more than what lies below it.
  for (let at = 0; at < queue.length && at < MAX_ERRORS; at += 1) {
    const error = queue[at]
    if (typeof error !== 'object' || error === null || seen.has(error)) continue
    seen.add(error)
    const code = member(error, 'code')
    if (signs.network === undefined && typeof code === 'string' && NETWORK_CODES.has(code)) signs.network = code
    for (const place of [error, member(error, 'response'), member(error, 'data')]) {
      const status = statusOf(place)
      if (signs.status === undefined && status !== undefined) signs.status = status
      const told = retryAfterMs(member(place, 'headers') ?? member(place, 'responseHeaders'), now)
      if (signs.retryAfterMs === undefined && told !== undefined) signs.retryAfterMs = told
    }
    queue.push(member(error, 'cause'))
    const parts = member(error, 'errors')
    if (Array.isArray(parts)) queue.push(...parts.slice(0, MAX_PARTS))
  }
  return signs
}

function statusOf(place: unknown): number | undefined {
  const status = member(place, 'status') ?? member(place, 'statusCode')
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined
}

function member(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null) return undefined
  try {
    return Reflect.get(object, key)
  } catch {
    // A getter that throws says nothing.
    return undefined
  }
}
