/** find_files: paths by glob pattern, sorted, bounded. */
import type { AgentTool } from '@adjutant/core/contract'
import { optionalText, textField, wholeField } from '../input-fields.ts'
import { grouped, plural } from '../text/amounts.ts'
import { compileGlob } from '../text/glob.ts'
import { walkFiles } from '../workspace/walk-files.ts'
import { BUILT_IN, type FileToolContext } from './file-tool-context.ts'
import { existingFolder } from './find-entry.ts'
import { printable } from './list-directory.ts'

const DEFAULT_LIMIT = 200
const MAX_LIMIT = 1_000
/** Some minutes of walking at most; says so when it stops there. */
export const MAX_VISITED = 500_000
const PROGRESS_EVERY = 10_000

export function createFindFiles(context: FileToolContext): AgentTool {
  return {
    name: 'find_files',
    description:
      'Find files and folders of the workspace by name pattern. Use for: "where is …", all files of a kind. ' +
      'Not for: searching in the text of files (search_text), looking at one folder (list_directory). ' +
      '"*" and "?" match within a name, "**" across folders, also [a-z] and {a,b}; a pattern without "/" matches names in every folder. Case counts. ' +
      'Does not go into .git, node_modules (unless the path is in them) or links.',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          minLength: 1,
          maxLength: 1_000,
          description: 'Glob pattern, relative to path.',
          examples: ['*.md', 'src/**/*.{ts,tsx}'],
        },
        path: { type: 'string', minLength: 1, description: 'The folder to search. Default: the workspace.', examples: ['packages/core'] },
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: `How many paths at most. Default ${DEFAULT_LIMIT}.` },
      },
      required: ['pattern'],
      additionalProperties: false,
      examples: [{ pattern: '*.test.ts' }, { pattern: '**/*.sql', path: 'db' }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    repeatable: true,
    limits: { maxResultChars: 60_000 },
    // Not remembered: what is there below a folder changes without the folder itself changing.
    resources: (input) => [{ key: `file:${context.workspace.lexical(optionalText(input, 'path') ?? '.')}`, mode: 'read' }],
    async execute(input, cx) {
      const pattern = textField(input, 'pattern')
      const glob = compileGlob(pattern)
      const limit = wholeField(input, 'limit', { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT })
      const folder = await existingFolder(context.workspace, optionalText(input, 'path') ?? '.')
      const found: string[] = []
      let visited = 0
      let note = ''
      for await (const entry of walkFiles(context.workspace, folder, { signal: cx.signal })) {
        visited += 1
        if (visited % PROGRESS_EVERY === 0)
          cx.progress({ message: `${plural(visited, 'file and folder', 'files and folders')} looked at`, current: visited })
        if (visited > MAX_VISITED) {
          note = `\n[stopped after ${grouped(MAX_VISITED)} files and folders: name a folder below as path]`
          break
        }
        if (!glob.matches(entry.fromStart)) continue
        if (found.length >= limit) {
          note = `\n[the first ${plural(limit, 'match', 'matches')} only: use a narrower pattern or path, or a larger limit (up to ${grouped(MAX_LIMIT)})]`
          break
        }
        found.push(`${printable(entry.relative)}${entry.kind === 'folder' ? '/' : ''}`)
      }
      if (found.length > 0) return found.join('\n') + note
      return `[nothing matches ${JSON.stringify(pattern)} among ${plural(Math.min(visited, MAX_VISITED), 'file and folder', 'files and folders')}]${note}`
    },
  }
}
