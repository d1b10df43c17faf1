import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart, ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** What this wire takes as inline data. */
const MEDIA = /^(?:image\/(?:png|jpe?g|webp|heic|heif)|audio\/(?:wav|mp3|mpeg|aiff|aac|ogg|flac))$/i

/**
 * One `user` content of `functionResponse` parts in call order (`response` is `{ output }`, or `{ error }` for what failed), then the
 * pictures and sounds, each behind a line that says whose it is. An id that intake made up is left out: the model never sent it, and
 * calls without ids are matched by name and order.
 */
export function toGeminiContent(results: readonly ToolResult[], madeUpIds: ReadonlySet<string>): JsonObject {
  const answers: JsonObject[] = []
  const media: JsonObject[] = []
  for (const result of results) {
    const text = textWithParts(result, isShown, ', below')
    const id = madeUpIds.has(result.id) ? undefined : { id: result.id }
    answers.push({ functionResponse: { ...id, name: result.name, response: result.isError ? { error: text } : { output: text } } })
    const shown = result.parts.filter((part) => part.type === 'image' || part.type === 'audio').filter(isShown)
    if (shown.length > 0) media.push({ text: `From the result of ${result.name}:` })
    for (const part of shown) media.push({ inlineData: { mimeType: part.mimeType, data: part.data } })
  }
  return { role: 'user', parts: [...answers, ...media] }
}

function isShown(part: ContentPart): boolean {
  return (part.type === 'image' || part.type === 'audio') && MEDIA.test(part.mimeType)
}
