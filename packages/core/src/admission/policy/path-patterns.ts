/**
 * Owns patterns of absolute paths: `*` and `?` within one name, `**` across folders, `\` before a letter that is meant as it is.
 * Braces and brackets are refused rather than taken as letters: somebody who writes them means something by them. Linear in the path for
 * each part of a pattern.
 */

type Piece = { readonly type: 'text'; readonly text: string } | { readonly type: 'one' } | { readonly type: 'any' }

export interface PathPattern {
  /** Null is `**`. */
  readonly parts: readonly (readonly Piece[] | null)[]
  /** The last part is a plain name: what lies below it is meant as well. */
  readonly plainEnd: boolean
  /** Where no part has a wildcard: the one path that is meant, with what lies below it. Compared without taking a path apart. */
  readonly literal: string | undefined
}

const MAX_PATTERN = 1_000

/** What is wrong with a pattern; undefined: nothing. */
export function pathPatternProblem(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`
  if (pattern.includes('\0')) return 'holds a NUL byte'
  if (/(?<!\\)[[\]{}]/.test(pattern)) return 'holds a bracket or brace; write several patterns, or "\\" before the letter'
  if (pattern.startsWith('~')) return 'begins with "~"; write the folder out'
  if (pattern.split('/').includes('..')) return 'leads upwards with ".."; write the absolute path'
  if (/\*\*[^/]|[^/\\]\*\*/.test(pattern)) return 'has "**" beside other letters; it stands between slashes'
  return undefined
}

/** @param pattern absolute, with `/` */
export function compilePathPattern(pattern: string): PathPattern {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const last = names.at(-1)
  const parts = names.map((name) => (name === '**' ? null : piecesOf(name)))
  return { parts, plainEnd: last === undefined || !/(?<!\\)[*?]/.test(last), literal: literalOf(parts) }
}

function literalOf(parts: PathPattern['parts']): string | undefined {
  let literal = ''
  for (const part of parts) {
    const [piece, ...more] = part ?? []
    if (piece?.type !== 'text' || more.length > 0) return undefined
    literal += `/${piece.text}`
  }
  return literal
}

const SLASH = 47

/** @param path absolute, with `/` between its names and none at its end */
export function liesAt(literal: string, path: string): boolean {
  return path.startsWith(literal) && (path.length === literal.length || path.charCodeAt(literal.length) === SLASH)
}

/**
 * @param below a folder that is matched covers everything in it, whatever the pattern's last part
 */
export function matchesPath(pattern: PathPattern, names: readonly string[], below: boolean): boolean {
  const { parts } = pattern
  const covers = below || pattern.plainEnd
  // Positions in `names` that the parts so far can have reached, as a growing list: each part looks at each position once.
  let reach: readonly number[] = [0]
  for (const [index, part] of parts.entries()) {
    const next: number[] = []
    if (part === null) {
      const from = (reach[0] ?? 0) + (index === parts.length - 1 && !below ? 1 : 0)
      for (let at = from; at <= names.length; at++) next.push(at)
    } else {
      for (const at of reach) {
        const name = names[at]
        if (name !== undefined && matchesPieces(part, name)) next.push(at + 1)
      }
    }
    if (next.length === 0) return false
    reach = next
  }
  return covers || reach.at(-1) === names.length
}

/** Greedy with one way back, to the last `*`: what an earlier one took can only matter through a later one. */
function matchesPieces(pieces: readonly Piece[], name: string): boolean {
  let piece = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < name.length || piece < pieces.length) {
    const current = pieces[piece]
    if (current?.type === 'any') {
      star = piece
      starAt = at
      piece++
      continue
    }
    const length = current === undefined ? -1 : lengthAt(current, name, at)
    if (length >= 0) {
      at += length
      piece++
      continue
    }
    if (star === -1 || starAt >= name.length) return false
    starAt++
    at = starAt
    piece = star + 1
  }
  return true
}

function lengthAt(piece: Piece, name: string, at: number): number {
  if (piece.type === 'text') return name.startsWith(piece.text, at) ? piece.text.length : -1
  const code = name.codePointAt(at)
  return code === undefined ? -1 : code > 0xffff ? 2 : 1
}

function piecesOf(name: string): readonly Piece[] {
  const pieces: Piece[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') pieces.push({ type: 'text', text })
    text = ''
  }
  for (let at = 0; at < name.length; at++) {
    const letter = name[at] ?? ''
    if (letter === '*') {
      flush()
      if (pieces.at(-1)?.type !== 'any') pieces.push({ type: 'any' })
    } else if (letter === '?') {
      flush()
      pieces.push({ type: 'one' })
    } else if (letter === '\\' && at + 1 < name.length) {
      at++
      text += name[at]
    } else text += letter
  }
  flush()
  return pieces
}
