/** Owns what every adapter can be given, its defaults, and the checks of it. */
import { AdjutantError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Clock, IdSource } from '../contract/ports.ts'
import { systemClock } from '../util/system-clock.ts'
import type { Transport } from './open-answer.ts'

export interface ModelOptions {
  /** The provider's name of the model, e.g. `gpt-5`. */
  readonly name: string
  /** Where the API is, e.g. `https://api.openai.com/v1`. A trailing slash does not matter. */
  readonly baseUrl?: string
  readonly apiKey?: string
  /** Default: random ones. */
  readonly ids?: IdSource
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Sent with each request; they win over the adapter's own. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the request's body, e.g. `{ temperature: 0 }`; they win over the adapter's own. */
  readonly body?: JsonObject
  /** Milliseconds without a byte after which an answer counts as broken. Default 120 000. */
  readonly stallMs?: number
  /** Further attempts before the first byte of an answer, on 429, 5xx and network errors. Default 2. */
  readonly retries?: number
  /** For people. Default: the adapter's name and the model's, e.g. `openai:gpt-5`. */
  readonly label?: string
}

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'

export const STALL_MS = 120_000
export const RETRIES = 2

export function transportOf(options: ModelOptions): Transport {
  return {
    clock: options.clock ?? systemClock,
    fetch: options.fetch ?? globalThis.fetch,
    stallMs: options.stallMs ?? STALL_MS,
    retries: options.retries ?? RETRIES,
  }
}

/**
 * A base URL without trailing slash and without the path of the very call, if a person copied that with it.
 * @throws AdjutantError CONFIG_INVALID for what is no http(s) URL, or carries a user, a password or a query
 */
export function checkedBaseUrl(text: string, callPath: string): string {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AdjutantError('CONFIG_INVALID', `not an http(s) address: ${JSON.stringify(text.slice(0, 200))}`, {
      hint: 'Give the address of the API, e.g. http://localhost:11434/v1.',
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw new AdjutantError('CONFIG_INVALID', `the address of ${url.host} carries a user name or password`, {
      hint: 'Give the key in the environment variable instead.',
    })
  }
  if (url.search !== '') {
    throw new AdjutantError('CONFIG_INVALID', `the address of ${url.host} has a query (${url.search.slice(0, 40)})`, {
      hint: 'Give the address of the API up to its path only.',
    })
  }
  url.hash = ''
  const plain = url.href.replace(/\/+$/, '')
  return plain.endsWith(callPath) ? plain.slice(0, -callPath.length) : plain
}

/** A key as it can be sent. @throws AdjutantError CONFIG_INVALID when it cannot be the value of a header */
export function checkedKey(key: string | undefined, variable: string): string | undefined {
  const trimmed = key?.trim()
  if (trimmed === undefined || trimmed === '') return undefined
  if (/[^\x21-\x7e]/.test(trimmed)) {
    throw new AdjutantError('CONFIG_INVALID', `the key in ${variable} has spaces, line breaks or letters that a key cannot have`, {
      hint: `Set ${variable} to the key alone.`,
    })
  }
  return trimmed
}

/** @throws AdjutantError CONFIG_INVALID for an empty name */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new AdjutantError('CONFIG_INVALID', 'the model has no name', { hint: 'Name a model, e.g. openai:gpt-5.' })
  return trimmed
}
