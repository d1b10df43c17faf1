/**
 * Owns matching of paths against glob patterns: `*` and `?` within one part of a path, `**` across parts, `[a-z]` and `[!a]`,
 * `{a,b}`. Names that begin with a dot are matched like any other. A pattern without `/` is matched against the name alone, in
 * whichever folder. Linear in the name for each part: patterns come from a model, and no pattern may be able to hang a search.
 */
import { AdjutantError } from '@adjutant/core/contract'

export interface Glob {
  /** @param path with `/`, relative to where the search starts */
  matches(path: string): boolean
}

type Piece = { readonly type: 'text'; readonly text: string } | { readonly type: 'any-one' } | { readonly type: 'any' } | CharacterClass

interface CharacterClass {
  readonly type: 'class'
  readonly negated: boolean
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

/** One part of a pattern; null is `**`. */
type Part = readonly Piece[] | null

const MAX_ALTERNATIVES = 256
const MAX_PATTERN = 1_000

/**
 * @example
 * ```ts
 * compileGlob('src/**\/*.{ts,tsx}').matches('src/a/b.ts') // true
 * compileGlob('*.md').matches('docs/guide.md') // true
 * ```
 * @throws AdjutantError INVALID_ARGUMENTS for an empty or absolute pattern, one that leads upwards, or one with too many alternatives
 */
export function compileGlob(pattern: string): Glob {
  if (pattern.length === 0) throw refuse(pattern, 'is empty')
  if (pattern.length > MAX_PATTERN) throw refuse(pattern, `is longer than ${MAX_PATTERN} characters`)
  if (pattern.startsWith('/')) throw refuse(pattern, 'begins with "/"; patterns are relative to the folder that is searched')
  const alternatives = expandBraces(pattern, pattern).map((text) => partsOf(text, pattern))
  return { matches: (path) => alternatives.some((parts) => matchParts(parts, path.split('/'))) }
}

function partsOf(text: string, pattern: string): readonly Part[] {
  const names = text.split('/').filter((name, index, all) => name !== '.' && (name !== '' || index === all.length - 1))
  if (names.includes('..')) throw refuse(pattern, 'leads upwards with ".."; use the argument path for another folder')
  if (names.at(-1) === '') names[names.length - 1] = '**'
  const parts: Part[] = names.map((name) => (name === '**' ? null : piecesOf(name)))
  return text.includes('/') ? parts : [null, ...parts]
}

/** `**` matches any number of names, none included; behind the last `/` at least one. */
function matchParts(parts: readonly Part[], names: readonly string[]): boolean {
  let reach = new Set([0])
  for (const [index, part] of parts.entries()) {
    const next = new Set<number>()
    if (part === null) {
      const last = index === parts.length - 1
      const from = Math.min(...reach)
      for (let at = last ? from + 1 : from; at <= names.length; at += 1) next.add(at)
    } else {
      for (const at of reach) {
        const name = names[at]
        if (name !== undefined && matchPieces(part, name)) next.add(at + 1)
      }
    }
    if (next.size === 0) return false
    reach = next
  }
  return reach.has(names.length)
}

/** Greedy with one way back, to the last `*`: enough, because what an earlier `*` took can only matter through a later one. */
function matchPieces(pieces: readonly Piece[], name: string): boolean {
  let piece = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < name.length || piece < pieces.length) {
    const current = pieces[piece]
    if (current?.type === 'any') {
      star = piece
      starAt = at
      piece += 1
      continue
    }
    const length = current === undefined ? -1 : lengthAt(current, name, at)
    if (length >= 0) {
      at += length
      piece += 1
      continue
    }
    if (star === -1 || starAt >= name.length) return false
    starAt += 1
    at = starAt
    piece = star + 1
  }
  return true
}

/** How many code units the piece takes at `at`, or -1. */
function lengthAt(piece: Piece, name: string, at: number): number {
  if (piece.type === 'text') return name.startsWith(piece.text, at) ? piece.text.length : -1
  const code = name.codePointAt(at)
  if (code === undefined) return -1
  const length = code > 0xffff ? 2 : 1
  if (piece.type !== 'class') return length
  return piece.ranges.some(([from, to]) => code >= from && code <= to) === piece.negated ? -1 : length
}

function piecesOf(name: string): readonly Piece[] {
  const pieces: Piece[] = []
  let text = ''
  const flush = () => {
    if (text !== '') pieces.push({ type: 'text', text })
    text = ''
  }
  for (let at = 0; at < name.length; at += 1) {
    const letter = name[at] ?? ''
    const group = letter === '[' ? classAt(name, at) : undefined
    if (group !== undefined) {
      flush()
      pieces.push(group.piece)
      at = group.end
    } else if (letter === '*') {
      flush()
      if (pieces.at(-1)?.type !== 'any') pieces.push({ type: 'any' })
    } else if (letter === '?') {
      flush()
      pieces.push({ type: 'any-one' })
    } else if (letter === '\\' && at + 1 < name.length) {
      at += 1
      text += name[at]
    } else text += letter
  }
  flush()
  return pieces
}

/** `[…]` beginning at `start`; undefined where it is never closed, and `[` is a letter. */
function classAt(name: string, start: number): { readonly piece: CharacterClass; readonly end: number } | undefined {
  const negated = name[start + 1] === '!' || name[start + 1] === '^'
  const first = start + (negated ? 2 : 1)
  const end = name.indexOf(']', first + 1)
  if (end === -1) return undefined
  const letters = Array.from(name.slice(first, end), (letter) => letter.codePointAt(0) ?? 0)
  const ranges: [number, number][] = []
  for (let at = 0; at < letters.length; at += 1) {
    const from = letters[at] ?? 0
    const to = letters[at + 1] === 0x2d ? letters[at + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return { piece: { type: 'class', negated, ranges }, end }
}

function expandBraces(text: string, pattern: string): readonly string[] {
  const group = firstGroup(text)
  if (group === undefined) return [text]
  const tails = expandBraces(text.slice(group.end + 1), pattern)
  const heads = group.options.flatMap((option) => expandBraces(option, pattern))
  if (heads.length * tails.length > MAX_ALTERNATIVES) throw refuse(pattern, `has more than ${MAX_ALTERNATIVES} alternatives in braces`)
  const before = text.slice(0, group.start)
  return heads.flatMap((head) => tails.map((tail) => before + head + tail))
}

/** The first `{…}` with a comma; braces without one are letters. */
function firstGroup(text: string): { readonly start: number; readonly end: number; readonly options: readonly string[] } | undefined {
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start + 1)) {
    if (text[start - 1] === '\\') continue
    const options: string[] = []
    let depth = 0
    let from = start + 1
    for (let at = start; at < text.length; at += 1) {
      const letter = text[at]
      if (letter === '\\') at += 1
      else if (letter === '{') depth += 1
      else if (letter === ',' && depth === 1) {
        options.push(text.slice(from, at))
        from = at + 1
      } else if (letter === '}') {
        depth -= 1
        if (depth > 0) continue
        options.push(text.slice(from, at))
        if (options.length > 1) return { start, end: at, options }
        break
      }
    }
  }
  return undefined
}

function refuse(pattern: string, problem: string): AdjutantError {
  return new AdjutantError('INVALID_ARGUMENTS', `the pattern ${JSON.stringify(pattern.slice(0, 100))} ${problem}`, {
    hint: 'For example "*.ts", "src/**/*.{ts,tsx}" or "docs/*.md".',
  })
}
