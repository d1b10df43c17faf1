/**
 * A map that keeps the `capacity` entries used last. Reading an entry counts as using it.
 * Not shared between threads; nothing in it survives the process.
 */
export class BoundedMap<Key, Value> {
  readonly #capacity: number
  readonly #entries = new Map<Key, Value>()

  /** @throws RangeError unless `capacity` is a whole number above 0 */
  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) throw new RangeError(`capacity must be a whole number above 0, not ${capacity}`)
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // A Map iterates in order of insertion, so what is put in again is the youngest.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#capacity) return
    const oldest = this.#entries.keys().next()
    if (oldest.done !== true) this.#entries.delete(oldest.value)
  }
}
