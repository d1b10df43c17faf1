import type { CallArguments } from '../contract/call.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { type CallId, callId } from '../contract/ids.ts'
import type { JsonValue } from '../contract/json.ts'
import type { IdSource } from '../contract/ports.ts'

/**
 * Owns the identity of the calls of one batch: their positions and their ids, each once. A provider's id is kept when it is there and
 * new; a missing, empty or repeated one is replaced, because two results under one id would be lost for good. Every wire and
 * text reader of one decoder shares one book.
 */

/** Receives what intake makes, in order. */
export type Emit = (event: DecodeEvent) => void

/** A call that has been announced and is not complete. */
export interface OpenCall {
  readonly id: CallId
  readonly index: number
  readonly name: string
  readonly idFromProvider: boolean
}

/** Arguments that still arrive. */
export interface Growing {
  /** Characters so far, undefined when no more than were told before; from now on growth is noted anew. */
  tellLength(): number | undefined
}

export class CallBook {
  readonly #emit: Emit
  readonly #ids: IdSource
  readonly #used = new Set<string>()
  /** Calls whose arguments have grown since growth was last told. */
  readonly #grown = new Map<OpenCall, Growing>()
  #count = 0

  constructor(emit: Emit, ids: IdSource) {
    this.#emit = emit
    this.#ids = ids
  }

  /** Calls announced so far. */
  get size(): number {
    return this.#count
  }

  /** Gives the next call its place and id, and announces it. */
  start(name: string, providerId?: string): OpenCall {
    const own = providerId !== undefined && providerId !== '' && !this.#used.has(providerId)
    let id = own ? providerId : this.#ids.next('call')
    while (!own && this.#used.has(id)) id = this.#ids.next('call')
    this.#used.add(id)
    const call: OpenCall = { id: callId(id), index: this.#count++, name, idFromProvider: own }
    this.#emit({ type: 'call-start', index: call.index, id, name })
    return call
  }

  /** Tells a finished top-level field of a call's arguments. */
  field(call: OpenCall, name: string, value: JsonValue): void {
    this.#emit({ type: 'call-field', index: call.index, id: call.id, name, value })
  }

  /** Notes that arguments have grown; told by {@link tellGrowth}, unless the call is complete by then. */
  grew(call: OpenCall, growing: Growing): void {
    this.#grown.set(call, growing)
  }

  /** Tells what has grown. Called once for each push, so that the rate is bounded by it. */
  tellGrowth(): void {
    if (this.#grown.size === 0) return
    for (const [call, growing] of this.#grown) {
      const chars = growing.tellLength()
      if (chars !== undefined) this.#emit({ type: 'call-growing', index: call.index, id: call.id, chars })
    }
    this.#grown.clear()
  }

  /** Hands a call over. Each call is handed over once: its owner drops it afterwards. */
  finish(call: OpenCall, args: CallArguments, form?: 'text'): void {
    this.#grown.delete(call)
    const { id, index, name, idFromProvider } = call
    const whole = { id, index, name, arguments: args, idFromProvider }
    this.#emit({ type: 'call', call: form === undefined ? whole : { ...whole, form } })
  }
}
