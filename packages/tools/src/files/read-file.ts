/**
 * read_file: text with line numbers, in pages; images as images. The form is `   12<TAB>text`: models that are shown line
 * numbers quote places rightly, and the tab keeps the number apart from the text's own indentation.
 *
 * A page ends at a line's end before {@link PAGE_CHARS}, so that the general clipping of results never cuts it in the middle.
 * Files above {@link WHOLE_FILE_BYTES} are streamed: only what lies before the page and the page itself is read, and where the
 * last page ended is remembered, so that paging on costs one page.
 */
import type { FileHandle } from 'node:fs/promises'
import { AdjutantError, type AgentTool, ToolOutput } from '@adjutant/core/contract'
import { textField, wholeField } from '../input-fields.ts'
import { byteSize, grouped, plural } from '../text/amounts.ts'
import { binaryKind, imageKind } from '../text/file-kind.ts'
import { type ReadAt, scanLines } from '../text/scan-lines.ts'
import { detectEncoding, encodingNote, SAMPLE_BYTES, type TextEncoding } from '../text/text-encoding.ts'
import { type FileState, stateOf } from '../workspace/read-log.ts'
import { shown, type WorkspacePath } from '../workspace/workspace-path.ts'
import { BUILT_IN, type FileToolContext, WHOLE_FILE_BYTES } from './file-tool-context.ts'
import { fileVersion, noteSeenAgain } from './file-version.ts'
import { existingFile } from './find-entry.ts'
import { type PagePosition, PagePositions } from './page-positions.ts'
import { readHandle } from './read-whole.ts'

/** About 8 000 tokens: enough for most source files at once. */
const PAGE_CHARS = 30_000
const PAGE_LINES = 2_000
/** A longer line is cut, unless it is the only one asked for. */
const LINE_CHARS = 2_000
/** What the APIs of the model vendors take as one image. */
const IMAGE_BYTES = 5 * 1_024 * 1_024

