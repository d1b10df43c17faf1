import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { type ContentPart, isJsonObject, type JsonValue, ToolOutput } from '../../../contract/index.ts'

/**
 * A server's answer to `tools/call` in the form every tool gives back. Images and audio stay what they are, never text.
 * Structured content counts only where there is no text: servers send the same twice. What of it repeats an image's data is
 * replaced by a note, as a model would otherwise read a picture as a hundred thousand letters.
 */
export function toToolOutput(result: CallToolResult): ToolOutput {
  const parts = result.content.map(toPart)
  const structured = parts.some((part) => part.type === 'text' && part.text !== '') ? undefined : structuredOf(result, parts)
  return new ToolOutput(parts, { isError: result.isError === true, ...(structured === undefined ? {} : { structured }) })
}

function toPart(block: ContentBlock): ContentPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: block.type, mimeType: block.mimeType, data: block.data }
    case 'resource_link':
      return { type: 'resource', uri: block.uri, ...mimeTypeOf(block.mimeType), title: block.title ?? block.name }
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return { type: 'resource', uri: resource.uri, ...mimeTypeOf(resource.mimeType), text: resource.text }
      const kind = /^(image|audio)\//.exec(resource.mimeType ?? '')?.[1]
      if (resource.mimeType !== undefined && (kind === 'image' || kind === 'audio')) {
        return { type: kind, mimeType: resource.mimeType, data: resource.blob }
      }
      // Bytes that no model can read: say that they are there.
      const bytes = Buffer.byteLength(resource.blob, 'base64')
      return { type: 'resource', uri: resource.uri, ...mimeTypeOf(resource.mimeType), title: `${bytes} bytes of binary data, not shown` }
    }
    default:
      block satisfies never
      return { type: 'text', text: JSON.stringify(block) }
  }
}

function mimeTypeOf(mimeType: string | undefined): { readonly mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType }
}

function structuredOf(result: CallToolResult, parts: readonly ContentPart[]): JsonValue | undefined {
  const value: unknown = result.structuredContent
  if (!isJson(value)) return undefined
  const media = parts.filter((part) => part.type === 'image' || part.type === 'audio')
  return media.length === 0 ? value : withoutMedia(value, media)
}

/** Came out of JSON.parse; only `undefined` is not JSON there. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined
}

/** Shorter strings may be equal by chance, and cost nothing. */
const MIN_MEDIA = 64

function withoutMedia(value: JsonValue, media: readonly { readonly mimeType: string; readonly data: string }[]): JsonValue {
  if (typeof value === 'string') {
    if (value.length < MIN_MEDIA) return value
    const same = media.find(({ data }) => data.length >= MIN_MEDIA && value.endsWith(data))
    return same === undefined ? value : `(the ${same.mimeType} beside this)`
  }
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutMedia(member, media)]))
  if (typeof value === 'object' && value !== null) return value.map((item) => withoutMedia(item, media))
  return value
}
