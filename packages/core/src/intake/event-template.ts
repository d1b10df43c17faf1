import type { JsonObject } from '../contract/json.ts'
import { EventReader } from './event-reader.ts'
import { type EventShape, isSameShape, shapeOf } from './event-shape.ts'

/** Longer events are few: it does not matter how they are read. */
const LONGEST = 4_096

/** Shapes that are kept: the beginning of a call, its arguments, text, reasoning. */
const KEPT = 4

/** So many events in a row that were unlike all others, and only some are looked at. */
const UNLIKE = 8
const LOOKED_AT = 32

/**
 * Owns the shortest way to read a run of events that differ in little but the text that grows: the events around a call's arguments are
 * some three hundred characters for every eight that are new. What stands around the values is compared, not parsed; where it
 * is the same, so is what parsing would give. Anything else is left to the parser. Holds a few shapes; reads nothing twice.
 *
 * @example
 * ```ts
 * const template = new EventTemplate()
 * template.see('data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
 * template.see('data: {"choices":[{"delta":{"content":"b"}}]}\n\n')
 * template.read('data: {"choices":[{"delta":{"content":"c"}}]}\n\n', 0) // 47: the whole of it
 * template.value                                                        // { choices: [{ delta: { content: 'c' } }] }
 * ```
 */
export class EventTemplate {
  /** The one that read last comes first. */
  #readers: readonly EventReader[] = []
  #before: EventShape | undefined
  #unlike = 0

  /** The event that was read last. The same object each time, with other values: good until the next is read. */
  get value(): JsonObject | undefined {
    return this.#readers[0]?.value
  }

  /** Reads the event that begins at `from`. Gives where it ends, its empty line included, or -1 when it is like none before. */
  read(text: string, from: number): number {
    for (const reader of this.#readers) {
      const end = reader.read(text, from)
      if (end === -1) continue
      if (reader !== this.#readers[0]) this.#putFirst(reader)
      return end
    }
    return -1
  }

  /** Shows an event that had to be parsed: its lines, the empty one included. It must have been JSON. */
  see(text: string, from = 0, to = text.length): void {
    if (to - from > LONGEST) return
    if (this.#unlike >= UNLIKE && ++this.#unlike % LOOKED_AT !== 0) return
    const shape = shapeOf(text.slice(from, to))
    const learnt = this.#learn(shape)
    this.#unlike = learnt ? 0 : this.#unlike + 1
    this.#before = shape
  }

  #learn(shape: EventShape): boolean {
    const known = this.#readers.find((reader) => isSameShape(reader.shape, shape))
    const like = known?.shape ?? this.#before
    if (like === undefined || (known === undefined && !isSameShape(like, shape))) return false
    // A value is compared, which costs least, until it has been seen to differ.
    const varying = shape.values.map((value, at) => known?.varying[at] === true || value !== like.values[at])
    const reader = EventReader.learn(shape, varying)
    if (reader === undefined) return false
    this.#putFirst(reader, known)
    return true
  }

  #putFirst(reader: EventReader, instead?: EventReader): void {
    this.#readers = [reader, ...this.#readers.filter((other) => other !== reader && other !== instead)].slice(0, KEPT)
  }
}
