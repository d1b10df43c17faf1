/**
 * Owns the functions of the host that code in a box may call: each is granted by name, says what it takes, and gets and gives copies as
 * JSON. No object of either side ever reaches the other; of an error only its message does. Calls of one run are bounded in number and size.
 */
import { AdjutantError, type JsonValue } from '@adjutant/core/contract'
import { type GrantShape, type HostParameter, MAX_CALL_TEXT, MAX_PENDING_CALLS } from './protocol.ts'

export type { HostParameter } from './protocol.ts'

/** Characters of what one call gives back. */
const MAX_RESULT = 8_388_608
const MAX_MESSAGE = 2_000
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
/** Would make the object of granted functions look like something else than it is. */
const REFUSED_NAMES: ReadonlySet<string> = new Set(['then', 'constructor', 'toString', 'valueOf', 'toJSON', '__proto__', 'prototype'])

export interface HostCall {
  /** Aborts when the run that called ends. */
  readonly signal: AbortSignal
}

export interface HostGrant {
  readonly parameters: readonly HostParameter[]
  /** What it throws reaches the code as an error with the same message. */
  readonly call: (values: readonly JsonValue[], context: HostCall) => JsonValue | undefined | Promise<JsonValue | undefined>
}

/** By the name that code calls them by: `host.<name>(…)`. */
export type HostGrants = Readonly<Record<string, HostGrant>>

type HostValue<P extends HostParameter> = P extends 'string'
  ? string
  : P extends 'number'
    ? number
    : P extends 'boolean'
      ? boolean
      : JsonValue

type HostValues<P extends readonly HostParameter[]> = { readonly [I in keyof P]: HostValue<P[I]> }

/**
 * A function that code in a box may call. The kinds of its parameters are checked before it is called.
 *
 * @example
 * ```ts
 * const grants = { area: hostFunction(['number', 'number'], (width, height) => width * height) }
 * // in the box: console.log(await host.area(2, 3))
 * ```
 */
export function hostFunction<const P extends readonly HostParameter[]>(
  parameters: P,
  call: (...values: [...HostValues<P>, context: HostCall]) => JsonValue | undefined | Promise<JsonValue | undefined>,
): HostGrant {
  return {
    parameters,
    call: (values, context) => {
      const given: unknown = values
      assertValues(parameters, given)
      return call(...given, context)
    },
  }
}

/** @throws AdjutantError CONFIG_INVALID for a name that cannot be one */
export function grantShapes(grants: HostGrants): readonly GrantShape[] {
  return Object.entries(grants).map(([name, { parameters }]) => {
    if (!NAME.test(name) || REFUSED_NAMES.has(name)) {
      throw new AdjutantError('CONFIG_INVALID', `grants: ${JSON.stringify(name.slice(0, 80))} cannot be the name of a function in a box`)
    }
    return { name, parameters: [...parameters] }
  })
}

export interface HostAnswer {
  readonly ok: boolean
  /** JSON, or what is wrong. */
  readonly text: string
}

/** The calls of one run. */
export class GrantDesk {
  readonly #grants: ReadonlyMap<string, HostGrant>
  readonly #ended = new AbortController()
  #pending = 0

  constructor(grants: HostGrants) {
    this.#grants = new Map(Object.entries(grants))
  }

  /** Never rejects. @param text the arguments as a JSON array, written by the code */
  async call(name: string, text: string): Promise<HostAnswer> {
    const grant = this.#grants.get(name)
    if (grant === undefined) return refused(`host.${name.slice(0, 80)} is not granted`)
    if (this.#pending >= MAX_PENDING_CALLS) return refused(`more than ${MAX_PENDING_CALLS} calls of the host at once`)
    if (text.length > MAX_CALL_TEXT) return refused(`the arguments of host.${name} are longer than ${MAX_CALL_TEXT} characters`)
    this.#pending += 1
    try {
      const values = argumentsOf(text)
      assertValues(grant.parameters, values)
      const result = JSON.stringify((await grant.call(values, { signal: this.#ended.signal })) ?? null)
      if (result.length > MAX_RESULT) return refused(`what host.${name} gave is longer than ${MAX_RESULT} characters`)
      return { ok: true, text: result }
    } catch (error) {
      return refused(`host.${name}: ${messageOf(error)}`)
    } finally {
      this.#pending -= 1
    }
  }

  end(): void {
    this.#ended.abort()
  }
}

function refused(text: string): HostAnswer {
  return { ok: false, text: text.slice(0, MAX_MESSAGE) }
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'it failed'
  }
}

function argumentsOf(text: string): readonly JsonValue[] {
  const values: unknown = JSON.parse(text)
  if (!isValues(values)) throw new TypeError('the arguments are no list')
  return values
}

/** What `JSON.parse` gives is made of JSON values. */
function isValues(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function assertValues<P extends readonly HostParameter[]>(parameters: P, values: unknown): asserts values is HostValues<P> {
  if (!isValues(values) || values.length !== parameters.length) {
    throw new TypeError(
      `takes ${parameters.length} arguments (${parameters.join(', ')}) and got ${isValues(values) ? values.length : 'none'}`,
    )
  }
  for (const [index, kind] of parameters.entries()) {
    const value = values[index]
    if (value === undefined || (kind !== 'json' && typeof value !== kind)) {
      throw new TypeError(`argument ${index + 1} must be a ${kind} and is ${value === null ? 'null' : typeof value}`)
    }
  }
}
