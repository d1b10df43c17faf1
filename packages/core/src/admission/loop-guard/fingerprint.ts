import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { MAX_VALUE_DEPTH } from '../limits.ts'
import { addDigests, TextDigest } from './text-digest.ts'
import { isRandom, isThisMoment, isTime, type KeyKind, keyKind } from './volatile.ts'

/** Where declared volatile arguments lie: `true` ends a path. */
type Places = Map<string, Places | true>

/**
 * Gives calls their fingerprint: one digest of the tool's name and of its arguments, whatever the order of their keys, without what says nothing of what is asked.
 *
 * Left out are the paths that the tool declares (`volatile`) and arguments named like request ids and nonces; of a read also moments and random values, save
 * where their name says that they mean a thing or a range, and save where nothing else would be left. A write keeps them: fifty records deleted by UUID are
 * fifty different calls. Of a write only an argument named like a time stamp is left out, and only when it holds the present moment.
 *
 * Never throws, for any JSON. Linear in the size of the arguments. One instance is reused; nothing of a call is kept but what {@link things} says.
 */
export class Fingerprinter {
  readonly #digest = new TextDigest()
  readonly #places = new WeakMap<AgentTool, Places | null>()
  #now = 0
  #reads = false
  #byShape = true
  #kept = 0
  #leftOut = 0
  #things = 0

  /** Digest of the arguments of the last call that say which things are meant; 0 when none do. */
  get things(): number {
    return this.#things
  }

  /** @param now milliseconds since 1970 */
  of(name: string, input: JsonObject | string, tool: AgentTool | undefined, reads: boolean, now: number): number {
    this.#now = now
    this.#reads = reads
    const places = tool?.volatile === undefined ? null : this.#placesOf(tool, tool.volatile)
    const fingerprint = this.#run(name, input, places, true)
    // `lookup({ value: <uuid> })` asks for that very value.
    return this.#leftOut > 0 && this.#kept === 0 ? this.#run(name, input, places, false) : fingerprint
  }

  #run(name: string, input: JsonObject | string, places: Places | null, byShape: boolean): number {
    this.#byShape = byShape
    this.#kept = 0
    this.#leftOut = 0
    this.#things = 0
    this.#digest.start().text(name)
    if (typeof input === 'string') {
      this.#kept = 1
      this.#digest.word(9).text(input)
    } else {
      this.#object(input, places, 0)
    }
    return this.#digest.value()
  }

  #value(value: JsonValue | undefined, kind: KeyKind, places: Places | null, depth: number): void {
    const digest = this.#digest
    switch (typeof value) {
      case 'string':
        if (this.#byShape && this.#isVolatile(value, kind)) {
          this.#leftOut++
          return
        }
        this.#kept++
        digest.word(1).text(value)
        return
      case 'number':
        if (this.#byShape && value > 1e9 && this.#isVolatile(value, kind)) {
          this.#leftOut++
          return
        }
        this.#kept++
        if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) digest.word(2).digest(value)
        else digest.word(3).text(String(value))
        return
      case 'boolean':
        this.#kept++
        digest.word(value ? 4 : 5)
        return
      case 'object':
        break
      default:
        // Not JSON; intake lets none of it through.
        digest.word(6)
        return
    }
    if (value === null) {
      this.#kept++
      digest.word(7)
    } else if (depth >= MAX_VALUE_DEPTH) {
      digest.word(8)
    } else if (isArray(value)) {
      digest.word(10).word(value.length)
      for (let at = 0; at < value.length; at++) {
        const place = places?.get(String(at))
        if (place !== true) this.#value(value[at], kind, place ?? null, depth + 1)
      }
    } else {
      this.#object(value, places, depth + 1)
    }
  }

  /** Members are summed, so that their order does not matter and nothing need be sorted. */
  #object(object: JsonObject, places: Places | null, depth: number): void {
    const digest = this.#digest
    const outside = digest.value()
    let sum = 0
    for (const key of Object.keys(object)) {
      const value = object[key]
      if (value === undefined) continue
      const kind = keyKind(key)
      const place = places === null ? undefined : places.get(key)
      if (kind === 'noise' || place === true) continue
      const before = this.#leftOut
      digest.start().text(key)
      this.#value(value, kind, place ?? null, depth)
      // A member that is left out is as if it were not there: half of the models send it and half do not.
      if (this.#leftOut > before && typeof value !== 'object') continue
      const member = digest.value()
      sum = addDigests(sum, member)
      if (kind === 'thing') this.#things = addDigests(this.#things, member)
    }
    digest.start().word(11).digest(outside).digest(sum)
  }

  #isVolatile(value: string | number, kind: KeyKind): boolean {
    switch (kind) {
      case 'noise':
        return true
      case 'thing':
        return false
      case 'clock':
        return this.#reads ? isTime(value, this.#now) : isThisMoment(value, this.#now)
      case 'range':
        return this.#reads && typeof value === 'string' && isRandom(value)
      case 'plain':
        return this.#reads && ((typeof value === 'string' && isRandom(value)) || isTime(value, this.#now))
      default:
        return kind satisfies never
    }
  }

  /** What does not begin with `/` is no JSON Pointer to a member and is passed over. */
  #placesOf(tool: AgentTool, pointers: readonly string[]): Places | null {
    const known = this.#places.get(tool)
    if (known !== undefined) return known
    const root: Places = new Map()
    for (const pointer of pointers) {
      if (!pointer.startsWith('/')) continue
      const tokens = pointer.slice(1).split('/').map(unescaped)
      const last = tokens.pop() ?? ''
      let places: Places | undefined = root
      for (const token of tokens) {
        const next: Places | true | undefined = places.get(token)
        // The whole of it is left out already.
        if (next === true) {
          places = undefined
          break
        }
        const inner: Places = next ?? new Map()
        places.set(token, inner)
        places = inner
      }
      places?.set(last, true)
    }
    const places = root.size === 0 ? null : root
    this.#places.set(tool, places)
    return places
  }
}

function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** `Array.isArray` does not narrow readonly arrays. */
function isArray(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value)
}
