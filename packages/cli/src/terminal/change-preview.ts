/** What a write or an edit would change, told from its arguments by the names that tools use. Only for showing: what runs does not depend on it. */
import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '@adjutant/core'
import { isInside } from '../config/sessions-folder.ts'
import { type DiffLine, diffLines } from './diff-lines.ts'

export interface Change {
  /** Arguments that the lines show already. */
  readonly used: readonly string[]
  /** As they are: not printable yet. */
  readonly lines: readonly DiffLine[]
}

/** Of the present content of a file; a larger one is shown as all new. */
const MAX_FILE_BYTES = 512 * 1024

const OLD = ['old_text', 'oldText', 'old_string', 'old_str', 'find']
const NEW = ['new_text', 'newText', 'new_string', 'new_str', 'replacement']
const CONTENT = ['content', 'contents', 'text']
/** What an edit is told to do beside its texts is shown as an argument. */
const EDIT_KEYS: ReadonlySet<string> = new Set([...OLD, ...NEW])

function firstText(input: JsonObject, names: readonly string[]): { readonly name: string; readonly text: string } | undefined {
  for (const name of names) {
    const value = ownValue(input, name)
    if (typeof value === 'string') return { name, text: value }
  }
  return undefined
}

function editOf(input: JsonObject): Change | undefined {
  const before = firstText(input, OLD)
  const after = firstText(input, NEW)
  return before === undefined || after === undefined
    ? undefined
    : { used: [before.name, after.name], lines: diffLines(before.text, after.text) }
}

/** @param current the file as it is now */
export function changeOf(input: JsonObject, current: string | undefined): Change | undefined {
  const single = editOf(input)
  if (single !== undefined) return single
  const edits = ownValue(input, 'edits')
  if (Array.isArray(edits) && edits.length > 0) {
    const each = edits.map((edit: JsonValue) => (isJsonObject(edit) ? editOf(edit) : undefined))
    const bare = edits.every((edit: JsonValue) => isJsonObject(edit) && Object.keys(edit).every((key) => EDIT_KEYS.has(key)))
    if (each.every((edit) => edit !== undefined)) return { used: bare ? ['edits'] : [], lines: each.flatMap((edit) => edit.lines) }
  }
  const content = firstText(input, CONTENT)
  if (content === undefined || typeof ownValue(input, 'path') !== 'string') return undefined
  const lines = diffLines(current ?? '', content.text)
  return { used: [content.name], lines: lines.length === 0 ? [{ sign: ' ', text: '(the same as it is now)' }] : lines }
}

/** The file as it is now, where the path is one of this workspace. */
export async function currentText(workspace: string, path: JsonValue | undefined): Promise<string | undefined> {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  try {
    // Links resolved: what is shown must not come from outside either.
    const [root, real] = await Promise.all([realpath(workspace), realpath(resolve(workspace, path))])
    if (!isInside(real, root)) return undefined
    await using file = await open(real, 'r')
    const found = await file.stat()
    return !found.isFile() || found.size > MAX_FILE_BYTES ? undefined : await file.readFile('utf8')
  } catch {
    return undefined
  }
}
