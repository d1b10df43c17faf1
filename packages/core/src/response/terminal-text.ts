import { TerminalRow } from './terminal-row.ts'

/**
 * Owns: what a person would have read on a terminal, made of the bytes that were sent to it. Escape sequences (CSI, OSC, DCS,
 * APC, PM, SOS, two-byte, and the C1 characters that stand for them) are taken out, `\r`, backspace and erasing are carried out
 * on the row they concern, `\r\n` is a line end, other control characters are dropped. Nothing that could move a reader's own
 * cursor is left.
 *
 * Rows above the current one are never rewritten: a sequence that would go to another row starts a new line instead, so that
 * nothing a program wrote is lost or glued together. An unterminated string sequence is not kept; save for DCS (pictures span
 * lines) it ends with its line, so that a stray introducer cannot swallow the rest of an output.
 *
 * The text is the same however the input is split. State is bounded by one row (see ROW_LIMIT). One instance per stream.
 */
export class TerminalText {
  readonly #row = new TerminalRow()
  #state: State = 'text'
  /** Parameters of a CSI sequence, as far as they matter. */
  #parameters = ''
  /** Code units of a string sequence so far. */
  #swallowed = 0
  #multiLine = false

  /** True when what was written so far has been given out whole: the next chunk may be looked at by itself. */
  get isIdle(): boolean {
    return this.#state === 'text' && this.#row.isEmpty
  }

  /** Takes the next piece; gives what can change no more (whole lines, mostly). */
  write(chunk: string): string {
    let out = ''
    let from = 0
    // Looked up once for each line end, not once for each piece between two controls: a long line may have many.
    let newline = chunk.indexOf('\n')
    while (from < chunk.length) {
      if (this.#state !== 'text') {
        const code = chunk.charCodeAt(from)
        if (this.#inString()) from = this.#skipString(chunk, from)
        else {
          from++
          out += this.#step(code, chunk, from - 1)
        }
        continue
      }
      SPECIAL.lastIndex = from
      const to = SPECIAL.test(chunk) ? SPECIAL.lastIndex - 1 : chunk.length
      if (newline !== -1 && newline < from) newline = chunk.indexOf('\n', from)
      if (to > from) out += newline !== -1 && newline < to ? this.#lines(chunk, from, newline, to) : this.#put(chunk, from, to)
      from = to + 1
      if (to === chunk.length) break
      const final = csiEnd(chunk, to)
      if (final === -1) out += this.#control(chunk.charCodeAt(to))
      else {
        // By far the most common: colours, whole in this chunk.
        if (chunk.charCodeAt(final) !== COLOUR) {
          this.#parameters = chunk.slice(to + 2, Math.min(final, to + 2 + PARAMETERS_LIMIT))
          out += this.#csi(chunk.charCodeAt(final))
        }
        from = final + 1
      }
    }
    return out + this.#row.takeSettled()
  }

  /** Gives the last row. An unfinished sequence is dropped. The scanner can be used anew afterwards. */
  end(): string {
    this.#state = 'text'
    return this.#row.take()
  }

  /** Text with no control character but `\t`. */
  #put(chunk: string, from: number, to: number): string {
    this.#row.put(from === 0 && to === chunk.length ? chunk : chunk.slice(from, to))
    return ''
  }

