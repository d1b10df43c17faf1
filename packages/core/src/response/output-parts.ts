import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { ContentPart } from '../contract/result.ts'
import { type AgentTool, ToolOutput } from '../contract/tool.ts'
import { NO_OUTPUT, valueText } from './value-text.ts'

/**
 * Owns: what of a tool's output is text and what is not. Images and audio stay whole and are never counted, cut or repeated as
 * text; a resource's label and the text embedded in it are text like any other (or they would reach the model without bound), and
 * what is left of it as a part is a link. Too large a picture is left out and said so. Stateless.
 */

export interface RenderedOutput {
  readonly text: string
  readonly parts: readonly ContentPart[]
  /** The tool itself says that it failed. */
  readonly isError: boolean
}

/** Base64 characters of one image or sound: 5 MB of data, the most that vision models take in a request's image. */
const MAX_MEDIA_CHARS = 7_000_000
const MAX_MEDIA_PARTS = 20
const NO_PARTS: readonly ContentPart[] = Object.freeze([])

/** @param roomy see {@link valueText} */
export function renderOutput(output: unknown, tool: AgentTool | undefined, input: JsonObject | undefined, roomy: number): RenderedOutput {
  const isError = output instanceof ToolOutput && output.isError
  if (tool?.format === undefined) return renderUnformatted(output, isError, roomy)
  let problem: string
  try {
    const formatted: unknown = tool.format(output, input ?? {})
    if (typeof formatted === 'string') return { text: formatted === '' ? NO_OUTPUT : formatted, parts: NO_PARTS, isError }
    if (isContentParts(formatted)) return renderParts(formatted, undefined, isError, roomy)
    problem = 'it gave neither text nor parts'
  } catch (error) {
    problem = error instanceof Error ? error.message : valueText(error, roomy)
  }
  const plain = renderUnformatted(output, isError, roomy)
  return { ...plain, text: `(The tool's own format failed: ${problem.slice(0, 300)}. This is its output as it came.)\n${plain.text}` }
}

function renderUnformatted(output: unknown, isError: boolean, roomy: number): RenderedOutput {
  if (output instanceof ToolOutput) return renderParts(output.parts, output.structured, isError, roomy)
  return { text: valueText(output, roomy), parts: NO_PARTS, isError }
}

function renderParts(given: readonly ContentPart[], structured: JsonValue | undefined, isError: boolean, roomy: number): RenderedOutput {
  const texts: string[] = []
  const parts: ContentPart[] = []
  let media = 0
  for (const part of given) {
    switch (part.type) {
      case 'text':
        texts.push(part.text)
        break
      case 'image':
      case 'audio':
        if (part.data.length > MAX_MEDIA_CHARS) texts.push(`[${describePart(part)} left out: too large]`)
        else if (++media > MAX_MEDIA_PARTS) texts.push(`[${describePart(part)} left out: more than ${MAX_MEDIA_PARTS} in one result]`)
        else parts.push(part)
        break
      case 'resource': {
        // Its label is text, so that a thousand links are clipped like a thousand lines.
        const { text, ...link } = part
        parts.push(link)
        texts.push(text === undefined ? `[${describePart(part)}]` : `[${describePart(part)}]\n${text}`)
        break
      }
      default:
        part satisfies never
    }
  }
  if (structured !== undefined && !given.some((part) => part.type === 'text')) texts.push(valueText(withoutMedia(structured, given), roomy))
  const text = texts.join('\n')
  if (text !== '') return { text, parts, isError }
  return { text: parts.length === 0 ? NO_OUTPUT : parts.map((part) => `[${describePart(part)}]`).join('\n'), parts, isError }
}

/** One line for a part that cannot be shown where it stands. */
export function describePart(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return 'text'
    case 'image':
    case 'audio':
      return `${part.type} ${part.mimeType}, ${Math.ceil((part.data.length * 3) / 4)} bytes`
    case 'resource':
      return `resource ${part.uri}${part.title === undefined ? '' : ` "${part.title}"`}`
    default:
      return part satisfies never
  }
}

/** Some servers repeat a picture's data in the structured form; there it would be read as text. */
function withoutMedia(value: JsonValue, given: readonly ContentPart[]): JsonValue {
  const data = new Set<string>()
  for (const part of given) if (part.type === 'image' || part.type === 'audio') data.add(part.data)
  if (data.size === 0) return value
  const strip = (item: JsonValue): JsonValue => {
    if (typeof item === 'string') {
      const bare = item.startsWith('data:') ? item.slice(item.indexOf(',') + 1) : item
      return data.has(bare) ? '[the data above]' : item
    }
    if (isArray(item)) return item.map(strip)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, strip(member)]))
  }
  return strip(value)
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isContentParts(value: unknown): value is readonly ContentPart[] {
  return Array.isArray(value) && value.every(isContentPart)
}

function isContentPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  switch (value.type) {
    case 'text':
      return 'text' in value && typeof value.text === 'string'
    case 'image':
    case 'audio':
      return 'data' in value && typeof value.data === 'string' && 'mimeType' in value && typeof value.mimeType === 'string'
    case 'resource':
      return 'uri' in value && typeof value.uri === 'string'
    default:
      return false
  }
}
