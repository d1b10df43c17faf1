import type { Client } from '@modelcontextprotocol/client'
import { ownValue } from '../../../contract/json.ts'
import type { RegistryProblem } from '../../../contract/registry-problem.ts'
import { NEVER_MS } from './limits.ts'
import type { ListingTap } from './listing-tap.ts'
import { type ListedTool, readTool } from './read-tool.ts'

/** More than any real server has; a listing that goes on after it is broken or hostile. */
const MAX_PAGES = 1_000
const MAX_TOOLS = 20_000
const MAX_PROBLEMS = 100

export interface Listing {
  readonly tools: readonly ListedTool[]
  readonly problems: readonly RegistryProblem[]
}

/**
 * Reads every page of a server's `tools/list`. A cursor that was there before, the last one included, ends the listing with a
 * problem: what was read till then is kept. A tool that cannot be used is a problem too and takes no other down.
 * @throws what the client throws when the server does not answer, or answers with no list
 */
export async function listTools(server: string, client: Client, tap: ListingTap, signal: AbortSignal): Promise<Listing> {
  const tools = new Map<string, ListedTool>()
  const problems: RegistryProblem[] = []
  const report = (code: 'TOOL_INVALID' | 'TOOL_NAME_TAKEN' | 'MCP_PROTOCOL', message: string, hint: string, tool?: string): void => {
    if (problems.length >= MAX_PROBLEMS) return
    const place = tool === undefined ? '' : `tool ${JSON.stringify(tool.slice(0, 100))} `
    problems.push({
      code,
      source: server,
      ...(tool === undefined ? {} : { tool }),
      message: `MCP server "${server}": ${place}${message}`,
      hint,
    })
  }
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], problems }

  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    await client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, { signal, timeout: NEVER_MS })
    const answer = tap.take()
    const entries = answer === undefined ? undefined : ownValue(answer, 'tools')
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const { tool, faults } = readTool(entry)
      const name = tool?.originalName ?? nameOf(entry)
      for (const { message, hint } of faults) {
        report('TOOL_INVALID', name === undefined ? `tool ${index + 1} of page ${page} ${message}` : message, hint, name)
      }
      if (tool === undefined) continue
      if (tools.size >= MAX_TOOLS) break
      if (tools.has(tool.originalName)) {
        report('TOOL_NAME_TAKEN', 'is listed more than once; the first is used', 'This has to be corrected in the server.', name)
      } else tools.set(tool.originalName, tool)
    }
    const next = answer === undefined ? undefined : ownValue(answer, 'nextCursor')
    // An empty or null cursor is how some servers say that there is none.
    if (next === undefined || next === null || next === '') break
    const fault =
      typeof next !== 'string'
        ? `nextCursor of page ${page} of its tools is no string`
        : cursors.has(next)
          ? `nextCursor of page ${page} of its tools does not advance: it is that of an earlier page`
          : page >= MAX_PAGES || tools.size >= MAX_TOOLS
            ? `its list of tools does not end: ${page} pages and ${tools.size} tools were read`
            : undefined
    if (fault !== undefined || typeof next !== 'string') {
      report('MCP_PROTOCOL', `${fault}; the ${tools.size} tools read until then are used`, 'This has to be corrected in the server.')
      break
    }
    cursors.add(next)
    cursor = next
  }
  return { tools: [...tools.values()], problems }
}

function nameOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || !('name' in entry)) return undefined
  return typeof entry.name === 'string' && entry.name !== '' ? entry.name : undefined
}
