/** list_directory: what is in a folder, sorted, one entry a line, bounded. */
import { lstat } from 'node:fs/promises'
import type { AgentTool } from '@adjutant/core/contract'
import { optionalText, wholeField } from '../input-fields.ts'
import { byteSize, plural } from '../text/amounts.ts'
import { type WalkEntry, walkFiles } from '../workspace/walk-files.ts'
import { BUILT_IN, type FileToolContext } from './file-tool-context.ts'
import { existingFolder } from './find-entry.ts'

const MAX_ENTRIES = 500
const MAX_DEPTH = 8

export function createListDirectory(context: FileToolContext): AgentTool {
  return {
    name: 'list_directory',
    description:
      'List a folder of the workspace: names in order, folders with "/" at the end, files with their size. ' +
      'Use for: finding out what is there. Not for: finding files by pattern (find_files) or by content (search_text). ' +
      `Gives up to ${MAX_ENTRIES} entries; .git and node_modules are named but not opened, unless they are the path; links are named and not followed.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          description: 'The folder, relative to the workspace. Default: the workspace itself.',
          examples: ['src'],
        },
        depth: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_DEPTH,
          description: 'How many levels of folders to open. Default 1.',
          examples: [2],
        },
      },
      additionalProperties: false,
      examples: [{}, { path: 'src', depth: 2 }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    repeatable: true,
    limits: { maxResultChars: 60_000 },
    // Not remembered: how large the files in a folder are changes without the folder itself changing.
    resources: (input) => [{ key: `file:${context.workspace.lexical(optionalText(input, 'path') ?? '.')}`, mode: 'read' }],
    async execute(input, cx) {
      const folder = await existingFolder(context.workspace, optionalText(input, 'path') ?? '.')
      const maxDepth = wholeField(input, 'depth', { min: 1, max: MAX_DEPTH, fallback: 1 })
      const lines: string[] = []
      let more = false
      for await (const entry of walkFiles(context.workspace, folder, { signal: cx.signal, maxDepth })) {
        if (lines.length >= MAX_ENTRIES) {
          more = true
          break
        }
        lines.push(await describe(entry))
      }
      const name = folder.relative === '.' ? 'the workspace' : `${folder.relative}/`
      if (lines.length === 0) return `[${name} is empty]`
      const note = more
        ? `\n[the first ${plural(lines.length, 'entry', 'entries')} only: list a folder below, use a smaller depth, or find_files with a pattern]`
        : ''
      return `${name}:\n${lines.join('\n')}${note}`
    },
  }
}

async function describe(entry: WalkEntry): Promise<string> {
  const name = `${'  '.repeat(entry.depth - 1)}${printable(entry.name)}`
  switch (entry.kind) {
    case 'folder':
      return entry.skipped ? `${name}/ (not opened)` : `${name}/`
    case 'file':
      return `${name}  ${await sizeOf(entry.real)}`
    case 'link':
      return `${name}  (link)`
    case 'special':
      return `${name}  (pipe, device or socket)`
    default:
      return entry.kind satisfies never
  }
}

async function sizeOf(real: string): Promise<string> {
  try {
    return byteSize((await lstat(real)).size)
  } catch {
    return '(gone)'
  }
}

/** A name with line ends or escapes in it must not look like several entries. */
export function printable(name: string): string {
  return /[\x00-\x1f\x7f]/.test(name) ? JSON.stringify(name) : name
}
