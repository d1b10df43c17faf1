import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** Picture formats that the server can decode. */
const IMAGES = /^image\/(?:png|jpe?g|webp)$/i

/**
 * One `tool` message for each result, told apart by `tool_name` and order (and `tool_call_id` where the server gave the call an id);
 * pictures follow in one `user` message behind the last of them.
 */
export function toOllamaMessages(results: readonly ToolResult[], madeUpIds: ReadonlySet<string>): readonly JsonObject[] {
  const messages: JsonObject[] = []
  const images: string[] = []
  const owners: string[] = []
  for (const result of results) {
    const id = madeUpIds.has(result.id) ? undefined : { tool_call_id: result.id }
    const content = textWithParts(result, isShown, ', in the next message')
    messages.push({ role: 'tool', tool_name: result.name, ...id, content })
    for (const part of result.parts) {
      if (part.type !== 'image' || !isShown(part)) continue
      images.push(part.data)
      owners.push(result.name)
    }
  }
  if (images.length > 0) messages.push({ role: 'user', content: `Images from the results, in order: ${owners.join(', ')}`, images })
  return messages
}

function isShown(part: ContentPart): boolean {
  return part.type === 'image' && IMAGES.test(part.mimeType)
}
