import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** The names that the wire has for picture formats. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

/** One `user` message of `toolResult` blocks, each with its status; pictures are inside the block of their call. */
export function toBedrockMessage(results: readonly ToolResult[]): JsonObject {
  return { role: 'user', content: results.map(toBlock) }
}

function toBlock(result: ToolResult): JsonObject {
  const content: JsonObject[] = [{ text: textWithParts(result, (part) => formatOf(part) !== undefined, undefined) }]
  for (const part of result.parts) {
    const format = formatOf(part)
    if (part.type === 'image' && format !== undefined) content.push({ image: { format, source: { bytes: part.data } } })
  }
  return { toolResult: { toolUseId: result.id, content, status: result.isError ? 'error' : 'success' } }
}

function formatOf(part: ContentPart): string | undefined {
  return part.type === 'image' ? FORMATS.get(part.mimeType.toLowerCase()) : undefined
}
