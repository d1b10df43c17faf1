import type { RegistryProblem } from '../../../contract/registry-problem.ts'
import type { ListedTool } from './read-tool.ts'
import type { ServerSettings } from './server-settings.ts'

/**
 * Which of a server's tools are taken, by the names the server gives them.
 *
 * @example
 * ```ts
 * const taken = toolFilter({ allow: ['read_*'], deny: ['*_secret'] })
 * taken('read_file') // true
 * taken('read_secret') // false
 * ```
 */
export function toolFilter({ allow, deny = [] }: Pick<ServerSettings, 'allow' | 'deny'>): (name: string) => boolean {
  return (name) => !deny.some((glob) => matchesGlob(name, glob)) && (allow === undefined || allow.some((glob) => matchesGlob(name, glob)))
}

/** Entries of the lists that fit none of a server's tools: most often a name that is written wrongly. */
export function unusedEntries(server: string, { allow = [], deny = [] }: Pick<ServerSettings, 'allow' | 'deny'>) {
  return (tools: readonly ListedTool[]): readonly RegistryProblem[] =>
    Object.entries({ allow, deny }).flatMap(([key, globs]) =>
      globs
        .filter((glob) => !tools.some(({ originalName }) => matchesGlob(originalName, glob)))
        .map((glob) => ({
          code: 'CONFIG_INVALID' as const,
          source: server,
          message: `MCP server "${server}": ${key} names ${JSON.stringify(glob.slice(0, 100))}, and it has no such tool`,
          hint: `Its tools: ${
            tools
              .slice(0, 20)
              .map(({ originalName }) => originalName.slice(0, 100))
              .join(', ') || 'none'
          }${tools.length > 20 ? ' …' : ''}.`,
        })),
    )
}

/** `*` for any letters, `?` for one. Linear in the name for each star: neither names nor patterns are trusted. */
function matchesGlob(name: string, glob: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let pattern = 0
  while (at < name.length) {
    const wanted = glob[pattern]
    if (wanted === '*') {
      star = pattern++
      resume = at
    } else if (wanted !== undefined && (wanted === '?' || wanted === name[at])) {
      pattern++
      at++
    } else if (star >= 0) {
      pattern = star + 1
      at = ++resume
    } else return false
  }
  while (glob[pattern] === '*') pattern++
  return pattern === glob.length
}
