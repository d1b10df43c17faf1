/**
 * Owns: the one row a terminal would be writing to, with its cursor: what `\r`, backspace and erasing do to it. Rows that only
 * grow stay a string; the first overwrite turns the row into code units, so that a hostile sequence of tiny overwrites stays
 * linear. Bounded: a row of {@link ROW_LIMIT} is given out and begun anew, as a terminal wraps. Not shared between streams.
 */

/** Code units of one row before it wraps. Far wider than any screen; bounds what one row may hold in memory. */
export const ROW_LIMIT = 32_768

/** How far a sequence may move the cursor past what is written: bounds what a few bytes can be blown up to. */
const SCREEN_COLUMNS = 200
const SPACE = 0x20
/** `String.fromCharCode` takes its units as arguments; engines bound their number. */
const UNITS_PER_CALL = 8_192

export class TerminalRow {
  #text = ''
  /** Set once something was overwritten; then `#text` is unused. */
  #units: Uint16Array | undefined
  #length = 0
  #column = 0
  #out = ''

  /** True when nothing is written in this row and the cursor is at its start. */
  get isEmpty(): boolean {
    return this.#length === 0 && this.#column === 0 && this.#out === ''
  }

  get hasText(): boolean {
    return this.#length > 0
  }

  /** Writes at the cursor; no control character may be in it. */
  put(text: string): void {
    let from = 0
    while (from < text.length) {
      let take = Math.min(text.length - from, ROW_LIMIT - this.#column)
      // A pair never straddles two rows, also when its halves come in two pieces.
      if (take > 0 && this.#column + take === ROW_LIMIT && isHigh(text.charCodeAt(from + take - 1))) take--
      if (take === 0) {
        this.#wrap()
        continue
      }
      this.#write(from === 0 && take === text.length ? text : text.slice(from, from + take))
      from += take
    }
  }

  /** Moves the cursor, past the end only as far as a screen is wide; such a gap becomes spaces once something is written behind it. */
  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(Math.max(this.#length, SCREEN_COLUMNS) - 1, column))
    if (this.#column > 0 && this.#column < this.#length && isLow(this.#unitAt(this.#column))) this.#column--
  }

  moveBy(columns: number): void {
    this.moveTo(this.#column + columns)
  }

  /** 0: from the cursor on; 1: up to and with the cursor; 2: all of it. The cursor stays. */
  erase(mode: number): void {
    if (mode === 2 || (mode === 0 && this.#column === 0)) this.#clear()
    else if (mode === 0) this.#truncate(this.#column)
    else if (mode === 1) this.#blank(Math.min(this.#column + 1, this.#length))
  }

  /** Gives out what the row shows and begins a new one. */
  take(): string {
    const text = this.#out + this.#shown()
    this.#out = ''
    this.#clear()
    this.#column = 0
    return text
  }

  /** Gives out the wrapped part that can change no more. */
  takeSettled(): string {
    const text = this.#out
    this.#out = ''
    return text
  }

  #blank(length: number): void {
    const units = this.#unitsFor(this.#length)
    units.fill(SPACE, 0, length)
  }

  /** Half of a pair whose other half was overwritten is no character: it becomes a space. */
  #blankHalves(units: Uint16Array): void {
    for (let index = 0; index < this.#length; index++) {
      const unit = units[index] ?? 0
      if (unit < 0xd800 || unit > 0xdfff) continue
      if (isHigh(unit) && index + 1 < this.#length && isLow(units[index + 1] ?? 0)) index++
      else units[index] = SPACE
    }
  }

  #wrap(): void {
    this.#out += this.#shown()
    this.#clear()
    this.#column = 0
  }

  #write(text: string): void {
    if (this.#column > this.#length) this.#pad()
    if (this.#units === undefined && this.#column === this.#length) {
      this.#text += text
      this.#length += text.length
      this.#column = this.#length
      return
    }
    const end = this.#column + text.length
    const units = this.#unitsFor(Math.max(end, this.#length))
    for (let index = 0; index < text.length; index++) units[this.#column + index] = text.charCodeAt(index)
    this.#column = end
    this.#length = Math.max(this.#length, end)
  }

  #pad(): void {
    const column = this.#column
    this.#column = this.#length
    this.#write(' '.repeat(column - this.#length))
  }

  #unitsFor(size: number): Uint16Array {
    const have = this.#units
    if (have !== undefined && have.length >= size) return have
    const next = new Uint16Array(Math.min(ROW_LIMIT, Math.max(256, size * 2)))
    if (have !== undefined) next.set(have.subarray(0, this.#length))
    else for (let index = 0; index < this.#text.length; index++) next[index] = this.#text.charCodeAt(index)
    this.#units = next
    this.#text = ''
    return next
  }

  #unitAt(index: number): number {
    return this.#units === undefined ? this.#text.charCodeAt(index) : (this.#units[index] ?? 0)
  }

  #truncate(length: number): void {
    if (length >= this.#length) return
    if (this.#units === undefined) this.#text = this.#text.slice(0, length)
    this.#length = length
  }

  #clear(): void {
    this.#text = ''
    this.#units = undefined
    this.#length = 0
  }

  #shown(): string {
    if (this.#units === undefined) return this.#text
    this.#blankHalves(this.#units)
    let text = ''
    for (let from = 0; from < this.#length; from += UNITS_PER_CALL) {
      text += String.fromCharCode(...this.#units.subarray(from, Math.min(from + UNITS_PER_CALL, this.#length)))
    }
    return text
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
