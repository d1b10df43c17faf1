import { type FrameSink, type Frames, faultOf, parsed } from './frames.ts'
import { isJsonSpace, JsonScanner } from './json-scanner.ts'
import { clipped } from './wire.ts'

/**
 * A JSON array that arrives piece by piece, each of its objects handed on as soon as it is closed. What stands between the objects is
 * looked at only to know the end: a comma too many or too few loses nothing. Anything else there is said and passed over.
 */
export class ArrayFrames implements Frames {
  readonly #sink: FrameSink
  readonly #limit: number
  #scanner = new JsonScanner()
  #pieces: string[] = []
  #length = 0
  #state: 'before' | 'between' | 'inside' | 'stray' | 'closed' = 'before'
  #count = 0
  #tooLarge = false

  constructor(sink: FrameSink, limit: number) {
    this.#sink = sink
    this.#limit = limit
  }

  push(text: string): void {
    for (let at = 0; at < text.length; ) at = this.#state === 'inside' ? this.#inside(text, at) : this.#between(text, at)
  }

  end(): void {
    if (this.#state === 'closed') return
    const kept = clipped(this.#pieces.join(''), 80)
    const place = this.#state === 'inside' ? `inside entry ${this.#count}: ${kept}` : `after entry ${this.#count}`
    if (!this.#tooLarge) this.#sink.problem('STREAM_BROKEN', () => `the JSON array was cut off ${place}`)
  }

  #between(text: string, from: number): number {
    let at = from
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (isJsonSpace(code)) continue
      const character = text.charAt(at)
      if (this.#state === 'before' && character === '[') this.#state = 'between'
      else if (character === '{') {
        this.#begin()
        return at
      } else if (character === ',') {
        if (this.#state === 'stray') this.#state = 'between'
      } else if (character === ']') this.#state = 'closed'
      else if (this.#state !== 'stray') {
        const entry = this.#count + 1
        this.#state = 'stray'
        this.#sink.problem('INVALID_JSON', () => `entry ${entry} of the array was skipped: it is no JSON object`)
      }
    }
    return at
  }

  #begin(): void {
    this.#state = 'inside'
    this.#scanner = new JsonScanner()
    this.#count++
    this.#length = 0
    this.#tooLarge = false
  }

  #inside(text: string, from: number): number {
    const end = this.#scanner.scan(text, from)
    this.#keep(from === 0 && end === text.length ? text : text.slice(from, end))
    if (this.#scanner.state !== 'closed') return end
    const entry = this.#pieces.join('')
    this.#pieces = []
    this.#state = 'between'
    if (!this.#tooLarge) this.#hand(entry)
    return end
  }

  #keep(text: string): void {
    if (this.#tooLarge) return
    this.#pieces.push(text)
    this.#length += text.length
    if (this.#length <= this.#limit) return
    this.#tooLarge = true
    this.#pieces = []
    const count = this.#count
    this.#sink.problem('TOO_LARGE', () => `entry ${count} of the array is longer than ${this.#limit} characters; it was skipped`)
  }

  #hand(entry: string): void {
    const value = parsed(entry)
    const count = this.#count
    if (value !== undefined) this.#sink.value(value)
    else this.#sink.problem('INVALID_JSON', () => `entry ${count} of the array was skipped: ${faultOf(entry)}: ${clipped(entry, 80)}`)
  }
}
