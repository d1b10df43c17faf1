/**
 * write_file: a whole file, atomically. A file that exists is replaced only when this session has read (or written) what is
 * there now: content that nobody looked at is not thrown away. New files are UTF-8; a replaced one becomes UTF-8 too.
 */
import { AdjutantError, type AgentTool, EDIT_TAG } from '@adjutant/core/contract'
import { flagField, textField } from '../input-fields.ts'
import { byteSize, plural } from '../text/amounts.ts'
import { detectEncoding, encodeText, UTF8 } from '../text/text-encoding.ts'
import { replaceFile } from '../workspace/replace-file.ts'
import { shown, type WorkspacePath } from '../workspace/workspace-path.ts'
import { checkSeen } from './check-seen.ts'
import { BUILT_IN, type FileToolContext, WHOLE_FILE_BYTES } from './file-tool-context.ts'
import { noteWritten } from './note-written.ts'

export function createWriteFile(context: FileToolContext): AgentTool {
  return {
    name: 'write_file',
    description:
      'Write a whole text file in the workspace; missing folders are made. Use for: new files, and rewriting a file completely. ' +
      'Not for: changing a part of a file (edit_file). A file that exists must have been read with read_file first, and must not have changed since. ' +
      `The file appears whole or not at all. At most ${byteSize(WHOLE_FILE_BYTES)}.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, relative to the workspace.', examples: ['docs/report.md'] },
        content: { type: 'string', description: 'The whole content, without line numbers.', examples: ['# Report\n\nAll is well.\n'] },
        create_only: { type: 'boolean', description: 'Fail when the file exists. Default false.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
      examples: [{ path: 'report.md', content: '# Report\n' }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'write',
    tags: [EDIT_TAG],
    repeatable: false,
    resources: (input) => [{ key: `file:${context.workspace.lexical(textField(input, 'path'))}`, mode: 'write' }],
    async execute(input, cx) {
      const given = textField(input, 'path')
      const bytes = encodeText(textField(input, 'content'), UTF8)
      if (bytes.length > WHOLE_FILE_BYTES) {
        throw new AdjutantError(
          'TOO_LARGE',
          `the content has ${byteSize(bytes.length)}; at most ${byteSize(WHOLE_FILE_BYTES)} can be written at once`,
          {
            hint: 'Write less, or several files.',
          },
        )
      }
      const createOnly = flagField(input, 'create_only')
      const path = await context.workspace.resolve(given, { mustExist: false })
      if (path.kind === 'folder' || given.endsWith('/')) {
        throw new AdjutantError('CONFLICT', `${shown(given)} is a folder`, {
          hint: 'Name a file; list_directory shows what is in the folder.',
        })
      }
      return context.locks.run(path.real, () => write(context, cx, path, bytes, createOnly), cx.signal)
    },
  }
}

async function write(
  context: FileToolContext,
  cx: Parameters<AgentTool['execute']>[1],
  path: WorkspacePath,
  bytes: Buffer,
  createOnly: boolean,
): Promise<string> {
  const now = await context.workspace.resolve(path.given, { mustExist: false })
  if (now.kind === 'file' && createOnly) {
    throw new AdjutantError('CONFLICT', `${shown(path.given)} exists already; nothing was written`, {
      hint: 'Choose another name, or read it and write it without create_only.',
    })
  }
  const before = now.kind === 'file' ? await checkSeen(context, cx, now) : undefined
  const written = await replaceFile(context.workspace, path, bytes, { expected: before?.state, signal: cx.signal })
  noteWritten(context, cx.sessionId, path, written, bytes)
  const lines = countLines(bytes)
  const changed = before?.bytes === undefined ? '' : encodingChange(before.bytes)
  return `${before === undefined ? 'Created' : 'Replaced'} ${path.relative} (${plural(lines, 'line')}, ${byteSize(bytes.length)}${changed}).`
}

/** Said, because nobody would expect it: what was in another encoding is UTF-8 now. */
function encodingChange(before: Buffer): string {
  const encoding = detectEncoding(before, true)
  if (encoding === undefined) return '; it was no text before'
  if (encoding.name !== 'utf-8') return `; now UTF-8, before ${encoding.name}`
  return encoding.markBytes > 0 ? '; now without byte order mark' : ''
}

function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1
  return bytes.length > 0 && bytes.at(-1) !== 10 ? count + 1 : count
}
