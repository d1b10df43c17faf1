/**
 * Owns the one thing that must be known while arguments still arrive: where the JSON object ends. One pass over each piece,
 * nothing kept but a few numbers, nothing read twice. It refuses nothing: whether the text is right JSON is decided once, by
 * `JSON.parse`, when the object is closed. One scanner belongs to one object; it holds no resources.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** `empty`: only white space so far. `other`: it does not begin with `{`, so no end is looked for. */
export type ScanState = 'empty' | 'open' | 'closed' | 'other'

/** True for the four characters that JSON calls white space. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Position of the first character at or after `from` that is no white space; the length when there is none. */
export function skipJsonSpace(text: string, from = 0): number {
  let at = from
  while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
  return at
}

/** The nesting of a JSON text, without parsing it: a parser's memory grows with it, and may run out before it can say so. */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return deepest
}

/**
 * Finds the closing brace of one JSON object over any number of pieces.
 *
 * @example
 * ```ts
 * const scanner = new JsonScanner()
 * scanner.scan('{"a": "}')   // 8: all read, still open
 * scanner.scan('"} {"b"')    // 2: closed after two characters
 * scanner.state              // 'closed'
 * ```
 */
export class JsonScanner {
  #state: ScanState = 'empty'
  #depth = 0
  #deepest = 0
  #inString = false
  #escaped = false

  get state(): ScanState {
    return this.#state
  }

  /** The deepest nesting seen; 1 for a flat object. */
  get deepest(): number {
    return this.#deepest
  }

  /** Reads on. Gives the position after the closing brace, or `text.length` when the object is not closed in this piece. */
  scan(text: string, from = 0): number {
    let at = from
    if (this.#state === 'empty') {
      at = skipJsonSpace(text, at)
      if (at === text.length) return at
      if (text.charCodeAt(at) !== OPEN_BRACE) {
        this.#state = 'other'
        return text.length
      }
      this.#state = 'open'
    }
    if (this.#state !== 'open') return this.#state === 'closed' ? at : text.length
    return this.#inside(text, at)
  }

  #inside(text: string, from: number): number {
    let depth = this.#depth
    let deepest = this.#deepest
    let inString = this.#inString
    let escaped = this.#escaped
    let at = from
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (inString) {
        if (escaped) escaped = false
        else if (code === BACKSLASH) escaped = true
        else if (code === QUOTE) inString = false
      } else if (code === QUOTE) {
        inString = true
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        depth++
        if (depth > deepest) deepest = depth
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth--
        if (depth === 0) {
          this.#state = 'closed'
          at++
          break
        }
      }
    }
    this.#depth = depth
    this.#deepest = deepest
    this.#inString = inString
    this.#escaped = escaped
    return at
  }
}
