import type { SearchDocument } from '@adjutant/core'

/** A catalogue of any size, the same each time: words are drawn as they are in real texts, few of them often. */
export function syntheticCatalogue(size: number): readonly SearchDocument[] {
  const random = randomFrom(7)
  return Array.from({ length: size }, (_, at): SearchDocument => {
    const words = (count: number): string => Array.from({ length: count }, () => wordFor(random())).join(' ')
    const properties = Object.fromEntries(
      Array.from({ length: 1 + Math.floor(random() * 5) }, () => [
        words(2).replaceAll(' ', '_'),
        { type: 'string', description: words(4 + Math.floor(random() * 8)) },
      ]),
    )
    const name = words(2 + Math.floor(random() * 2)).replaceAll(' ', '_')
    return {
      id: `tool-${at}`,
      name,
      description: `${words(8 + Math.floor(random() * 16))}.`,
      inputSchema: { type: 'object', properties },
      server: `server ${wordFor(Math.floor(at / 20) / (size / 20))}`,
    }
  })
}

export function syntheticQueries(count: number): readonly string[] {
  const random = randomFrom(11)
  return Array.from({ length: count }, () => {
    const sentences = 1 + Math.floor(random() ** 2 * 4)
    return Array.from({ length: sentences }, () =>
      ['Please', ...Array.from({ length: 5 + Math.floor(random() * 10) }, () => wordFor(random())), 'for me.'].join(' '),
    ).join(' ')
  })
}

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta tre pli sko spu'.split(' ')
const VOCABULARY = 12_000

/** Of 12 000 words; the more common, the smaller the number. */
function wordFor(random: number): string {
  let rank = Math.floor(VOCABULARY ** random)
  let word = ''
  do {
    word += SYLLABLES[rank % SYLLABLES.length]
    rank = Math.floor(rank / SYLLABLES.length)
  } while (rank > 0)
  return `${word}n`
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
