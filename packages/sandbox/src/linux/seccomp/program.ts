/**
 * Owns how a classic BPF program is put together: instructions with labels in, bytes of `struct sock_filter` out. Jumps go forward only;
 * a conditional jump reaches 255 instructions, so one that must go further is written as a short one over plain jumps.
 * Refuses programs with a missing label, a jump backwards, or more instructions than the kernel takes.
 */
import { AdjutantError } from '@adjutant/core/contract'

/** A place in a program; made by {@link Program.label}. */
export type Label = number

/** Unsigned comparisons of the accumulator with a constant; `set`: a bit of the constant is set. */
export type Comparison = 'equal' | 'greater-or-equal' | 'set'

type Line =
  | { readonly type: 'load'; readonly offset: number }
  | { readonly type: 'and'; readonly mask: number }
  | { readonly type: 'jump'; readonly comparison: Comparison; readonly value: number; readonly then: Label; readonly otherwise: Label }
  | { readonly type: 'return'; readonly value: number }
  | { readonly type: 'label'; readonly label: Label }

/** BPF_MAXINSNS of linux/bpf_common.h. */
const MAX_INSTRUCTIONS = 4096
const INSTRUCTION_BYTES = 8
const SHORT_JUMP = 255

/** linux/bpf_common.h: class, size or operation, and source in one byte. */
const LOAD_WORD = 0x20
const AND = 0x54
const RETURN = 0x06
const JUMP = 0x05
const CODES = { equal: 0x15, 'greater-or-equal': 0x35, set: 0x45 } as const satisfies Readonly<Record<Comparison, number>>

/** Collects instructions and assembles them once all labels have their place. */
export class Program {
  readonly #lines: Line[] = []
  #labels = 0

  /** A new label, to be put in its place by {@link place}. */
  label(): Label {
    return this.#labels++
  }

  place(label: Label): void {
    this.#lines.push({ type: 'label', label })
  }

  /** Loads 32 bits of `struct seccomp_data`. */
  load(offset: number): void {
    this.#lines.push({ type: 'load', offset })
  }

  and(mask: number): void {
    this.#lines.push({ type: 'and', mask })
  }

  jump(comparison: Comparison, value: number, then: Label, otherwise: Label): void {
    this.#lines.push({ type: 'jump', comparison, value, then, otherwise })
  }

  return(value: number): void {
    this.#lines.push({ type: 'return', value })
  }

  /** @throws AdjutantError INTERNAL when a label is nowhere, a jump goes backwards or the program is longer than 4096 instructions */
  assemble(): Uint8Array {
    const long = new Set<Line>()
    // A jump that was written long makes others longer, never shorter: this ends after at most one round per jump.
    for (;;) {
      const places = this.#place(long)
      const before = long.size
      this.#measure(places, long)
      if (long.size === before) return this.#encode(places, long)
    }
  }

  /** Position of each label, counted in instructions. */
  #place(long: ReadonlySet<Line>): ReadonlyMap<Label, number> {
    const places = new Map<Label, number>()
    let position = 0
    for (const line of this.#lines) {
      if (line.type === 'label') places.set(line.label, position)
      else position += size(line, long)
    }
    return places
  }

  /** Adds to `long` every jump that does not reach its target in short form. */
  #measure(places: ReadonlyMap<Label, number>, long: Set<Line>): void {
    let position = 0
    for (const line of this.#lines) {
      if (line.type === 'label') continue
      // As it was when the labels were placed.
      const length = size(line, long)
      if (line.type === 'jump' && length === 1) {
        const furthest = Math.max(distance(places, line.then, position + 1), distance(places, line.otherwise, position + 1))
        if (furthest > SHORT_JUMP) long.add(line)
      }
      position += length
    }
  }

  #encode(places: ReadonlyMap<Label, number>, long: ReadonlySet<Line>): Uint8Array {
    const count = this.#lines.reduce((sum, line) => sum + size(line, long), 0)
    if (count > MAX_INSTRUCTIONS) {
      throw new AdjutantError('INTERNAL', `the filter has ${count} instructions; the kernel takes ${MAX_INSTRUCTIONS}`, {
        hint: 'Use fewer rules in the policy of system calls.',
      })
    }
    const bytes = new Uint8Array(count * INSTRUCTION_BYTES)
    const view = new DataView(bytes.buffer)
    let position = 0
    const emit = (code: number, constant: number, then = 0, otherwise = 0): void => {
      const at = position++ * INSTRUCTION_BYTES
      view.setUint16(at, code, true)
      view.setUint8(at + 2, then)
      view.setUint8(at + 3, otherwise)
      view.setUint32(at + 4, constant >>> 0, true)
    }
    for (const line of this.#lines) {
      switch (line.type) {
        case 'label':
          break
        case 'load':
          emit(LOAD_WORD, line.offset)
          break
        case 'and':
          emit(AND, line.mask)
          break
        case 'return':
          emit(RETURN, line.value)
          break
        case 'jump':
          if (long.has(line)) {
            emit(CODES[line.comparison], line.value, 0, 1)
            emit(JUMP, distance(places, line.then, position + 1))
            emit(JUMP, distance(places, line.otherwise, position + 1))
          } else {
            const next = position + 1
            emit(CODES[line.comparison], line.value, distance(places, line.then, next), distance(places, line.otherwise, next))
          }
          break
        default:
          line satisfies never
      }
    }
    return bytes
  }
}

function size(line: Line, long: ReadonlySet<Line>): number {
  if (line.type === 'label') return 0
  return long.has(line) ? 3 : 1
}

function distance(places: ReadonlyMap<Label, number>, label: Label, from: number): number {
  const place = places.get(label)
  if (place === undefined || place < from) {
    throw new AdjutantError('INTERNAL', `label ${label} of the filter is ${place === undefined ? 'nowhere' : 'behind its jump'}`)
  }
  return place - from
}
