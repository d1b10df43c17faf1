import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { fenced } from '../fence.ts'
import { describePart } from '../output-parts.ts'

/**
 * The result's text with a line for each part that does not stand in it: where it is to be found, or that it cannot be shown. All of it
 * between the marks of its fence where it has one: titles and types of parts are words of strangers as well.
 *
 * @param shown which parts the wire carries elsewhere
 * @param where said of those, e.g. `, in the next message`; undefined: they need no line
 */
export function textWithParts(result: ToolResult, shown: (part: ContentPart) => boolean, where: string | undefined): string {
  const text = wholeText(result, shown, where)
  return result.fence === undefined ? text : fenced(text, result)
}

function wholeText(result: ToolResult, shown: (part: ContentPart) => boolean, where: string | undefined): string {
  if (result.parts.length === 0) return result.text
  const lines: string[] = []
  for (const part of result.parts) {
    // The label of a resource stands in the text already.
    if (part.type === 'resource' || part.type === 'text') continue
    const label = describePart(part)
    if (!shown(part)) lines.push(`[${label}; it cannot be shown here]`)
    else if (where !== undefined) lines.push(`[${label}${where}]`)
  }
  // A result of parts alone has their bare labels as its text.
  const bare = result.parts.map((part) => `[${describePart(part)}]`).join('\n')
  if (result.text === bare && lines.length === result.parts.length) return lines.join('\n')
  return lines.length === 0 ? result.text : `${result.text}\n${lines.join('\n')}`
}
