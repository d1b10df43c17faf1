/**
 * edit_file: one piece of text for another, exactly. Changes only what this session has read and nobody changed since; keeps
 * encoding, byte order mark and line ends; the file is replaced whole or not at all.
 */
import { AdjutantError, type AgentTool, type CallContext, EDIT_TAG } from '@adjutant/core/contract'
import { flagField, textField } from '../input-fields.ts'
import { byteSize, plural } from '../text/amounts.ts'
import { binaryKind } from '../text/file-kind.ts'
import { decodeText, detectEncoding, encodeText } from '../text/text-encoding.ts'
import { replaceFile } from '../workspace/replace-file.ts'
import { shown, type WorkspacePath } from '../workspace/workspace-path.ts'
import { checkSeen } from './check-seen.ts'
import { editExcerpt } from './edit-excerpt.ts'
import { editText } from './edit-text.ts'
import { BUILT_IN, type FileToolContext, WHOLE_FILE_BYTES } from './file-tool-context.ts'
import { existingFile } from './find-entry.ts'
import { noteWritten } from './note-written.ts'

export function createEditFile(context: FileToolContext): AgentTool {
  return {
    name: 'edit_file',
    description:
      'Replace one piece of text in a file of the workspace. Use for: changing a part of a file. Not for: new files or complete rewrites (write_file). ' +
      'The file must have been read with read_file in this session, and must not have changed since. old_text must occur exactly once, white space included and without the line numbers of read_file; ' +
      'quote enough lines around the change, or set replace_all. Line ends, encoding and permissions are kept.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, relative to the workspace.', examples: ['src/index.ts'] },
        old_text: { type: 'string', minLength: 1, description: 'The text as it is now, exactly.', examples: ['const limit = 10'] },
        new_text: { type: 'string', description: 'The text to put in its place; "" removes it.', examples: ['const limit = 20'] },
        replace_all: { type: 'boolean', description: 'Replace every occurrence. Default false: it must be the only one.' },
      },
      required: ['path', 'old_text', 'new_text'],
      additionalProperties: false,
      examples: [{ path: 'src/index.ts', old_text: 'const limit = 10', new_text: 'const limit = 20' }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'write',
    tags: [EDIT_TAG],
    repeatable: false,
    resources: (input) => [{ key: `file:${context.workspace.lexical(textField(input, 'path'))}`, mode: 'write' }],
    async execute(input, cx) {
      const path = await existingFile(context.workspace, textField(input, 'path'))
      const change: Change = {
        oldText: textField(input, 'old_text'),
        newText: textField(input, 'new_text'),
        replaceAll: flagField(input, 'replace_all'),
      }
      return context.locks.run(path.real, () => edit(context, cx, path, change), cx.signal)
    },
  }
}

interface Change {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll: boolean
}

async function edit(context: FileToolContext, cx: CallContext, path: WorkspacePath, change: Change): Promise<string> {
  const { bytes, state } = await checkSeen(context, cx, path)
  if (bytes === undefined) throw tooLarge(path, Number(state.size))
  const encoding = detectEncoding(bytes, true)
  if (encoding === undefined)
    throw new AdjutantError('UNSUPPORTED', `${shown(path.given)} is not text: ${binaryKind(bytes)}, ${byteSize(bytes.length)}`)
  const before = decodeText(bytes.subarray(encoding.markBytes), encoding)
  // What cannot be written back as it was is not touched: half a UTF-16 unit at the end, for example.
  if (!encodeText(before, encoding).equals(bytes)) {
    throw new AdjutantError('UNSUPPORTED', `${shown(path.given)} holds bytes that are not valid in its encoding (${encoding.name})`)
  }
  const edited = editText(before, change.oldText, change.newText, change.replaceAll)
  const after = encodeText(edited.text, encoding)
  if (after.length > WHOLE_FILE_BYTES) throw tooLarge(path, after.length)
  const written = await replaceFile(context.workspace, path, after, { expected: state, signal: cx.signal })
  noteWritten(context, cx.sessionId, path, written, after)
  const count = edited.replacements.length
  return `Edited ${path.relative}: ${plural(count, 'replacement')}.\n${editExcerpt(before, edited.text, edited.replacements)}`
}

function tooLarge(path: WorkspacePath, size: number): AdjutantError {
  return new AdjutantError(
    'TOO_LARGE',
    `${shown(path.given)} would have or has ${byteSize(size)}; at most ${byteSize(WHOLE_FILE_BYTES)} can be edited`,
    {
      hint: 'Split the file, or tell the person.',
    },
  )
}
