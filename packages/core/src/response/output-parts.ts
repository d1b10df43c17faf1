import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { ContentPart } from '../contract/result.ts'
import { type AgentTool, ToolOutput } from '../contract/tool.ts'
import { NO_OUTPUT, valueText } from './value-text.ts'

/**
 * Owns: what of a tool's output is text and what is not. Images and audio stay whole and are never counted, cut or repeated as
 * text; a resource's label and the text embedded in it are text like any other (or they would reach the model without bound), and
 * what is left of it as a part is a link. Too large a picture, or one too many, is left out and said so. Stateless.
 */

export interface RenderedOutput {
  readonly text: string
  /** Where the text comes from several parts: each of them, so that they can share a limit. Joined by line ends they are `text`. */
  readonly texts?: readonly string[]
  readonly parts: readonly ContentPart[]
  /** The tool itself says that it failed. */
  readonly isError: boolean
}

/** Base64 characters of one image or sound: 5 MB of data, the most that vision models take in a request's image. */
const MAX_MEDIA_CHARS = 7_000_000
const MAX_MEDIA_PARTS = 20
/** Base64 characters of all of them: 15 MB of data, well below the size of a request that providers take. */
const MAX_ALL_MEDIA_CHARS = 20_000_000
/** Shorter data is not looked for in the text: it could be a word. */
const LEAST_MIRRORED_CHARS = 64
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
  const media = new MediaAllowance()
  const mirrored = mediaData(given)
  for (const part of given) {
    switch (part.type) {
      case 'text':
        texts.push(withoutData(part.text, mirrored))
        break
      case 'image':
      case 'audio': {
        const problem = media.take(part.data.length)
        if (problem === undefined) parts.push(part)
        else texts.push(`[${describePart(part)} left out: ${problem}]`)
        break
      }
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
  if (structured !== undefined && !given.some((part) => part.type === 'text'))
    texts.push(valueText(withoutMedia(structured, mirrored, 0), roomy))
  const text = texts.join('\n')
  if (text !== '') return { text, parts, isError, ...(texts.length > 1 ? { texts } : undefined) }
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

/** What one result may have of images and audio. */
class MediaAllowance {
  #parts = 0
  #chars = 0

  /** @returns why it has no room, else nothing */
  take(chars: number): string | undefined {
    if (chars > MAX_MEDIA_CHARS) return 'too large'
    if (this.#parts >= MAX_MEDIA_PARTS) return `more than ${MAX_MEDIA_PARTS} in one result`
    if (this.#chars + chars > MAX_ALL_MEDIA_CHARS) return `more than ${(MAX_ALL_MEDIA_CHARS / 4) * 3} bytes of them in one result`
    this.#parts++
    this.#chars += chars
    return undefined
  }
}

function mediaData(given: readonly ContentPart[]): ReadonlySet<string> {
  const data = new Set<string>()
  for (const part of given) if ((part.type === 'image' || part.type === 'audio') && part.data.length > 0) data.add(part.data)
  return data
}

const MIRROR_NOTE = '[the data above]'

/** Some servers repeat a picture's data in the text, as JSON or as a `data:` address; there it would be read as words. */
function withoutData(text: string, mirrored: ReadonlySet<string>): string {
  let bare = text
  for (const data of mirrored) {
    if (data.length < LEAST_MIRRORED_CHARS || data.length > bare.length) continue
    bare = bare.replaceAll(data, MIRROR_NOTE)
    // JSON may be written with `\/` for `/`.
    if (bare.includes('\\/')) bare = bare.replaceAll(data.replaceAll('/', '\\/'), MIRROR_NOTE)
  }
  return bare
}

/** The same of the structured form. */
function withoutMedia(value: JsonValue, mirrored: ReadonlySet<string>, depth: number): JsonValue {
  if (mirrored.size === 0) return value
  if (typeof value === 'string') {
    const bare = value.startsWith('data:') ? value.slice(value.indexOf(',') + 1) : value
    return mirrored.has(bare) ? MIRROR_NOTE : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return '[nested too deep to show]'
  if (isArray(value)) return value.map((item) => withoutMedia(item, mirrored, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutMedia(member, mirrored, depth + 1)]))
}

/** As deep as values are written. */
const MAX_DEPTH = 100

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
