/** Owns `{a,b}`: words that one word becomes before anything else happens. Ranges (`{1..9}`) become names known only by their form. */
import type { Piece } from './word.ts'

type Pieces = readonly Piece[]

/** @returns undefined when there would be more than `most` words */
export function expandBraces(pieces: Pieces, most: number): readonly Pieces[] | undefined {
  let opens = 0
  for (const piece of pieces) if (isBare(piece, '{')) opens++
  if (opens === 0) return [pieces]
  // Each is looked at again for every word: their number bounds the work.
  if (opens > most) return undefined
  const done: Pieces[] = []
  const waiting: Pieces[] = [pieces]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const split = splitFirst(next)
    if (split === undefined) done.push(next)
    else waiting.push(...split.toReversed())
    if (done.length + waiting.length > most) return undefined
  }
  return done
}

function isBare(piece: Piece | undefined, text: string): boolean {
  return piece !== undefined && 'text' in piece && !piece.quoted && piece.text === text
}

/** The words that come of the first brace that has a comma or a range in it. */
function splitFirst(pieces: Pieces): readonly Pieces[] | undefined {
  for (let open = 0; open < pieces.length; open++) {
    if (!isBare(pieces[open], '{')) continue
    const commas: number[] = []
    let depth = 0
    for (let at = open + 1; at < pieces.length; at++) {
      const piece = pieces[at]
      if (isBare(piece, '{')) depth++
      else if (isBare(piece, ',') && depth === 0) commas.push(at)
      else if (isBare(piece, '}') && depth-- === 0) {
        const before = pieces.slice(0, open)
        const after = pieces.slice(at + 1)
        if (commas.length > 0) {
          const edges = [open, ...commas, at]
          return commas.concat(at).map((edge, index) => [...before, ...pieces.slice((edges[index] ?? open) + 1, edge), ...after])
        }
        if (isRange(pieces.slice(open + 1, at))) return [[...before, { open: 'script', substitution: false, quoted: false }, ...after]]
        break
      }
    }
  }
  return undefined
}

function isRange(pieces: Pieces): boolean {
  const text = pieces.map((piece) => ('text' in piece && !piece.quoted ? piece.text : '\0')).join('')
  return /^(?:-?\d+|[A-Za-z])\.\.(?:-?\d+|[A-Za-z])(?:\.\.-?\d+)?$/.test(text)
}
