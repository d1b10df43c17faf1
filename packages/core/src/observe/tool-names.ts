import type { ErrorCode } from '../contract/errors.ts'
import type { SessionEvent } from '../contract/events.ts'

/** What names that nobody has registered count as: a model may make up as many as it likes. */
export const UNKNOWN_TOOL_NAME = 'unknown'

/** Of more tools than this the rest counts as one. */
const OTHER_TOOL_NAME = 'other'

const MAX_NAMES = 2_000

/** Codes that a call gets only when its tool is there. */
const PROVES_TOOL: ReadonlySet<ErrorCode> = new Set(['INVALID_ARGUMENTS', 'RULE_VIOLATED', 'TOOL_NOT_LOADED'])

/** Owns which names of tools may become values of attributes and keys of tables: only those of tools that exist, and not without end. */
export class ToolNames {
  readonly #known = new Map<string, string>()

  /** Reads what an event says of which tools there are. */
  learn(event: SessionEvent): void {
    if (event.type === 'judged') this.#add(event.call.call.name, event.call.tool.name)
    else if (event.type === 'refused' && PROVES_TOOL.has(event.error.code)) this.#add(event.call.name, event.call.name)
  }

  /** The name, when it is known to be a tool's. */
  of(name: string): string {
    return this.#known.get(name) ?? UNKNOWN_TOOL_NAME
  }

  #add(called: string, name: string): void {
    if (this.#known.has(called)) return
    this.#known.set(called, this.#known.size < MAX_NAMES ? name : OTHER_TOOL_NAME)
  }
}
