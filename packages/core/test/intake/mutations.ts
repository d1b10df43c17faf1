/** Damages bytes the ways in which networks, proxies and models damage them. All of it follows from the numbers that `random` gives. */

type Random = () => number

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit)
}

/** A part of the bytes: mostly a few, sometimes many. */
function part(bytes: Uint8Array, random: Random): readonly [from: number, to: number] {
  const from = below(bytes.length, random)
  return [from, Math.min(bytes.length, from + 1 + below(random() < 0.7 ? 8 : 2_000, random))]
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}

/** Where each line begins; and the end. */
function lineStarts(bytes: Uint8Array): readonly number[] {
  const starts = [0]
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) starts.push(at + 1)
  return starts.at(-1) === bytes.length ? starts : [...starts, bytes.length]
}

/** One line, or a few after each other, with their ends. */
function lines(bytes: Uint8Array, random: Random): readonly [from: number, to: number] {
  const starts = lineStarts(bytes)
  const first = below(starts.length - 1, random)
  return [starts[first] ?? 0, starts[Math.min(starts.length - 1, first + 1 + below(3, random))] ?? bytes.length]
}

function withMiddle(bytes: Uint8Array, [from, to]: readonly [number, number], middle: Uint8Array): Uint8Array {
  return joined(bytes.subarray(0, from), middle, bytes.subarray(to))
}

function swapped(bytes: Uint8Array, one: readonly [number, number], other: readonly [number, number]): Uint8Array {
  const [first, second] = one[0] <= other[0] ? [one, other] : [other, one]
  if (first[1] > second[0]) return bytes
  return joined(
    bytes.subarray(0, first[0]),
    bytes.subarray(...second),
    bytes.subarray(first[1], second[0]),
    bytes.subarray(...first),
    bytes.subarray(second[1]),
  )
}

const NOTHING = new Uint8Array()
const SCRAPS = [
  '\0',
  '\0\0\0\0',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '\n\n',
  '\r',
  '\r\n',
  'data: ',
  '\uD83D',
  '\uFEFF',
  'null',
  ',',
  '<',
  '[DONE]\n\n',
].map((text) => Buffer.from(text))

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'bit flipped': (bytes, random) => {
    const copy = bytes.slice()
    const at = below(copy.length, random)
    copy[at] = (copy[at] ?? 0) ^ (1 << below(8, random))
    return copy
  },
  'part deleted': (bytes, random) => withMiddle(bytes, part(bytes, random), NOTHING),
  'part repeated': (bytes, random) => {
    const [from, to] = part(bytes, random)
    return withMiddle(bytes, [to, to], bytes.subarray(from, to))
  },
  'parts swapped': (bytes, random) => swapped(bytes, part(bytes, random), part(bytes, random)),
  'lines deleted': (bytes, random) => withMiddle(bytes, lines(bytes, random), NOTHING),
  'lines repeated': (bytes, random) => {
    const [from, to] = lines(bytes, random)
    return withMiddle(bytes, [to, to], bytes.subarray(from, to))
  },
  'lines swapped': (bytes, random) => swapped(bytes, lines(bytes, random), lines(bytes, random)),
  'cut off': (bytes, random) => bytes.subarray(0, below(bytes.length, random)),
  'beginning lost': (bytes, random) => bytes.subarray(below(bytes.length, random)),
  'scrap inserted': (bytes, random) => {
    const at = below(bytes.length + 1, random)
    return withMiddle(bytes, [at, at], SCRAPS[below(SCRAPS.length, random)] ?? NOTHING)
  },
  'byte set': (bytes, random) => {
    const at = below(bytes.length, random)
    return withMiddle(bytes, [at, at + 1], Uint8Array.of(below(256, random)))
  },
  'lines of another stream inserted': (bytes, random, other) => {
    const [at] = lines(bytes, random)
    return withMiddle(bytes, [at, at], other.subarray(...lines(other, random)))
  },
  'whole stream once more': (bytes) => joined(bytes, bytes),
}

export interface Mutated {
  readonly bytes: Uint8Array
  readonly how: readonly string[]
}

/** One to four mutations, one on the other. */
export function mutated(bytes: Uint8Array, random: Random, other: Uint8Array): Mutated {
  const names = Object.keys(MUTATIONS)
  const how: string[] = []
  let now = bytes
  for (let left = 1 + below(4, random); left > 0 && now.length > 0; left -= 1) {
    const name = names[below(names.length, random)] ?? ''
    now = MUTATIONS[name]?.(now, random, other) ?? now
    how.push(name)
  }
  return { bytes: now, how }
}
