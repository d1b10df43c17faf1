import { AdjutantError } from '../../contract/errors.ts'
import type { Embedder } from '../../contract/ports.ts'
import { Lexicon, TermBuffer } from './lexicon.ts'

const DEFAULT_DIMENSIONS = 256
const MOST_CHARACTERS = 20_000

/**
 * An embedder that needs no model and no network: the words of a text, and their groups of three letters, are counted in places that a hash
 * gives them. Near texts are those that share words or parts of words; it knows nothing of meaning.
 */
export function hashEmbedder(options: { readonly dimensions?: number } = {}): Embedder {
  const dimensions = options.dimensions ?? DEFAULT_DIMENSIONS
  return {
    dimensions,
    async embed(texts, { signal }) {
      if (signal.aborted) throw new AdjutantError('CANCELLED', 'stopped before texts were embedded')
      return texts.map((text) => embedOne(text, dimensions))
    },
  }
}

function embedOne(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const lexicon = new Lexicon()
  const buffer = new TermBuffer()
  lexicon.scan(text, buffer, true, MOST_CHARACTERS)
  const note = (part: string, weight: number): void => {
    const hash = hashOf(part)
    const at = (hash >>> 1) % dimensions
    vector[at] = (vector[at] ?? 0) + (hash % 2 === 0 ? weight : -weight)
  }
  for (let at = 0; at < buffer.length; at++) {
    const word = `^${lexicon.nameOf(buffer.terms[at] ?? 0)}$`
    note(word, 1)
    for (let start = 0; start + 3 <= word.length; start++) note(word.slice(start, start + 3), 0.3)
  }
  let square = 0
  for (const value of vector) square += value * value
  // An empty text is near nothing, and still a vector of length 1.
  if (square === 0) vector[0] = 1
  else for (const [at, value] of vector.entries()) vector[at] = value / Math.sqrt(square)
  return vector
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 13)) >>> 0
}
