import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** What an image block of this wire may hold. */
const IMAGES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
])

/** One `user` message of `tool_result` blocks and nothing else; pictures are inside the block of their call. */
export function toAnthropicMessage(results: readonly ToolResult[]): JsonObject {
  return { role: 'user', content: results.map(toBlock) }
}

function toBlock(result: ToolResult): JsonObject {
  const images: JsonObject[] = []
  for (const part of result.parts) {
    if (part.type !== 'image') continue
    const mediaType = mediaTypeOf(part)
    if (mediaType !== undefined) images.push({ type: 'image', source: { type: 'base64', media_type: mediaType, data: part.data } })
  }
  const text = textWithParts(result, (part) => mediaTypeOf(part) !== undefined, undefined)
  return {
    type: 'tool_result',
    tool_use_id: result.id,
    content: images.length === 0 ? text : [{ type: 'text', text }, ...images],
    ...(result.isError ? { is_error: true } : undefined),
  }
}

function mediaTypeOf(part: ContentPart): string | undefined {
  return part.type === 'image' ? IMAGES.get(part.mimeType.toLowerCase()) : undefined
}