export function createReadFile(context: FileToolContext): AgentTool {
  const positions = new PagePositions()
  return {
    name: 'read_file',
    description:
      'Read a file of the workspace. Use for: looking at text or source files (each line comes as its number, a tab, its text), looking at an image (PNG, JPEG, GIF, WebP up to 5 MiB). ' +
      'Not for: folders (list_directory), finding a text in many files (search_text), other binary files. ' +
      `Gives up to ${grouped(PAGE_LINES)} lines or ${grouped(PAGE_CHARS)} characters at once and says how to read on. A file has to be read before it is changed with edit_file or write_file.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, relative to the workspace.', examples: ['src/index.ts'] },
        offset: { type: 'integer', minimum: 1, description: 'First line to read, counted from 1. Default 1.', examples: [200] },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: PAGE_LINES,
          description: `Number of lines. Default ${PAGE_LINES}.`,
          examples: [100],
        },
      },
      required: ['path'],
      additionalProperties: false,
      examples: [{ path: 'README.md' }, { path: 'logs/server.log', offset: 2001, limit: 500 }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    repeatable: true,
    // A page, its numbers and its notes fit below this; see PAGE_CHARS.
    limits: { maxResultChars: 60_000 },
    resources: (input) => [{ key: `file:${context.workspace.lexical(textField(input, 'path'))}`, mode: 'read' }],
    remember: {
      version: (input, cx) => fileVersion(context, cx, textField(input, 'path')),
      reused: (_input, cx, version) => noteSeenAgain(context, cx, version),
    },
    async execute(input, cx) {
      const path = await existingFile(context.workspace, textField(input, 'path'))
      const offset = wholeField(input, 'offset', { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: 1 })
      const limit = wholeField(input, 'limit', { min: 1, max: PAGE_LINES, fallback: PAGE_LINES })
      const handle = await context.workspace.openForReading(path)
      try {
        const file = await openText(handle, path, cx.signal)
        context.readLog.note(cx.sessionId, path.real, file.state)
        if (file.image !== undefined) return file.image
        return await readPage({ file, path, offset, limit, positions, signal: cx.signal })
      } finally {
        await handle.close()
      }
    },
  }
}

interface OpenedFile {
  readonly state: FileState
  readonly size: number
  readonly readAt: ReadAt
  readonly encoding: TextEncoding
  readonly image?: ToolOutput
}

/** @throws AdjutantError UNSUPPORTED for what is neither text nor an image, TOO_LARGE for a large image */
async function openText(handle: FileHandle, path: WorkspacePath, signal: AbortSignal): Promise<OpenedFile> {
  const stats = await handle.stat({ bigint: true })
  const size = Number(stats.size)
  if (size <= WHOLE_FILE_BYTES) {
    const { bytes, state } = await readHandle(handle, path.given, signal)
    const readAt: ReadAt = async (position, length) => bytes.subarray(position, position + length)
    return recognise(bytes, bytes.length, true, state, readAt, path)
  }
  const sample = Buffer.alloc(SAMPLE_BYTES)
  const { bytesRead } = await handle.read(sample, 0, SAMPLE_BYTES, 0)
  let chunk = Buffer.alloc(0)
  const readAt: ReadAt = async (position, length) => {
    if (chunk.length < length) chunk = Buffer.allocUnsafe(length)
    const read = await handle.read(chunk, 0, length, position)
    return chunk.subarray(0, read.bytesRead)
  }
  return recognise(sample.subarray(0, bytesRead), size, false, stateOf(stats), readAt, path)
}

function recognise(head: Buffer, size: number, whole: boolean, state: FileState, readAt: ReadAt, path: WorkspacePath): OpenedFile {
  const kind = imageKind(head)
  const encoding = detectEncoding(head, whole)
  if (kind !== undefined && encoding === undefined) {
    if (size > IMAGE_BYTES) {
      throw new AdjutantError(
        'TOO_LARGE',
        `${shown(path.given)} is a ${kind.label} of ${byteSize(size)}; at most ${byteSize(IMAGE_BYTES)} can be shown`,
        {
          hint: 'Use a smaller version of the image.',
        },
      )
    }
    const image = new ToolOutput([
      { type: 'text', text: `${path.relative}: ${kind.label}, ${byteSize(size)}` },
      { type: 'image', mimeType: kind.mimeType, data: head.toString('base64') },
    ])
    return { state, size, readAt, encoding: { name: 'utf-8', markBytes: 0, unit: 1 }, image }
  }
  if (encoding === undefined) {
    throw new AdjutantError('UNSUPPORTED', `${shown(path.given)} is not text: ${binaryKind(head)}, ${byteSize(size)}`, {
      hint: 'read_file shows text and images only; use a tool that knows this kind of file.',
    })
  }
  return { state, size, readAt, encoding }
}

interface PageRequest {
  readonly file: OpenedFile
  readonly path: WorkspacePath
  readonly offset: number
  readonly limit: number
  readonly positions: PagePositions
  readonly signal: AbortSignal
}

async function readPage({ file, path, offset, limit, positions, signal }: PageRequest): Promise<string> {
  if (file.size === 0) return `[${path.relative} is empty]`
  const start: PagePosition = positions.before(path.real, file.state, offset) ?? { line: 1, byte: file.encoding.markBytes }
  const maxLineChars = limit === 1 ? PAGE_CHARS : LINE_CHARS
  const lines: string[] = []
  const notes: string[] = []
  let chars = 0
  let last = offset - 1
  let endByte = start.byte
  let cutLines = 0
  let returns = 0
  let replaced = false
  const scan = { encoding: file.encoding, startByte: start.byte, startLine: start.line, firstLine: offset, maxLineChars, signal }
  for await (const line of scanLines(file.readAt, scan)) {
    const text = line.cut > 0 ? `${line.text}… [${grouped(line.cut)} more characters in this line]` : line.text
    if (lines.length > 0 && chars + text.length > PAGE_CHARS) break
    lines.push(`${String(line.number).padStart(5)}\t${text}`)
    chars += text.length + 7
    last = line.number
    endByte = line.endByte
    if (line.cut > 0) cutLines += 1
    if (line.endsWithReturn) returns += 1
    if (file.encoding.name === 'utf-8' && line.text.includes('\uFFFD')) replaced = true
    if (lines.length >= limit) break
  }
  if (lines.length === 0) {
    if (offset === 1) return `[${path.relative} has only a byte order mark]`
    const total = await countLines(file, signal)
    throw new AdjutantError(
      'INVALID_ARGUMENTS',
      `${shown(path.given)} has ${plural(total, 'line')}; line ${grouped(offset)} does not exist`,
      {
        hint: `Use an offset from 1 to ${total}.`,
      },
    )
  }
  positions.note(path.real, file.state, { line: last + 1, byte: endByte })
  const rest = file.size - endByte
  if (rest > 0) notes.push(`lines ${offset}–${last}; ${byteSize(rest)} follow: read on with offset ${last + 1}`)
  else if (offset > 1) notes.push(`lines ${offset}–${last}, the end of the file`)
  if (cutLines > 0)
    notes.push(
      `${plural(cutLines, 'line')} cut: ${limit === 1 ? 'look inside with search_text' : `read one alone with limit 1 to see ${grouped(PAGE_CHARS)} characters of it`}`,
    )
  const encoding = encodingNote(file.encoding)
  if (encoding !== undefined) notes.push(encoding)
  if (replaced) notes.push('some bytes are not valid UTF-8 and are shown as \uFFFD')
  if (returns > 0) notes.push(returns === lines.length || returns === lines.length - 1 ? 'line ends: CRLF' : 'line ends: mixed CRLF and LF')
  return notes.length === 0 ? lines.join('\n') : `${lines.join('\n')}\n[${notes.join('; ')}]`
}

async function countLines(file: OpenedFile, signal: AbortSignal): Promise<number> {
  const options = { encoding: file.encoding, startByte: file.encoding.markBytes, startLine: 1, firstLine: 1, maxLineChars: 0, signal }
  let count = 0
  for await (const line of scanLines(file.readAt, options)) count = line.number
  return count
}
