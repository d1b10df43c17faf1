import { type BodyReader, type BodyStep, MORE } from './format.ts'

/** Owns what follows a mark of which only the first character that is no white space shows what it is. */
export class Sniffed implements BodyReader {
  readonly #choose: (first: string) => BodyReader
  #reader: BodyReader | undefined
  readonly #space: string[] = []

  constructor(choose: (first: string) => BodyReader) {
    this.#choose = choose
  }

  get trailing(): readonly string[] {
    return this.#reader?.trailing ?? []
  }

  read(text: string, final: boolean): BodyStep {
    if (this.#reader !== undefined) return this.#reader.read(text, final)
    this.#space.push(text)
    const first = /\S/.exec(text)?.[0]
    if (first === undefined && !final) return MORE
    this.#reader = this.#choose(first ?? '')
    return this.#reader.read(this.#space.splice(0).join(''), final)
  }
}
