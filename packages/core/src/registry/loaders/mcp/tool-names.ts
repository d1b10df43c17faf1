import { digestOf } from '../../../util/canonical-json.ts'
import { legalToolName } from '../../naming.ts'

/**
 * Owns how MCP tools are called here: `mcp__<server>__<tool>`. The server's part is the name it has in the configuration, never
 * what it says of itself, so that two connections to one kind of server stay apart; it holds no `__`, so that the name can be
 * taken apart in one way only. A name is the same in every run, in whatever order the server lists its tools.
 */

/** So that at least 64 - 5 - 24 - 2 = 33 letters are left for the tool. */
const MAX_SERVER = 24
const MAX_NAME = 64
const NONE: ReadonlySet<string> = new Set()

/** What all names of a server's tools start with. */
export function mcpToolPrefix(server: string): string {
  const plain = legalToolName(server, NONE)
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')
  if (plain === server && plain.length <= MAX_SERVER) return `mcp__${plain}__`
  const mark = markOf(server)
  return `mcp__${plain.slice(0, MAX_SERVER - mark.length - 1).replace(/_+$/, '') || 'server'}_${mark}__`
}

/**
 * Legal and unique names for a server's tools: original → name here. Names that need no change come first and are never
 * displaced; the others are made in the order of their text.
 *
 * @example
 * ```ts
 * mcpToolNames('files', ['read', 'admin.tools/list']) // read → mcp__files__read, admin.tools/list → mcp__files__admin_tools_list
 * ```
 */
export function mcpToolNames(server: string, originals: Iterable<string>): ReadonlyMap<string, string> {
  const prefix = mcpToolPrefix(server)
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const changed: string[] = []
  const keep = (original: string, name: string): void => {
    names.set(original, name)
    taken.add(name)
  }
  for (const original of new Set(originals)) {
    const wanted = prefix + original
    if (legalToolName(wanted, NONE) === wanted) keep(original, wanted)
    else changed.push(original)
  }
  for (const original of changed.sort()) keep(original, makeName(prefix, original, taken))
  return names
}

function makeName(prefix: string, original: string, taken: ReadonlySet<string>): string {
  const legal = legalToolName(original, NONE)
  const plain = prefix + legal
  if (plain.length <= MAX_NAME && !taken.has(plain)) return plain
  // A mark made of the original tells apart what is equal after the cut; should two marks be equal, the next one is tried.
  for (let attempt = 0; ; attempt++) {
    const mark = markOf(attempt === 0 ? original : `${original} ${attempt}`)
    const name = `${prefix}${legal.slice(0, MAX_NAME - prefix.length - mark.length - 1)}_${mark}`
    if (!taken.has(name)) return name
  }
}

function markOf(text: string): string {
  return digestOf(text).slice(-6)
}