  /** Text with no control character but `\t` and `\n`; `first` is its first `\n`. Whole lines go out without being looked at. */
  #lines(chunk: string, from: number, first: number, to: number): string {
    const last = chunk.lastIndexOf('\n', to - 1)
    let head = ''
    let start = from
    if (!this.#row.isEmpty) {
      this.#row.put(chunk.slice(from, first))
      head = `${this.#row.take()}\n`
      start = first + 1
    }
    if (last + 1 < to) this.#row.put(chunk.slice(last + 1, to))
    return start > last ? head : head + chunk.slice(start, last + 1)
  }

  /** A control character in text, or the first unit of a sequence. */
  #control(code: number): string {
    switch (code) {
      case 0x1b:
        this.#state = 'escape'
        return ''
      case 0x0a:
      case 0x84:
      case 0x85:
        return `${this.#row.take()}\n`
      case 0x0d:
        this.#row.moveTo(0)
        return ''
      case 0x08:
        this.#row.moveBy(-1)
        return ''
      case 0x8d:
        return this.#otherRow()
      case 0x9b:
        this.#begin('csi')
        return ''
      case 0x9d:
      case 0x90:
      case 0x98:
      case 0x9e:
      case 0x9f:
        this.#beginString(false)
        return ''
      default:
        return ''
    }
  }

  /** One unit inside an escape or CSI sequence. */
  #step(code: number, chunk: string, at: number): string {
    switch (this.#state) {
      case 'escape':
        return this.#escape(code, chunk, at)
      case 'intermediate':
        if (code >= 0x20 && code <= 0x2f) return ''
        this.#state = 'text'
        return code >= 0x30 && code <= 0x7e ? '' : this.#again(code, chunk, at)
      case 'csi':
        if (code >= 0x20 && code <= 0x3f) {
          if (this.#parameters.length < PARAMETERS_LIMIT) this.#parameters += chunk.charAt(at)
          return ''
        }
        this.#state = 'text'
        return code >= 0x40 && code <= 0x7e ? this.#csi(code) : this.#again(code, chunk, at)
      default:
        return ''
    }
  }

  #escape(code: number, chunk: string, at: number): string {
    this.#state = 'text'
    switch (code) {
      case 0x5b: // [
        this.#begin('csi')
        return ''
      case 0x50: // P: DCS
        this.#beginString(true)
        return ''
      case 0x5d: // ]: OSC
      case 0x58: // X: SOS
      case 0x5e: // ^: PM
      case 0x5f: // _: APC
        this.#beginString(false)
        return ''
      case 0x44: // D: down
      case 0x45: // E: next line
        return `${this.#row.take()}\n`
      case 0x4d: // M: up
      case 0x63: // c: reset
        return this.#otherRow()
      default:
        if (code >= 0x20 && code <= 0x2f) this.#state = 'intermediate'
        else if (code < 0x20 || code > 0x7e) return this.#again(code, chunk, at)
        return ''
    }
  }

  /** A unit that ends a sequence it does not belong to is taken as if it stood in text. */
  #again(code: number, chunk: string, at: number): string {
    if (isSpecial(code) || code === 0x0a) return this.#control(code)
    return this.#put(chunk, at, at + 1)
  }

  #csi(final: number): string {
    const parameters = this.#parameters
    // Private forms (`?25l`) and forms with intermediates change modes, not text.
    if (!/^[\d;]*$/.test(parameters)) return ''
    const first = Number.parseInt(parameters, 10)
    const count = Math.max(1, Number.isNaN(first) ? 1 : first)
    switch (final) {
      case 0x4b: // K: erase in line
        this.#row.erase(Number.isNaN(first) ? 0 : first)
        return ''
      case 0x4a: // J: erase in display
        if (first === 2 || first === 3) return this.#otherRow()
        this.#row.erase(Number.isNaN(first) ? 0 : first)
        return ''
      case 0x47: // G and `: column
      case 0x60:
        this.#row.moveTo(count - 1)
        return ''
      case 0x43: // C: right
      case 0x61:
        this.#row.moveBy(count)
        return ''
      case 0x44: // D: left
        this.#row.moveBy(-count)
        return ''
      case 0x41: // A B E F H d f e S T L M: another row
      case 0x42:
      case 0x45:
      case 0x46:
      case 0x48:
      case 0x4c:
      case 0x4d:
      case 0x53:
      case 0x54:
      case 0x64:
      case 0x65:
      case 0x66:
        return this.#otherRow()
      default:
        return ''
    }
  }

  #otherRow(): string {
    return this.#row.hasText ? `${this.#row.take()}\n` : this.#row.take()
  }

  #begin(state: State): void {
    this.#state = state
    this.#parameters = ''
  }

  #beginString(multiLine: boolean): void {
    this.#state = 'string'
    this.#swallowed = 0
    this.#multiLine = multiLine
  }

  #inString(): boolean {
    return this.#state === 'string'
  }

  /** Gives where the string ends: behind its end mark, or at what ends it without being a part of it. */
  #skipString(chunk: string, from: number): number {
    const ends = this.#multiLine ? STRING_END : STRING_OR_LINE_END
    ends.lastIndex = from
    const bound = from + STRING_LIMIT - this.#swallowed
    const at = ends.test(chunk) ? ends.lastIndex - 1 : chunk.length
    if (at >= bound) {
      this.#state = 'text'
      return bound
    }
    this.#swallowed += at - from
    if (at === chunk.length) return at
    const code = chunk.charCodeAt(at)
    this.#state = code === 0x1b ? 'escape' : 'text'
    return code === 0x0a ? at : at + 1
  }
}

type State = 'text' | 'escape' | 'intermediate' | 'csi' | 'string'

/** Final letter of SGR: `m`. */
const COLOUR = 0x6d
/** Longer parameters mean nothing to a terminal. */
const PARAMETERS_LIMIT = 64
/** A string sequence longer than this (16 Mi code units) is none: what follows is shown. */
const STRING_LIMIT = 16 * 1_024 * 1_024

/** What the scanner has to look at; `\n` and `\t` are plain. */
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
const ANY_SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/
/** ESC, BEL, CAN, SUB, ST. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g
const STRING_OR_LINE_END = /[\x07\x0a\x18\x1a\x1b\x9c]/g

/** Where the CSI sequence that begins at `at` has its final letter; -1 when none begins there or it is not whole. */
function csiEnd(chunk: string, at: number): number {
  if (chunk.charCodeAt(at) !== 0x1b || chunk.charCodeAt(at + 1) !== 0x5b) return -1
  let end = at + 2
  while (chunk.charCodeAt(end) >= 0x20 && chunk.charCodeAt(end) <= 0x3f) end++
  return chunk.charCodeAt(end) >= 0x40 && chunk.charCodeAt(end) <= 0x7e ? end : -1
}

/** True when there is anything to resolve. */
export function hasControl(text: string): boolean {
  return ANY_SPECIAL.test(text)
}

function isSpecial(code: number): boolean {
  return code < 0x20 ? code !== 0x0a && code !== 0x09 : code >= 0x7f && code <= 0x9f
}

/**
 * Resolves a whole text at once; one that needs nothing is given back as it is.
 *
 * @example
 * ```ts
 * resolveTerminalText('10 %\r100 %\n\x1b[32mdone\x1b[0m') // '100 %\ndone'
 * ```
 */
export function resolveTerminalText(text: string): string {
  if (!ANY_SPECIAL.test(text)) return text
  // Line ends of Windows are by far the most common reason, and have a shorter way.
  const unix = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
  if (unix !== text && !ANY_SPECIAL.test(unix)) return unix
  const scanner = new TerminalText()
  return scanner.write(text) + scanner.end()
}
