/**
 * Owns how far the memory of a WebAssembly instance may grow. Engines ask the JavaScript side for more pages; here the answer is no beyond
 * the bound. Where the engine imports its memory, the maximum of `WebAssembly.Memory` holds besides; this bound can be set for each run.
 */
import type { WasmMemory } from './web-assembly.ts'

export const PAGE_BYTES = 65_536
export const MEGABYTE = 1_048_576

export interface BoundedMemory {
  /** From now on. What is in use already stays in use. */
  setLimit(bytes: number): void
  /** Growth was refused and has not succeeded since: the engine has no memory left for what it is doing. */
  exhausted(): boolean
  /** Bytes that the instance holds; never fewer than before. */
  bytes(): number
}

/**
 * @example
 * ```ts
 * const bounded = boundMemory(new wasm.Memory({ initial: 1, maximum: 4 }))
 * bounded.setLimit(2 * 65_536)
 * ```
 */
export function boundMemory(memory: WasmMemory): BoundedMemory {
  let limit = Number.POSITIVE_INFINITY
  let refused = false
  const grow = memory.grow.bind(memory)
  Object.defineProperty(memory, 'grow', {
    value: (pages: number): number => {
      // Engines ask for more than they need first and then for less; only what the last of these attempts met counts.
      refused = true
      if (memory.buffer.byteLength + pages * PAGE_BYTES > limit) throw new RangeError('the memory of this box is used up')
      const before = grow(pages)
      refused = false
      return before
    },
  })
  return {
    setLimit(bytes) {
      limit = bytes
    },
    exhausted: () => refused,
    bytes: () => memory.buffer.byteLength,
  }
}
