import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** Picture formats that models of this wire take. */
const IMAGES = /^image\/(?:png|jpe?g|gif|webp)$/i

/**
 * One `function_call_output` item for each result, for the `input` of the next request: text, or a list of content when there are
 * pictures. A call of a custom tool (free text in, none of JSON) is answered by `custom_tool_call_output`.
 * @param customIds ids of calls of custom tools
 */
export function toOpenAiResponsesItems(results: readonly ToolResult[], customIds: ReadonlySet<string>): readonly JsonObject[] {
  return results.map((result) => {
    const type = customIds.has(result.id) ? 'custom_tool_call_output' : 'function_call_output'
    return { type, call_id: result.id, output: outputOf(result) }
  })
}

function outputOf(result: ToolResult): string | readonly JsonObject[] {
  const images: JsonObject[] = []
  for (const part of result.parts) {
    if (part.type === 'image' && isShown(part)) {
      images.push({ type: 'input_image', image_url: `data:${part.mimeType.toLowerCase()};base64,${part.data}` })
    }
  }
  const text = textWithParts(result, isShown, undefined)
  return images.length === 0 ? text : [{ type: 'input_text', text }, ...images]
}

function isShown(part: ContentPart): boolean {
  return part.type === 'image' && IMAGES.test(part.mimeType)
}
