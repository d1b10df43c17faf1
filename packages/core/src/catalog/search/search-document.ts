import type { JsonSchema } from '../../contract/json.ts'
import type { AgentTool } from '../../contract/tool.ts'

/** What the search reads of a tool. A tool of the registry, or one line of a file of definitions. */
export interface SearchDocument {
  /** Unique in an index. */
  readonly id: string
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema?: JsonSchema
  /** What the tool comes from: tools of one server are weighed together. */
  readonly server?: string
  /** What its server says of itself. */
  readonly serverDescription?: string
}

/** The last part of a path without its ending, and anything else as it is: folders above a tool say nothing about it. */
function placeName(from: string): string {
  return /[/\\]/.test(from) && !from.includes('://')
    ? (from
        .split(/[/\\]/)
        .findLast((part) => part !== '')
        ?.replace(/\.[a-z]{1,4}$/i, '') ?? '')
    : from
}

/** A registered tool as the search reads it; its name is its id. */
export function searchDocumentOf(tool: AgentTool): SearchDocument {
  const original = tool.origin.originalName
  const server = placeName(tool.origin.from)
  return {
    id: tool.name,
    name: tool.name,
    // The name at its source may say more than one that was cut to be legal.
    ...(original === undefined || original === tool.name ? {} : { title: original }),
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(server === '' ? {} : { server }),
  }
}
