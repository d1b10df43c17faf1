/** Owns finding lines in a block of text. Pure. */

export interface LineMatch {
  /** 0-based within the block. */
  readonly line: number
  /** Code units from the start of the line. */
  readonly column: number
}

interface BlockMatches {
  readonly matches: readonly LineMatch[]
  /** Lines in the block. */
  readonly lines: number
}

/** The first match of each line, at most `limit` lines. Lines end with `\n`; a `\r` before it does not belong to the line. */
export function matchLines(block: string, pattern: RegExp, limit: number): BlockMatches {
  const matches: LineMatch[] = []
  let line = 0
  for (let from = 0; from < block.length; line += 1) {
    const feed = block.indexOf('\n', from)
    const end = feed === -1 ? block.length : feed
    if (matches.length < limit) {
      const text = block.slice(from, block[end - 1] === '\r' && end > from ? end - 1 : end)
      const column = text.search(pattern)
      if (column !== -1) matches.push({ line, column })
    }
    from = end + 1
  }
  return { matches, lines: line }
}

/** As {@link matchLines} for plain text: whole blocks at once, lines are looked at only where something was found. */
export function findText(block: string, wanted: string, limit: number): BlockMatches {
  const matches: LineMatch[] = []
  let line = 0
  let counted = 0
  const countTo = (place: number) => {
    for (let at = block.indexOf('\n', counted); at !== -1 && at < place; at = block.indexOf('\n', at + 1)) {
      line += 1
      counted = at + 1
    }
  }
  for (let at = block.indexOf(wanted); at !== -1 && matches.length < limit; ) {
    countTo(at)
    matches.push({ line, column: at - counted })
    const end = block.indexOf('\n', at)
    if (end === -1) break
    at = block.indexOf(wanted, end + 1)
  }
  countTo(block.length)
  return { matches, lines: block.length === 0 ? 0 : counted < block.length ? line + 1 : line }
}

/** Every letter as itself. (`RegExp.escape` is not in every Node that is supported.) */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
