/** Owns recognising binary files by their first bytes: images that a model can look at, and names for other common kinds. */

export interface ImageKind {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  readonly label: string
}

/** The image forms that every vision model takes. */
export function imageKind(head: Buffer): ImageKind | undefined {
  if (startsWith(head, '\x89PNG\r\n\x1a\n')) return { mimeType: 'image/png', label: 'PNG image' }
  if (startsWith(head, '\xff\xd8\xff')) return { mimeType: 'image/jpeg', label: 'JPEG image' }
  if (startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a')) return { mimeType: 'image/gif', label: 'GIF image' }
  if (startsWith(head, 'RIFF') && startsWith(head.subarray(8), 'WEBP')) return { mimeType: 'image/webp', label: 'WebP image' }
  return undefined
}

const KINDS: readonly (readonly [magic: string, label: string])[] = [
  ['%PDF-', 'PDF document'],
  ['PK\x03\x04', 'ZIP archive or office document'],
  ['\x1f\x8b', 'gzip archive'],
  ['BZh', 'bzip2 archive'],
  ['\xfd7zXZ\x00', 'xz archive'],
  ['\x28\xb5\x2f\xfd', 'Zstandard archive'],
  ['7z\xbc\xaf\x27\x1c', '7-Zip archive'],
  ['SQLite format 3\x00', 'SQLite database'],
  ['\x7fELF', 'Linux program'],
  ['MZ', 'Windows program'],
  ['\x00asm', 'WebAssembly module'],
  ['\xca\xfe\xba\xbe', 'Java class or macOS program'],
  ['PAR1', 'Parquet table'],
  ['ID3', 'MP3 audio'],
  ['OggS', 'Ogg audio'],
  ['fLaC', 'FLAC audio'],
  ['\xff\xfe\x00\x00', 'UTF-32 text'],
  ['\x00\x00\xfe\xff', 'UTF-32 text'],
]

/** A name for a binary file, e.g. `PDF document`; `binary data` when its beginning is unknown. */
export function binaryKind(head: Buffer): string {
  return KINDS.find(([magic]) => startsWith(head, magic))?.[1] ?? 'binary data'
}

function startsWith(head: Buffer, magic: string): boolean {
  return head.length >= magic.length && head.toString('latin1', 0, magic.length) === magic
}
