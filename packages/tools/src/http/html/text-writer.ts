/** Owns white space: text that flows has one blank between words, breaks add up to the largest of them, lines have no blanks at their end. */
export class TextWriter {
  readonly #parts: string[] = []
  #breaks = 0
  #blank = false
  #begun = false

  /** At least so many line ends before what follows. */
  break(lines: number): void {
    this.#breaks = Math.max(this.#breaks, lines)
    this.#blank = false
  }

  /** A sign of ours, as it is. */
  mark(text: string): void {
    if (text === '') return
    this.#begin()
    this.#parts.push(text)
  }

  /** Preformatted. */
  exact(text: string): void {
    if (text === '') return
    this.#begin()
    this.#parts.push(text)
  }

  flow(text: string): void {
    // A no-break blank is a letter here: it holds what belongs together.
    const words = text.replace(/[\t\n\f\r ]+/g, ' ')
    const leading = words.startsWith(' ')
    const trimmed = words.slice(leading ? 1 : 0, words.endsWith(' ') ? -1 : undefined)
    if (leading) this.#blank = true
    if (trimmed !== '') {
      this.#begin()
      this.#parts.push(trimmed)
    }
    if (words.endsWith(' ')) this.#blank = true
  }

  end(): string {
    const lines = this.#parts.join('').split('\n')
    return lines
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  }

  #begin(): void {
    if (this.#begun && this.#breaks > 0) this.#parts.push('\n'.repeat(this.#breaks))
    else if (this.#begun && this.#blank) this.#parts.push(' ')
    this.#breaks = 0
    this.#blank = false
    this.#begun = true
  }
}
