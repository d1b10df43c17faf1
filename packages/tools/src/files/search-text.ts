/**
 * search_text: lines with a text or pattern, as `path:line:text`, in the order of paths. Bounded in matches, characters and
 * time; stops when the call is stopped. Files that are no text are skipped and counted. Links are not followed.
 */
import { AdjutantError, type AgentTool, type CallContext, type JsonObject } from '@adjutant/core/contract'
import { flagField, optionalText, textField, wholeField } from '../input-fields.ts'
import type { FoundLines } from '../search/findings.ts'
import type { SearchFile } from '../search/search-protocol.ts'
import { Searcher } from '../search/searcher.ts'
import { grouped, plural } from '../text/amounts.ts'
import { compileGlob, type Glob } from '../text/glob.ts'
import { walkFiles } from '../workspace/walk-files.ts'
import type { WorkspacePath } from '../workspace/workspace-path.ts'
import { BUILT_IN, type FileToolContext } from './file-tool-context.ts'
import { existingFolder } from './find-entry.ts'
import { MAX_VISITED } from './find-files.ts'
import { printable } from './list-directory.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_CONTEXT = 10
/** Of all that is given back. */
const MAX_CHARS = 30_000
/** Files that the thread gets at once. */
const BATCH = 256

export function createSearchText(context: FileToolContext): AgentTool {
  return {
    name: 'search_text',
    description:
      'Search the text of files in the workspace; gives path:line:text for each line that matches (context lines as path-line-text). Use for: where something is mentioned or defined. ' +
      'Not for: finding files by name (find_files), reading a file (read_file). ' +
      'The query is plain text unless regex is set (JavaScript syntax, one line at a time). Binary files, .git, node_modules (unless the path is in them) and links are skipped.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 1_000,
          description: 'What to search for, within one line.',
          examples: ['TODO', 'class \\w+Error'],
        },
        path: { type: 'string', minLength: 1, description: 'A folder or one file. Default: the workspace.', examples: ['src'] },
        regex: { type: 'boolean', description: 'The query is a regular expression. Default false.' },
        glob: {
          type: 'string',
          minLength: 1,
          maxLength: 1_000,
          description: 'Only files that match, relative to path.',
          examples: ['*.ts'],
        },
        ignoreCase: { type: 'boolean', description: 'Upper and lower case are the same. Default false.' },
        context: {
          type: 'integer',
          minimum: 0,
          maximum: MAX_CONTEXT,
          description: 'Lines to show before and after each match. Default 0.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `How many matching lines at most. Default ${DEFAULT_LIMIT}.`,
        },
      },
      required: ['query'],
      additionalProperties: false,
      examples: [
        { query: 'createServer', glob: '*.ts' },
        { query: 'error|warning', regex: true, ignoreCase: true, path: 'logs', context: 2 },
      ],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    repeatable: true,
    limits: { maxResultChars: 60_000 },
    // Not remembered: what is written below a folder changes without the folder itself changing.
    resources: (input) => [{ key: `file:${context.workspace.lexical(optionalText(input, 'path') ?? '.')}`, mode: 'read' }],
    execute: (input, cx) => search(context, input, cx),
  }
}

async function search(context: FileToolContext, input: JsonObject, cx: CallContext): Promise<string> {
  const query = textField(input, 'query')
  if (query.length === 0) throw new AdjutantError('INVALID_ARGUMENTS', '"query" is empty')
  const regex = flagField(input, 'regex')
  if (!regex && /[\r\n]/.test(query)) {
    throw new AdjutantError('INVALID_ARGUMENTS', '"query" has a line end, but lines are searched one by one', {
      hint: 'Search for one line of it.',
    })
  }
  const pattern = optionalText(input, 'glob')
  const glob = pattern === undefined ? undefined : compileGlob(pattern)
  const limits = {
    matches: wholeField(input, 'limit', { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT }),
    context: wholeField(input, 'context', { min: 0, max: MAX_CONTEXT, fallback: 0 }),
    chars: MAX_CHARS,
  }
  const start = await context.workspace.resolve(optionalText(input, 'path') ?? '.', { mustExist: false })
  const form = { query, regex, ignoreCase: flagField(input, 'ignoreCase') }
  await using searcher = new Searcher(form, { root: context.workspace.root, limits, clock: context.clock, signal: cx.signal })
  let visited = 0
  let batch: SearchFile[] = []
  let full = false
  let searched = 0
  for await (const file of filesFrom(context, start, glob, cx.signal, () => ++visited <= MAX_VISITED)) {
    batch.push(file)
    if (batch.length < BATCH) continue
    full = await searcher.search(batch)
    if (full) break
    searched += batch.length
    cx.progress({ message: `${plural(searched, 'file')} searched`, current: searched })
    batch = []
  }
  if (!full) await searcher.search(batch)
  return report(query, await searcher.result(), limits.matches, visited > MAX_VISITED)
}

async function* filesFrom(
  context: FileToolContext,
  start: WorkspacePath,
  glob: Glob | undefined,
  signal: AbortSignal,
  goOn: () => boolean,
): AsyncGenerator<SearchFile, void, void> {
  if (start.kind === 'file') {
    yield { real: start.real, name: printable(start.relative) }
    return
  }
  const folder = await existingFolder(context.workspace, start.given)
  for await (const entry of walkFiles(context.workspace, folder, { signal })) {
    if (!goOn()) return
    if (entry.kind === 'file' && (glob === undefined || glob.matches(entry.fromStart)))
      yield { real: entry.real, name: printable(entry.relative) }
  }
}

function report(query: string, found: FoundLines, limit: number, stopped: boolean): string {
  const notes: string[] = []
  if (found.full !== undefined) {
    const reason = found.full === 'matches' ? plural(limit, 'match', 'matches') : `${grouped(MAX_CHARS)} characters`
    notes.push(`stopped after ${reason}: use a narrower query, path or glob`)
  } else if (found.matches === 0) notes.push(`no line with ${JSON.stringify(query)} in ${plural(found.files, 'text file')}`)
  else notes.push(`${plural(found.matches, 'match', 'matches')} in ${plural(found.files, 'text file')} searched`)
  if (found.binary > 0) notes.push(`${plural(found.binary, 'binary file')} skipped`)
  if (found.unreadable > 0) notes.push(`${plural(found.unreadable, 'file')} could not be opened`)
  if (found.failed > 0) notes.push(`${plural(found.failed, 'file')} not searched: a line is too long for this pattern`)
  if (stopped) notes.push(`stopped after ${grouped(MAX_VISITED)} files and folders: name a folder below as path`)
  return [...found.lines, `[${notes.join('; ')}]`].join('\n')
}
