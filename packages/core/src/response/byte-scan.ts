import { byteScanModule } from './byte-scan-module.ts'

/**
 * Owns: one look over raw bytes, that tells how many lines end in them and whether they are plain: ASCII, and nothing a terminal
 * would act on. Output of programs comes at gigabytes a second; a loop in JavaScript over each byte costs more than all the rest
 * of clipping, so the loop is WebAssembly with 16 bytes a turn (byte-scan-module.ts). Where there is no WebAssembly (`--jitless`), a
 * plain loop does the same. Synchronous; the memory of the module is used by one call at a time.
 */

export interface ByteScan {
  /** How many `\n`. */
  readonly newlines: number
  /** No byte above 0x7f. */
  readonly ascii: boolean
  /** Some byte is an ASCII control character other than `\t` and `\n`. */
  readonly control: boolean
}

/** @example scanBytes(Buffer.from('a\nb\r\n')) // { newlines: 2, ascii: true, control: true } */
export function scanBytes(bytes: Uint8Array): ByteScan {
  fast ??= compile()
  return fast === 'none' ? scanPlainly(bytes) : fast(bytes)
}

/** The same in plain JavaScript. */
export function scanPlainly(bytes: Uint8Array): ByteScan {
  let newlines = 0
  let high = 0
  let control = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x0a) newlines++
    else if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f) control = true
    high |= byte
  }
  return { newlines, ascii: high < 0x80, control }
}

/** What is used of the platform's WebAssembly, which the type library of Node leaves to that of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> }
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
}

/** Bytes copied into the module's memory at once: one of its pages. */
const PAGE = 65_536
/** What the module gives back: flags above the count, which is at most {@link PAGE}. */
const CONTROL = 0x4000_0000
const HIGH = 0x2000_0000
const COUNT = 0x1fff_ffff

let fast: ((bytes: Uint8Array) => ByteScan) | 'none' | undefined

function compile(): ((bytes: Uint8Array) => ByteScan) | 'none' {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(byteScanModule()))
    const { memory, scan } = exports
    if (!(memory instanceof WebAssembly.Memory) || typeof scan !== 'function') return 'none'
    const page = new Uint8Array(memory.buffer)
    return (bytes) => {
      let newlines = 0
      let flags = 0
      for (let from = 0; from < bytes.length; from += PAGE) {
        const piece = from === 0 && bytes.length <= PAGE ? bytes : bytes.subarray(from, from + PAGE)
        page.set(piece)
        // The last turn reads whole 16 bytes: spaces are neither lines nor control nor high.
        const end = (piece.length + 15) & ~15
        page.fill(0x20, piece.length, end)
        const said = Number(scan(end))
        newlines += said & COUNT
        flags |= said
      }
      return { newlines, ascii: (flags & HIGH) === 0, control: (flags & CONTROL) !== 0 }
    }
  } catch {
    return 'none'
  }
}
