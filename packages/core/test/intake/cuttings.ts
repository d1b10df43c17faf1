/**
 * Cuts an answer the ways in which it may arrive. What comes out of a decoder must not depend on any of them. Repeatable: the random cuts
 * come from a seed.
 */
import assert from 'node:assert/strict'
import type { DecodeEvent, Dialect } from '../../src/contract/index.ts'
import { createDecoder } from '../../src/intake/dialect.ts'
import { callIds, type Decoded, gather, withCrLf } from './decode-all.ts'

interface Cutting {
  readonly name: string
  readonly chunks: readonly Uint8Array[]
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `whole`, `per byte`, `random`, `\r\n` whole and per byte. The last two are for framed input: in bare text they are other text. */
function* cuttings(bytes: Uint8Array, random: () => number): Generator<Cutting, void, void> {
  yield { name: 'whole', chunks: [bytes] }
  yield { name: 'per byte', chunks: perByte(bytes) }
  yield { name: 'random', chunks: atRandom(bytes, random) }
  const crlf = withCrLf(bytes)
  yield { name: '\\r\\n', chunks: [crlf] }
  yield { name: '\\r\\n, per byte', chunks: perByte(crlf) }
}

function perByte(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
}

/** Mostly short pieces, a few long ones, some of no bytes. */
export function atRandom(bytes: Uint8Array, random: () => number): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const longest = random() < 0.1 ? 4_096 : 40
    const end = at + Math.floor(random() * longest)
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

function decodeChunks(chunks: readonly Uint8Array[], dialect: Dialect | 'auto'): Decoded {
  const seen: DecodeEvent[] = []
  const decoder = createDecoder(dialect, (event) => seen.push(event), { ids: callIds() })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return gather(seen)
}

/** Feeds two decoders in turn, a piece each, until both have all. */
export function decodeInterleaved(
  one: readonly Uint8Array[],
  other: readonly Uint8Array[],
  dialects: readonly [Dialect | 'auto', Dialect | 'auto'] = ['auto', 'auto'],
): readonly [Decoded, Decoded] {
  const seen: readonly [DecodeEvent[], DecodeEvent[]] = [[], []]
  const first = createDecoder(dialects[0], (event) => seen[0].push(event), { ids: callIds() })
  const second = createDecoder(dialects[1], (event) => seen[1].push(event), { ids: callIds() })
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const left = one[at]
    const right = other[at]
    if (left !== undefined) first.push(left)
    if (right !== undefined) second.push(right)
  }
  first.end()
  second.end()
  return [gather(seen[0]), gather(seen[1])]
}

interface EveryWay {
  readonly random: () => number
  /** The other stream on the same process; default the same one. */
  readonly beside?: Uint8Array
  /** Cuttings that would change what the input says, such as `\r\n` in bare text. */
  readonly leaveOut?: (name: string) => boolean
}

/** Decodes in each cutting, with the dialect found and named, alone and beside another: the same events each time. Gives them. */
export function decodeEveryWay(bytes: Uint8Array, dialect: Dialect, { random, beside = bytes, leaveOut }: EveryWay): Decoded {
  const whole = decodeChunks([bytes], 'auto')
  assert.equal(whole.end.dialect, dialect)
  for (const { name, chunks } of cuttings(bytes, random)) {
    if (leaveOut?.(name) === true) continue
    assert.deepEqual(decodeChunks(chunks, 'auto').events, whole.events, name)
    assert.deepEqual(decodeChunks(chunks, dialect).events, whole.events, `${name}, with the dialect named`)
  }
  const alone = decodeChunks([beside], 'auto')
  const [one, other] = decodeInterleaved(atRandom(bytes, random), atRandom(beside, random))
  assert.deepEqual(one.events, whole.events, 'interleaved with another stream')
  assert.deepEqual(other.events, alone.events, 'the stream it was interleaved with')
  return whole
}
