/**
 * Owns the search for a call's name and id among the members of the outermost object, while the object still arrives: so that the call can be
 * announced. Told of each string, colon and comma there; forgets everything else.
 */

/** Longer strings are no tool's name. */
const NAME_LIMIT = 256

export class NameFinder {
  name: string | undefined
  /** Only when it was written before the name. */
  id: string | undefined
  /** What was read of a string in earlier pieces, while it may be the name or the key of it. */
  #string: string | undefined
  /** Where in this piece that string goes on. */
  #from = 0
  #key = ''
  #isValue = false

  /** A new piece of text begins. */
  piece(): void {
    this.#from = 0
  }

  stringBegins(at: number): void {
    this.#string = ''
    this.#from = at
  }

  stringEnds(text: string, at: number): void {
    if (this.#string === undefined) return
    const string = this.#string + text.slice(this.#from, at)
    this.#string = undefined
    if (!this.#isValue) this.#key = string
    else if (this.#key === 'name' || this.#key === 'tool' || this.#key === 'tool_name') this.name = unescaped(string)
    else if (this.#key === 'id' || this.#key === 'tool_call_id') this.id = unescaped(string)
  }

  colon(): void {
    this.#isValue = true
  }

  comma(): void {
    this.#isValue = false
  }

  /** The piece ends at `at`, maybe inside a string. */
  pieceEnds(text: string, at: number): void {
    if (this.#string === undefined) return
    this.#string += text.slice(this.#from, at)
    if (this.#string.length > NAME_LIMIT) this.#string = undefined
  }

  /** What was begun means nothing any more. */
  drop(): void {
    this.#string = undefined
  }

  /** An object begins. */
  restart(): void {
    this.#string = undefined
    this.#key = ''
    this.#isValue = false
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  try {
    const value: unknown = JSON.parse(`"${text}"`)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}
