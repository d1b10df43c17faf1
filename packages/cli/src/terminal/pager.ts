/** Shows rows that are too many for their room a part at a time, and knows whether all of them have been on the screen. */
import { cutRow, type Row, span } from './rows.ts'

export class Pager {
  readonly #ellipsis: string
  readonly #isCut: () => boolean
  #cutKnown: boolean | undefined
  readonly #keys: string
  readonly #shown = new Set<number>()
  #columns: number | undefined
  #total = 0
  #room = 1
  /** `undefined`: nobody has moved it yet. */
  #top: number | undefined
  #all = false

  /**
   * @param isCut whether the rows leave something out that only {@link readAll} shows; asked once, when they are drawn
   * @param keys how to see what is left out
   */
  constructor(ellipsis: string, isCut: () => boolean, keys: string) {
    this.#ellipsis = ellipsis
    this.#isCut = isCut
    this.#keys = keys
  }

  /** Everything has been on the screen. */
  get seen(): boolean {
    return this.#all
  }

  get atEnd(): boolean {
    return (this.#top ?? 0) + this.#room >= this.#total
  }

  /** Everything was shown elsewhere. */
  readAll(): void {
    this.#all = true
  }

  /** False when this is no key of it. */
  move(name: string): boolean {
    const top = this.#top ?? 0
    switch (name) {
      case 'up':
        this.#to(top - 1)
        return true
      case 'down':
        this.#to(top + 1)
        return true
      case 'page-up':
        this.#to(top - this.#room)
        return true
      case 'page-down':
        this.#to(top + this.#room)
        return true
      case 'home':
        this.#to(0)
        return true
      case 'end':
        this.#to(this.#total)
        return true
      default:
        return false
    }
  }

  /** At most `room` rows; the last of them tells what is left out. */
  draw(
    { rows, lookAt }: { readonly rows: readonly Row[]; readonly lookAt: number | undefined },
    columns: number,
    room: number,
  ): readonly Row[] {
    // At another width the rows are others.
    if (this.#columns !== columns) this.#shown.clear()
    this.#columns = columns
    this.#total = rows.length
    if (rows.length <= room) {
      this.#top = undefined
      this.#room = Math.max(1, room)
      if (!this.#cut()) this.#all = true
      return rows
    }
    this.#room = Math.max(1, room - 1)
    // What has to be looked at stands with what is before it, not alone.
    const start = lookAt === undefined || lookAt < this.#room ? 0 : lookAt - Math.floor(this.#room / 2)
    this.#top = Math.max(0, Math.min(this.#top ?? start, rows.length - this.#room))
    const top = this.#top
    for (let index = top; index < top + this.#room; index += 1) this.#shown.add(index)
    if (this.#shown.size >= rows.length && !this.#cut()) this.#all = true
    const below = rows.length - top - this.#room
    if (room < 2) return rows.slice(top, top + 1)
    const parts = [top > 0 ? `${top} above` : '', below > 0 ? `${below} below` : ''].filter((part) => part !== '')
    const told = `${this.#ellipsis} ${parts.join(', ')}: ${this.#keys}`
    return [...rows.slice(top, top + this.#room), cutRow([span(told, 'warning')], columns, this.#ellipsis)]
  }

  #cut(): boolean {
    this.#cutKnown ??= this.#isCut()
    return this.#cutKnown
  }

  #to(top: number): void {
    this.#top = Math.max(0, Math.min(top, this.#total - this.#room))
  }
}
