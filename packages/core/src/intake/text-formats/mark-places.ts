/**
 * Owns the places in one piece of text where a mark may begin. Each character is searched for by itself, and again only when its last place
 * was passed, so that a piece is searched once for each of them, however many marks there are.
 */
const BEGINNINGS = ['<', '[', '`'] as const

export class MarkPlaces {
  /** The next place of each character that was found; before the current one: not known. */
  readonly #places = [-1, -1, -1]

  /** Another piece of text. */
  restart(): void {
    this.#places.fill(-1)
  }

  /** The next place from `from` on; the length when there is none. Only called with rising `from`. */
  next(text: string, from: number): number {
    let least = text.length
    for (let index = 0; index < BEGINNINGS.length; index++) {
      let place = this.#places[index] ?? -1
      if (place < from) {
        const found = text.indexOf(BEGINNINGS[index] ?? '', from)
        place = found === -1 ? text.length : found
        this.#places[index] = place
      }
      if (place < least) least = place
    }
    return least
  }
}
