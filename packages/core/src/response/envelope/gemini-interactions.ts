import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

const IMAGES = /^image\/(?:png|jpe?g|webp|heic|heif)$/i

/** One `function_result` step for each result, for the `input` of the next request: text, or a list of content when there are pictures. */
export function toGeminiInteractionsSteps(results: readonly ToolResult[]): readonly JsonObject[] {
  return results.map((result) => {
    const images: JsonObject[] = []
    for (const part of result.parts) {
      if (part.type === 'image' && isShown(part)) images.push({ type: 'image', mime_type: part.mimeType.toLowerCase(), data: part.data })
    }
    const text = textWithParts(result, isShown, undefined)
    return {
      type: 'function_result',
      call_id: result.id,
      name: result.name,
      result: images.length === 0 ? text : [{ type: 'text', text }, ...images],
      ...(result.isError ? { is_error: true } : undefined),
    }
  })
}

function isShown(part: ContentPart): boolean {
  return part.type === 'image' && IMAGES.test(part.mimeType)
}
