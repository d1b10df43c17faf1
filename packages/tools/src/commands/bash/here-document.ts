/** Owns where a here-document ends: at the first line that is its delimiter and nothing else, whatever a parser thinks. */
import type { SyntaxNode } from './syntax.ts'

/** @returns why it is not understood, or undefined */
export function checkHereDocumentEnd(node: SyntaxNode, source: string): string | undefined {
  const find = (type: string): SyntaxNode | undefined => node.children.find((child) => child.type === type)
  const start = find('heredoc_start')
  const end = find('heredoc_end')
  if (start === undefined || end === undefined || end.missing || end.start === end.end) return 'has a here-document that does not end'
  const raw = source.slice(start.start, start.end)
  if (/[$`]/.test(raw)) return 'has a here-document that is not understood'
  const delimiter = raw.replace(/\\(.)/g, '$1').replace(/['"]/g, '')
  const tabs = find('<<-') !== undefined
  const opened = source.indexOf('\n', start.end)
  if (opened === -1) return 'has a here-document that does not end'
  const lineStart = source.lastIndexOf('\n', end.start - 1) + 1
  const body = find('heredoc_body')
  if (body !== undefined && body.start < opened) return 'has a here-document that is not understood'
  for (let at = opened + 1; at <= source.length; ) {
    const next = source.indexOf('\n', at)
    const line = source.slice(at, next === -1 ? source.length : next)
    if ((tabs ? line.replace(/^\t+/, '') : line) === delimiter)
      return at === lineStart ? undefined : 'has a here-document that is not understood'
    if (next === -1) break
    at = next + 1
  }
  return 'has a here-document that does not end'
}
