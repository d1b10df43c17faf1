import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** Picture formats that vision models of this wire take. */
const IMAGES = /^image\/(?:png|jpe?g|gif|webp)$/i

/**
 * One `tool` message for each result, which may hold text only; pictures follow in one `user` message behind the last of them
 * (every call must be answered before anything else comes), each with a line saying whose it is.
 */
export function toOpenAiChatMessages(results: readonly ToolResult[]): readonly JsonObject[] {
  const messages: JsonObject[] = []
  const pictures: JsonObject[] = []
  for (const result of results) {
    const shown = (part: ContentPart): boolean => part.type === 'image' && IMAGES.test(part.mimeType)
    messages.push({ role: 'tool', tool_call_id: result.id, content: textWithParts(result, shown, ', in the next message') })
    const images = result.parts.filter((part) => part.type === 'image').filter(shown)
    if (images.length === 0) continue
    pictures.push({ type: 'text', text: `From the result of ${result.name} (${result.id}):` })
    for (const image of images) pictures.push({ type: 'image_url', image_url: { url: `data:${image.mimeType};base64,${image.data}` } })
  }
  if (pictures.length > 0) messages.push({ role: 'user', content: pictures })
  return messages
}
