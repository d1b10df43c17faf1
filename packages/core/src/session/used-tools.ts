import type { EventSink } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { AgentTool } from '../contract/tool.ts'

/**
 * Owns which tools of a session keep something for it, and tells each of them once when it is over. A tool is noted before its first call runs, so
 * that also one that nobody waits for any more is told.
 */
export class UsedTools {
  /** By what is called: tools that share what they keep share it. */
  readonly #ends = new Map<NonNullable<AgentTool['endSession']>, AgentTool>()

  note(tool: AgentTool): void {
    if (tool.endSession !== undefined && !this.#ends.has(tool.endSession)) this.#ends.set(tool.endSession, tool)
  }

  /** Never rejects: what could not be let go is said and stays the tool's own affair. */
  async end(sessionId: SessionId, emit: EventSink | undefined, at: () => number): Promise<void> {
    const tools = [...this.#ends.values()]
    this.#ends.clear()
    const ends = await Promise.allSettled(tools.map(async (tool) => tool.endSession?.(sessionId)))
    for (const [index, end] of ends.entries()) {
      if (end.status === 'fulfilled') continue
      const reason = end.reason instanceof Error ? end.reason.message : String(end.reason)
      emit?.({
        type: 'log',
        level: 'warn',
        message: `${tools[index]?.name} did not let go of what it keeps for the session: ${reason}`,
        at: at(),
      })
    }
  }
}
