/**
 * Owns what a body is and how its bytes become text: by its mark, the header, what HTML and XML say at their beginning, else as UTF-8, and as
 * Windows-1252 where it is none. All encodings of the WHATWG standard. Never throws.
 */
import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { imageKind } from '../text/file-kind.ts'
import { detectEncoding, SAMPLE_BYTES } from '../text/text-encoding.ts'

export type BodyKind = 'html' | 'text' | 'image' | 'other'

export interface MediaType {
  /** Lower case, without parameters; '' when none is given. */
  readonly type: string
  readonly charset: string | undefined
}

const TEXT_TYPES =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|x-javascript|typescript|x-ndjson|jsonl|json-seq|x-sh|x-httpd-php|sql|graphql|toml|x-tex|x-www-form-urlencoded|x-subrip|rtf|mbox|x-python)|image\/svg\+xml|message\/.+|model\/gltf\+json)$/
/** Said by servers that do not know. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/unknown',
  'unknown/unknown',
  '*/*',
])
/** As far as HTML's own standard has readers look for it. */
const PRESCAN_BYTES = 1_024

export function readMediaType(header: string | undefined): MediaType {
  const text = (header ?? '').slice(0, 1_000)
  const type = (text.split(';', 1)[0] ?? '').trim().toLowerCase()
  const charset = /;\s{0,20}charset\s{0,20}=\s{0,20}["']?([^\s"';,]{1,40})/i.exec(text)?.[1]
  return { type, charset }
}

/** By its type alone, before the body is there; undefined when the bytes have to say. */
export function kindByType({ type }: MediaType): BodyKind | undefined {
  if (UNKNOWN_TYPES.has(type)) return undefined
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (TEXT_TYPES.test(type)) return 'text'
  return /^image\/(?:png|jpeg|jpg|pjpeg|gif|webp|x-png)$/.test(type) ? 'image' : 'other'
}

export function kindByBytes(bytes: Buffer): BodyKind {
  if (imageKind(bytes) !== undefined) return 'image'
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  if (detectEncoding(sample, sample.length === bytes.length) === undefined) return 'other'
  return /^\uFEFF?\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)[\s>]/is.test(bytes.toString('latin1', 0, PRESCAN_BYTES))
    ? 'html'
    : 'text'
}

export function decodeBody(bytes: Buffer, media: MediaType): string {
  return decoderFor(bytes, media).decode(bytes)
}

function decoderFor(bytes: Buffer, media: MediaType): TextDecoder {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be')
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder()
  const said = known(media.charset) ?? known(inBody(bytes))
  if (said !== undefined) return said
  return isUtf8(bytes) ? new TextDecoder() : new TextDecoder('windows-1252')
}

function inBody(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, PRESCAN_BYTES)
  const found =
    /<meta[^>]{0,300}?\bcharset\s{0,20}=\s{0,20}["']?\s{0,20}([\w:.-]{1,40})/i.exec(head) ??
    /^\s{0,20}<\?xml[^>]{0,200}?\bencoding\s{0,20}=\s{0,20}["']([\w:.-]{1,40})/i.exec(head)
  const name = found?.[1]
  // Whoever can write this in letters of one byte is not UTF-16 (HTML standard, 13.2.3.2).
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name
}

function known(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
