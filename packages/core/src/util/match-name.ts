/**
 * Whether a name fits a pattern in which `*` stands for any characters. Linear: between the fixed ends each piece is taken at its
 * first place.
 *
 * @example
 * ```ts
 * matchesName('mcp__github__*', 'mcp__github__create_issue') // true
 * ```
 */
export function matchesName(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  const first = pieces.shift() ?? ''
  const last = pieces.pop()
  if (last === undefined) return first === name
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  const until = name.length - last.length
  let from = first.length
  for (const piece of pieces) {
    const found = name.indexOf(piece, from)
    if (found === -1 || found + piece.length > until) return false
    from = found + piece.length
  }
  return true
}
