import { open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Owns the look at the disk for one skill: which file it is, and its text, bounded. Devices and pipes are never opened. */

/** Instructions are meant to be a few pages; the largest of a thousand public ones has 160 KB. */
const MAX_BYTES = 512 * 1024

interface Refused {
  readonly ok: false
  readonly message: string
  readonly hint: string
}

export type FoundFile = { readonly ok: true; readonly file: string; readonly warnings: readonly string[] } | Refused
export type ReadText = { readonly ok: true; readonly text: string; readonly warnings: readonly string[] } | Refused

/** The SKILL.md of a folder, also where it is spelled otherwise; or the file itself. */
export async function findSkillFile(path: string): Promise<FoundFile> {
  try {
    const info = await stat(path)
    if (info.isFile()) {
      if (/^skill\.md$/i.test(basename(path))) return { ok: true, file: path, warnings: spelling(basename(path)) }
      return { ok: false, message: 'is a file, not the folder of a skill', hint: 'Name the folder that holds SKILL.md.' }
    }
    if (!info.isDirectory()) return { ok: false, message: 'is neither a folder nor a file', hint: 'Name the folder that holds SKILL.md.' }
    const names = await readdir(path)
    const name = names.includes('SKILL.md') ? 'SKILL.md' : names.find((one) => /^skill\.md$/i.test(one))
    if (name === undefined) return { ok: false, message: 'holds no SKILL.md', hint: 'Add a SKILL.md, or name another folder.' }
    return { ok: true, file: join(path, name), warnings: spelling(name) }
  } catch (error) {
    return unreadable(error)
  }
}

export async function readSkillText(file: string): Promise<ReadText> {
  try {
    const info = await stat(file)
    if (!info.isFile()) return { ok: false, message: 'is not a file', hint: 'Put the skill into a plain file called SKILL.md.' }
    if (info.size > MAX_BYTES) {
      return {
        ok: false,
        message: `has ${info.size} bytes (limit ${MAX_BYTES})`,
        hint: 'Move what is not needed each time into files beside it.',
      }
    }
    const handle = await open(file, 'r')
    try {
      // One byte more than allowed shows a file that grew meanwhile.
      const buffer = Buffer.alloc(MAX_BYTES + 1)
      let length = 0
      while (length < buffer.length) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
        if (bytesRead === 0) break
        length += bytesRead
      }
      if (length > MAX_BYTES) return { ok: false, message: `is longer than ${MAX_BYTES} bytes`, hint: 'Move parts into files beside it.' }
      return decode(buffer.subarray(0, length))
    } finally {
      await handle.close()
    }
  } catch (error) {
    return unreadable(error)
  }
}

function decode(bytes: Uint8Array): ReadText {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
  try {
    const text = new TextDecoder(wide ?? 'utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (text.includes('\0')) return { ok: false, message: 'is binary, not text', hint: 'Write SKILL.md as plain text in UTF-8.' }
    return { ok: true, text, warnings: wide === undefined ? [] : ['the file is not in UTF-8'] }
  } catch {
    return { ok: false, message: 'is not text in UTF-8', hint: 'Save SKILL.md in UTF-8.' }
  }
}

function spelling(name: string): readonly string[] {
  return name === 'SKILL.md' ? [] : [`the file is called ${name}; the format wants SKILL.md`]
}

function unreadable(error: unknown): Refused {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
      return { ok: false, message: 'does not exist', hint: 'Check the path.' }
    case 'EACCES':
    case 'EPERM':
      return { ok: false, message: 'may not be read', hint: 'Give this user the right to read it.' }
    case 'ELOOP':
      return { ok: false, message: 'is a symbolic link that leads back to itself', hint: 'Remove or correct the link.' }
    case 'ENOTDIR':
      return { ok: false, message: 'goes through something that is not a folder', hint: 'Check the path.' }
    default:
      return { ok: false, message: `cannot be read: ${error instanceof Error ? error.message : String(error)}`, hint: 'Check the path.' }
  }
}
