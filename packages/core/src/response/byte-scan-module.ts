/**
 * Owns: the WebAssembly behind byte-scan.ts, assembled here from named instructions instead of being kept as a file nobody can
 * read. It exports `memory` (one page) and `scan(end)`, which looks at the bytes from 0 to `end`, a multiple of 16, and gives the
 * number of `\n`, plus 2^30 when there is a control character other than `\t` and `\n`, plus 2^29 when there is a byte above 0x7f.
 * Opcodes: https://webassembly.github.io/spec/core/appendix/index-instructions.html
 */

type Code = readonly number[]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40

/** Unsigned LEB128. */
const leb = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)])
/** `i32.const`; its operand is signed LEB128, and none here is above 0x1fff. */
const constant = (value: number): Code => [0x41, ...(value < 0x40 ? [value] : [(value & 0x7f) | 0x80, value >>> 7])]
const get = (local: number): Code => [0x20, local]
const set = (local: number): Code => [0x21, local]
const tee = (local: number): Code => [0x22, local]

const block: Code = [0x02, NO_RESULT]
const loop: Code = [0x03, NO_RESULT]
const end: Code = [0x0b]
/** Out of the innermost block, or to the start of the innermost loop. */
const branchIf: Code = [0x0d, 0]
const isZero: Code = [0x45]
const notEqual: Code = [0x47]
const less: Code = [0x49]
const popCount: Code = [0x69]
const add: Code = [0x6a]
const or: Code = [0x72]
const shiftLeft: Code = [0x74]

const load16: Code = [0xfd, 0x00, 4, 0]
const splat: Code = [0xfd, 0x0f]
const equalBytes: Code = [0xfd, 0x23]
const lessBytes: Code = [0xfd, 0x26]
const andNot: Code = [0xfd, 0x4f]
const orBytes: Code = [0xfd, 0x50]
const anyTrue: Code = [0xfd, 0x53]
/** The highest bit of each of 16 bytes. */
const bitMask: Code = [0xfd, 0x64]
const all = (byte: number): Code => [...constant(byte), ...splat]

const END = 0
const AT = 1
const LINES = 2
const BYTES = 3
const LINE = 4
const CONTROL = 5
const UNION = 6

const LOCALS: Code = [2, 2, I32, 4, V128]

const SCAN: readonly Code[] = [
  block,
  [...get(END), ...isZero, ...branchIf],
  loop,
  [...get(AT), ...load16, ...tee(BYTES)],
  // LINES += how many of them are a line end
  [...all(0x0a), ...equalBytes, ...tee(LINE), ...bitMask, ...popCount, ...get(LINES), ...add, ...set(LINES)],
  // CONTROL |= (byte < 0x20 and no line end and no tab) or DEL
  [...get(CONTROL), ...get(BYTES), ...all(0x20), ...lessBytes, ...get(LINE), ...andNot],
  [...get(BYTES), ...all(0x09), ...equalBytes, ...andNot],
  [...get(BYTES), ...all(0x7f), ...equalBytes, ...orBytes, ...orBytes, ...set(CONTROL)],
  // UNION |= bytes
  [...get(UNION), ...get(BYTES), ...orBytes, ...set(UNION)],
  // on with the next 16, while there are some
  [...get(AT), ...constant(16), ...add, ...tee(AT), ...get(END), ...less, ...branchIf],
  end,
  end,
  get(LINES),
  [...get(CONTROL), ...anyTrue, ...constant(30), ...shiftLeft, ...or],
  [...get(UNION), ...bitMask, ...constant(0), ...notEqual, ...constant(29), ...shiftLeft, ...or],
  end,
]

/** The bytes of the module. */
export function byteScanModule(): Uint8Array {
  const body = [...LOCALS, ...SCAN.flat()]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // types: (i32) → i32; functions: one of that type; memories: one of one page
    ...section(1, [1, 0x60, 1, I32, 1, I32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('scan'), 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ])
}

function section(id: number, content: Code): Code {
  return [id, ...leb(content.length), ...content]
}

function named(text: string): Code {
  return [text.length, ...Buffer.from(text)]
}
