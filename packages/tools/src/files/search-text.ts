/**
 * search_text: lines with a text or pattern, as `path:line:text`, in the order of paths. Bounded in matches, characters and
 * time; stops when the call is stopped. Files that are no text are skipped and counted. Links are not followed.
 */
import type { FileHandle } from 'node:fs/promises'
import { AdjutantError, type AgentTool, type CallContext, type JsonObject } from '@adjutant/core/contract'
import { flagField, optionalText, textField, wholeField } from '../input-fields.ts'
import { createLineMatcher, type LineMatcher } from '../search/line-matcher.ts'
import { readBlocks } from '../search/read-blocks.ts'
import { grouped, plural } from '../text/amounts.ts'
import { compileGlob, type Glob } from '../text/glob.ts'
import { safeCut } from '../text/scan-lines.ts'
import { type WalkEntry, walkFiles } from '../workspace/walk-files.ts'
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
/** Of one line, around the match. */
const LINE_CHARS = 300

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
  const found = new Findings(
    wholeField(input, 'limit', { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT }),
    wholeField(input, 'context', { min: 0, max: MAX_CONTEXT, fallback: 0 }),
  )
  const start = await context.workspace.resolve(optionalText(input, 'path') ?? '.', { mustExist: false })
  const form = { query, regex, ignoreCase: flagField(input, 'ignoreCase') }
  await using matcher = createLineMatcher(form, { clock: context.clock, signal: cx.signal })
  let visited = 0
  for await (const file of filesFrom(context, start, glob, cx.signal, () => ++visited <= MAX_VISITED)) {
    await searchFile(context, file, matcher, found, cx.signal)
    if (found.full) break
  }
  if (cx.signal.aborted) throw new AdjutantError('CANCELLED', 'the search was stopped')
  return found.report(query, visited > MAX_VISITED)
}

async function* filesFrom(
  context: FileToolContext,
  start: WorkspacePath,
  glob: Glob | undefined,
  signal: AbortSignal,
  goOn: () => boolean,
): AsyncGenerator<WorkspacePath, void, void> {
  if (start.kind === 'file') {
    yield start
    return
  }
  const folder = await existingFolder(context.workspace, start.given)
  for await (const entry of walkFiles(context.workspace, folder, { signal })) {
    if (!goOn()) return
    if (entry.kind === 'file' && (glob === undefined || glob.matches(entry.fromStart))) yield asPath(entry)
  }
}

function asPath(entry: WalkEntry): WorkspacePath {
  return { given: entry.relative, real: entry.real, relative: entry.relative, kind: 'file' }
}

async function searchFile(
  context: FileToolContext,
  file: WorkspacePath,
  matcher: LineMatcher,
  found: Findings,
  signal: AbortSignal,
): Promise<void> {
  let handle: FileHandle
  try {
    handle = await context.workspace.openForReading(file)
  } catch {
    // Gone or closed to us between the listing and now; the rest of the search is still good.
    found.unreadable += 1
    return
  }
  try {
    let firstLine = 1
    let text = false
    for await (const block of readBlocks(handle, signal)) {
      text = true
      const { matches, lines } = await matcher.match(block, found.left)
      if (matches.length > 0) found.add(file.relative, block, firstLine, matches)
      firstLine += lines
      if (found.full) break
    }
    if (text) found.files += 1
    else if ((await handle.stat()).size > 0) found.binary += 1
  } finally {
    await handle.close()
  }
}

class Findings {
  files = 0
  binary = 0
  unreadable = 0
  readonly #limit: number
  readonly #context: number
  readonly #lines: string[] = []
  #matches = 0
  #chars = 0

  constructor(limit: number, context: number) {
    this.#limit = limit
    this.#context = context
  }

  /** One more than may be shown, to know that there are more. */
  get left(): number {
    return this.#limit - this.#matches + 1
  }

  get full(): boolean {
    return this.#matches > this.#limit || this.#chars > MAX_CHARS
  }

  add(path: string, block: string, firstLine: number, matches: readonly { readonly line: number; readonly column: number }[]): void {
    const lines = block.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const columns = new Map(matches.map((match) => [match.line, match.column]))
    const name = printable(path)
    let shownTo = -1
    for (const { line } of matches) {
      this.#matches += 1
      if (this.full) return
      const from = Math.max(line - this.#context, shownTo + 1)
      if (this.#context > 0 && from > shownTo + 1 && this.#lines.length > 0) this.#push('--')
      const to = Math.min(line + this.#context, lines.length - 1)
      for (let at = from; at <= to; at += 1) {
        const column = columns.get(at)
        const mark = column === undefined ? '-' : ':'
        this.#push(`${name}${mark}${firstLine + at}${mark}${around(lines[at] ?? '', column ?? 0)}`)
      }
      // A neighbour that matches as well was shown with its own mark; when its turn comes it is not repeated.
      shownTo = Math.max(shownTo, to)
    }
  }

  report(query: string, stopped: boolean): string {
    const notes: string[] = []
    if (this.full) {
      const reason = this.#matches > this.#limit ? plural(this.#limit, 'match', 'matches') : `${grouped(MAX_CHARS)} characters`
      notes.push(`stopped after ${reason}: use a narrower query, path or glob`)
    } else if (this.#matches === 0) notes.push(`no line with ${JSON.stringify(query)} in ${plural(this.files, 'text file')}`)
    else notes.push(`${plural(this.#matches, 'match', 'matches')} in ${plural(this.files, 'text file')} searched`)
    if (this.binary > 0) notes.push(`${plural(this.binary, 'binary file')} skipped`)
    if (this.unreadable > 0) notes.push(`${plural(this.unreadable, 'file')} could not be opened`)
    if (stopped) notes.push(`stopped after ${grouped(MAX_VISITED)} files and folders: name a folder below as path`)
    this.#lines.push(`[${notes.join('; ')}]`)
    return this.#lines.join('\n')
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#chars += line.length + 1
  }
}

/** The part of a long line that has the match in it. */
function around(raw: string, column: number): string {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  if (line.length <= LINE_CHARS) return line
  const from = safeCut(line, Math.max(0, Math.min(column - 60, line.length - LINE_CHARS)))
  const to = safeCut(line, from + LINE_CHARS)
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`
}
