/**
 * Owns which files a run made or changed: found by looking at the box's folder, never by believing the code. Each is told with its size and what its
 * first bytes say that it is; the first pictures are given as pictures. Bounded in number and bytes; what cannot be read is told without a type.
 */
import { extname } from 'node:path'
import { AdjutantError, type ContentPart, type JsonValue, type SandboxFile } from '@adjutant/core/contract'
import { byteSize, grouped } from '../text/amounts.ts'
import { binaryKind, imageKind } from '../text/file-kind.ts'
import type { OpenBox } from './session-boxes.ts'

const MOST_LISTED = 20
/** Files in the folder, beyond which it is not looked at after each call. */
const MOST_WATCHED = 2_000
const LONGEST_PATH = 200
const MOST_PICTURES = 4
/** Model providers take pictures up to 5 MB in base64. */
const PICTURE_BYTES = 3_750_000
/** Read to find out the types, of all files together. */
const READ_BYTES = 16_000_000

export interface ChangedFiles {
  /** `[files: plot.png (PNG image, 12 KiB), …]`; absent when nothing changed. */
  readonly note?: string
  readonly pictures: readonly ContentPart[]
  readonly structured: readonly JsonValue[]
}

/** Looks before a run, where what was there is not known. Never rejects for what is in the folder. */
export async function noteFiles(box: OpenBox, isShared: boolean): Promise<void> {
  if (isShared) box.files = undefined
  box.files ??= marksOf(await listFiles(box))
}

/** Looks after a run. @throws AdjutantError SANDBOX_FAILED when the box broke */
export async function changedFiles(box: OpenBox): Promise<ChangedFiles> {
  if (!box.watchesFiles) return NOTHING
  const before = box.files
  const now = await listFiles(box)
  const marks = marksOf(now)
  box.files = marks
  if (now === undefined || now.length > MOST_WATCHED) {
    // Each look takes longer the more there are, and would have to be paid by every call.
    box.watchesFiles = false
    const note = `[files: more than ${grouped(MOST_WATCHED)} in /workspace; what changes is not listed any more]`
    return before === undefined || now === undefined ? { ...NOTHING, note } : addNote(await describe(box, changes(before, now)), note)
  }
  return before === undefined ? NOTHING : describe(box, changes(before, now))
}

const NOTHING: ChangedFiles = { pictures: [], structured: [] }

function changes(before: ReadonlyMap<string, string>, now: readonly SandboxFile[]): readonly SandboxFile[] {
  return now.filter((file) => before.get(file.path) !== markOf(file)).sort((a, b) => a.modifiedAt - b.modifiedAt)
}

function addNote(files: ChangedFiles, note: string): ChangedFiles {
  return { ...files, note: files.note === undefined ? note : `${files.note}\n${note}` }
}

async function listFiles(box: OpenBox): Promise<readonly SandboxFile[] | undefined> {
  if (!box.watchesFiles) return undefined
  try {
    return (await box.sandbox.list()).filter(({ type }) => type === 'file')
  } catch (error) {
    if (AdjutantError.isInstance(error) && error.code === 'SANDBOX_FAILED') throw error
    return undefined
  }
}

function marksOf(files: readonly SandboxFile[] | undefined): ReadonlyMap<string, string> | undefined {
  return files === undefined ? undefined : new Map(files.map((file) => [file.path, markOf(file)]))
}

function markOf({ bytes, modifiedAt }: SandboxFile): string {
  return `${bytes} ${modifiedAt}`
}

async function describe(box: OpenBox, changed: readonly SandboxFile[]): Promise<ChangedFiles> {
  if (changed.length === 0) return NOTHING
  const pictures: ContentPart[] = []
  const structured: JsonValue[] = []
  const words: string[] = []
  let room = READ_BYTES
  for (const { path, bytes } of changed.slice(0, MOST_LISTED)) {
    const content = bytes <= room ? await contentOf(box, path, bytes) : undefined
    room -= content?.byteLength ?? 0
    const type = content === undefined ? typeByName(path) : typeOf(content)
    const image = content === undefined ? undefined : imageKind(content)
    const isShown = image !== undefined && bytes <= PICTURE_BYTES && pictures.length < MOST_PICTURES
    if (isShown && content !== undefined) pictures.push({ type: 'image', mimeType: image.mimeType, data: content.toString('base64') })
    structured.push({ path, bytes, type })
    words.push(`${oneLine(path)} (${type}, ${byteSize(bytes)}${isShown ? ', shown' : ''})`)
  }
  const more = changed.length - words.length
  return { note: `[files: ${words.join(', ')}${more > 0 ? `, and ${grouped(more)} more` : ''}]`, pictures, structured }
}

async function contentOf(box: OpenBox, path: string, bytes: number): Promise<Buffer | undefined> {
  try {
    const content = await box.sandbox.readFile(path, { maxBytes: Math.max(bytes, 1) })
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  } catch {
    // Gone again, grown meanwhile, or no plain file any more.
    return undefined
  }
}

function typeOf(content: Buffer): string {
  const head = content.subarray(0, 8_192)
  const image = imageKind(head)
  if (image !== undefined) return image.label
  if (content.byteLength === 0) return 'empty'
  const binary = binaryKind(head)
  if (binary !== 'binary data') return binary
  return head.includes(0) || !isText(head) ? binary : 'text'
}

function isText(head: Buffer): boolean {
  try {
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

function typeByName(path: string): string {
  const extension = extname(path).slice(1)
  return /^[A-Za-z0-9]{1,8}$/.test(extension) ? `.${extension} file` : 'file'
}

/** A file's name may be anything; in this text it stays one line. */
function oneLine(path: string): string {
  const line = path.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, '?')
  return line.length > LONGEST_PATH ? `${line.slice(0, LONGEST_PATH - 1)}…`.toWellFormed() : line
}
