import ts from 'typescript6'
import type { TypeReader } from './described.ts'

/**
 * Owns one trap: the compiler attaches no doc comment to a member on the same line as the `{` before it. What is written there
 * is lost without a word, so it is said.
 */
export function warnOfLostComment(reader: TypeReader, node: ts.Node): void {
  const file = node.getSourceFile()
  if (file.isDeclarationFile) return
  const { text } = file
  const lost = (ts.getTrailingCommentRanges(text, node.pos) ?? []).some(({ pos }) => text.startsWith('/**', pos) && text[pos + 3] !== '/')
  if (!lost) return
  reader.warn(
    node,
    'its doc comment is on the same line as what stands before it, and is not read',
    'Put the property on a line of its own.',
  )
}
