/** Owns what the model reads of an answer: one line that says what it is, then its text, an image, or why neither is shown. */
import { ToolOutput } from '@adjutant/core/contract'
import { byteSize } from '../text/amounts.ts'
import { binaryKind, imageKind } from '../text/file-kind.ts'
import { decodeBody, kindByBytes, kindByType, type MediaType, readMediaType } from './decode-body.ts'
import type { Arrival } from './follow-redirects.ts'
import { readableText } from './html/readable-text.ts'
import { readBody } from './read-body.ts'

export interface ShowOptions {
  readonly maxBytes: number
  /** HTML as it is instead of what it says. */
  readonly source: boolean
}

/** What the APIs of the model vendors take as one image. */
const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024
const MAX_SHOWN_HEADERS = 60
const MAX_HEADER_CHARS = 500
const MAX_SAID = 600

/** @throws AdjutantError as {@link readBody} does */
export async function showAnswer(arrival: Arrival, method: string, options: ShowOptions): Promise<string | ToolOutput> {
  const { url, response } = arrival
  const media = readMediaType(response.headers['content-type'])
  if (method === 'HEAD' || arrival.leadsTo !== undefined) {
    response.destroy()
    return [firstLine(arrival, media), ...shownHeaders(arrival)].join('\n')
  }
  if (kindByType(media) === 'other') {
    const length = Number(response.headers['content-length'])
    response.destroy()
    return notShown(arrival, media, Number.isSafeInteger(length) ? byteSize(length) : 'size not told')
  }
  const bytes = await readBody(response, url.href, options.maxBytes)
  const image = imageKind(bytes)
  const kind = image === undefined ? (kindByType(media) ?? kindByBytes(bytes)) : 'image'
  switch (kind) {
    case 'image': {
      if (image === undefined || bytes.length > MAX_IMAGE_BYTES)
        return notShown(arrival, media, `${byteSize(bytes.length)}, ${binaryKind(bytes)}`)
      return new ToolOutput([
        { type: 'text', text: firstLine(arrival, media, `${image.label}, ${byteSize(bytes.length)}`) },
        { type: 'image', mimeType: image.mimeType, data: bytes.toString('base64') },
      ])
    }
    case 'other':
      return notShown(arrival, media, `${byteSize(bytes.length)}, ${binaryKind(bytes)}`)
    case 'text':
      return `${firstLine(arrival, media, byteSize(bytes.length))}\n\n${decodeBody(bytes, media)}`
    case 'html': {
      const html = decodeBody(bytes, media)
      if (options.source) return `${firstLine(arrival, media, byteSize(bytes.length))}\n\n${html}`
      const page = readableText(html, url.href)
      const notes = [byteSize(bytes.length), ...(page.reduced ? ['main content'] : []), ...(page.cut ? ['its beginning'] : [])].join(', ')
      const text = page.text === '' ? '[The page has no text without its scripts.]' : page.text
      return [firstLine(arrival, media, notes), ...(page.title === '' ? [] : [`Title: ${page.title}`]), '', text].join('\n')
    }
    default:
      return kind satisfies never
  }
}

/** The beginning of what a server says to an error, on one line; '' where it says nothing readable. Never rejects. */
export async function saidOf(arrival: Arrival): Promise<string> {
  const media = readMediaType(arrival.response.headers['content-type'])
  const kind = kindByType(media)
  if (kind !== 'text' && kind !== 'html') {
    arrival.response.destroy()
    return ''
  }
  try {
    const text = decodeBody(await readBody(arrival.response, arrival.url.href, 1_048_576), media)
    const read = kind === 'html' ? readableText(text, arrival.url.href).text : text
    return read
      .slice(0, 4 * MAX_SAID)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, MAX_SAID)
  } catch {
    return ''
  }
}

function firstLine({ url, response, hops, leadsTo }: Arrival, media: MediaType, notes?: string): string {
  const status = `HTTP ${response.statusCode ?? 0}`
  const moved = hops === 0 ? '' : ` (after ${hops} redirect${hops === 1 ? '' : 's'})`
  const parts = [
    status,
    `${url.href}${moved}`,
    ...(media.type === '' ? [] : [media.type.slice(0, 100)]),
    ...(notes === undefined ? [] : [notes]),
  ]
  return parts.join(' · ') + (leadsTo === undefined ? '' : `\nIt redirects to ${leadsTo.slice(0, 2_000)}, which was not followed.`)
}

function notShown(arrival: Arrival, media: MediaType, what: string): string {
  return `${firstLine(arrival, media)}\n[Not shown: ${what}. http_fetch shows text and images (PNG, JPEG, GIF, WebP up to ${byteSize(MAX_IMAGE_BYTES)}).]`
}

function shownHeaders({ response }: Arrival): readonly string[] {
  const lines: string[] = []
  for (const [name, value] of Object.entries(response.headers).slice(0, MAX_SHOWN_HEADERS)) {
    // A cookie is a key to somebody's session.
    if (name !== 'set-cookie') lines.push(`${name}: ${String(value).slice(0, MAX_HEADER_CHARS)}`)
  }
  return lines
}
