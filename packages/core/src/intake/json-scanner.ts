/**
 * Owns what must be known while arguments still arrive: where the JSON object ends, and where its members do. One pass over each piece,
 * nothing kept but a few numbers, nothing read twice. It refuses nothing: whether the text is right JSON is decided once, by
 * `JSON.parse`, when the object is closed. One scanner belongs to one object; it holds no resources.
 */

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
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

/** What is counted in a JSON text without parsing it. */
export interface JsonMeasure {
  /** Levels of nesting: a parser's memory grows with it, and may run out before it can say so. */
  readonly deepest: number
  /** Colons outside strings: in right JSON, the members of all objects, each as often as it stands there. */
  readonly members: number
}

export function measureJson(text: string): JsonMeasure {
  let depth = 0
  let deepest = 0
  let members = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
    else if (code === COLON) members++
  }
  return { deepest, members }
}

/** Tells the sink all up to the mark at `at`, and gives where the next part begins. */
function tell(sink: MemberSink, text: string, from: number, at: number): number {
  sink.part(text, from, at + 1)
  return at + 1
}

/** Told by a scanner where the parts of the outermost object lie. Positions are of the piece that is being scanned. */
export interface MemberSink {
  /** The object opens; what stands before `to`, its brace included, lies in `text` from `from`. */
  open(text: string, from: number, to: number): void
  /** Text of the member being read, or of its key: what lies in `text` from `from` to `to`. The mark that ends it is its last character. */
  part(text: string, from: number, to: number): void
  /** The colon after the member's key. */
  colon(): void
  /** The member is complete; `last`: the object too. */
  end(last: boolean): void
}

/**
 * Finds the closing brace of one JSON object over any number of pieces; tells a sink, if there is one, of each member of it.
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
  readonly #sink: MemberSink | undefined
  #state: ScanState = 'empty'
  #depth = 0
  #deepest = 0
  #members = 0
  #inString = false
  #escaped = false

  constructor(sink?: MemberSink) {
    this.#sink = sink
  }

  get state(): ScanState {
    return this.#state
  }

  /** The deepest nesting seen; 1 for a flat object. */
  get deepest(): number {
    return this.#deepest
  }

  /** Colons outside strings seen: see {@link JsonMeasure}. */
  get members(): number {
    return this.#members
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
      this.#depth = 1
      this.#deepest = 1
      at++
      this.#sink?.open(text, from, at)
    }
    if (this.#state !== 'open') return this.#state === 'closed' ? at : text.length
    return this.#inside(text, at, this.#sink)
  }

  #inside(text: string, from: number, sink: MemberSink | undefined): number {
    let depth = this.#depth
    let deepest = this.#deepest
    let members = this.#members
    let inString = this.#inString
    let escaped = this.#escaped
    let part = from
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
          this.#deepest = deepest
          at++
          sink?.part(text, part, at)
          sink?.end(true)
          part = at
          break
        }
      } else if (code === COLON) {
        members++
        if (sink !== undefined && depth === 1) {
          part = tell(sink, text, part, at)
          sink.colon()
        }
      } else if (code === COMMA && sink !== undefined && depth === 1) {
        // Told before: how deep it is decides whether a value is read.
        this.#deepest = deepest
        part = tell(sink, text, part, at)
        sink.end(false)
      }
    }
    if (sink !== undefined && part < at) sink.part(text, part, at)
    this.#depth = depth
    this.#deepest = deepest
    this.#members = members
    this.#inString = inString
    this.#escaped = escaped
    return at
  }
}
