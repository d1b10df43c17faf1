import { AdjutantError } from '../../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { piecesOf, type Reference } from '../../intake/plan/references.ts'
import { setOwn } from '../../util/set-own.ts'
import { lookUp, type Scope } from './look-up.ts'

/** Characters that references may add to the texts of one call. Ours: more than any tool takes. */
const MOST_TEXT = 4 * 1024 * 1024

/**
 * Puts values in the place of references. A text that is one reference becomes the value itself, with its type; inside a longer text it becomes
 * text. What was put in is not looked at again: a result with `${…}` in it stays what it is. Keys are left alone.
 *
 * @throws AdjutantError DEPENDENCY_FAILED for a value that is not there, TOO_LARGE
 *
 * @example
 * ```ts
 * substitute({ path: '${find.files.0}', note: 'of ${find.count}' }, scope) // { path: 'a.ts', note: 'of 3' }
 * ```
 */
export function substitute(params: JsonObject, scope: Scope): JsonObject {
  return new Substitution(scope).object(params)
}

/** The value of one reference. @throws AdjutantError DEPENDENCY_FAILED when it is not there */
export function referredTo(reference: Reference, scope: Scope): JsonValue {
  const found = lookUp(reference, scope)
  if (found.found) return found.value
  throw new AdjutantError('DEPENDENCY_FAILED', found.why)
}

class Substitution {
  readonly #scope: Scope
  #added = 0

  constructor(scope: Scope) {
    this.#scope = scope
  }

  object(value: JsonObject): JsonObject {
    const copy: { [key: string]: JsonValue } = {}
    for (const [key, member] of Object.entries(value)) setOwn(copy, key, this.#any(member))
    return copy
  }

  #any(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value !== 'object' || value === null) return value
    return isJsonObject(value) ? this.object(value) : value.map((item) => this.#any(item))
  }

  #text(text: string): JsonValue {
    const pieces = piecesOf(text)
    const [first] = pieces
    if (pieces.length === 1 && typeof first === 'object') return referredTo(first, this.#scope)
    return pieces.map((piece) => (typeof piece === 'string' ? piece : this.#inText(piece))).join('')
  }

  #inText(reference: Reference): string {
    const value = referredTo(reference, this.#scope)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    this.#added += text.length
    if (this.#added > MOST_TEXT) {
      throw new AdjutantError('TOO_LARGE', `the results put into its texts are longer than ${MOST_TEXT} characters`, { outcome: 'not-run' })
    }
    return text
  }
}
