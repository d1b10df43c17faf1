import { isJsonObject, type JsonObject } from '../../../contract/json.ts'
import { type ListedTool, readTool } from './read-tool.ts'
import { readState, writeState } from './state-file.ts'

/** The tools a server had when it was last connected; undefined when that is not known, or no longer readable. */
export async function readKnownTools(path: string): Promise<readonly ListedTool[] | undefined> {
  // What cannot be used is asked for again: this file is a copy of what the server says.
  const kept = await readState(path).catch(() => undefined)
  if (!isJsonObject(kept) || kept.version !== 1 || !Array.isArray(kept.tools)) return undefined
  const tools = kept.tools.map((entry) => readTool(entry).tool)
  return tools.every((tool) => tool !== undefined) ? tools : undefined
}

/** Keeps them in the form in which a server lists them, so that they are looked at again when they are read. */
export function keepKnownTools(path: string, tools: readonly ListedTool[]): Promise<void> {
  return writeState(path, { version: 1, tools: tools.map(listed) })
}

function listed({ originalName, description, inputSchema, outputSchema, ...hints }: ListedTool): JsonObject {
  return {
    name: originalName,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: {
      readOnlyHint: hints.readOnly,
      idempotentHint: hints.idempotent,
      destructiveHint: hints.destructive,
      openWorldHint: hints.openWorld,
    },
  }
}
