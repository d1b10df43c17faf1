/** Owns how many bytes went each way through the gate, all connections together, and that neither way exceeds the limit. */
export type Direction = 'sent' | 'received'

export class Traffic {
  readonly limit: number
  #sent = 0
  #received = 0

  /** @param limit bytes, each way */
  constructor(limit: number) {
    this.limit = limit
  }

  /** From the box. */
  get sent(): number {
    return this.#sent
  }

  /** To the box. */
  get received(): number {
    return this.#received
  }

  get spent(): boolean {
    return this.#sent >= this.limit || this.#received >= this.limit
  }

  /** Counts bytes that are about to be passed on; false, and counted as spent, when they are more than is left. */
  take(direction: Direction, bytes: number): boolean {
    const before = direction === 'sent' ? this.#sent : this.#received
    const after = Math.min(this.limit, before + bytes)
    if (direction === 'sent') this.#sent = after
    else this.#received = after
    return before + bytes <= this.limit
  }
}
