import type { ToolSource } from '../contract/lookup.ts'
import type { Principal } from '../contract/principal.ts'
import type { AgentTool } from '../contract/tool.ts'
import type { MayUse } from './may-use.ts'

/**
 * The registry as one principal sees it: what it may not use is not there. Each tool is decided on once, when it is first looked at,
 * and for as long as the snapshot lives; nothing else in the catalogue looks at the registry.
 */
export class VisibleTools implements ToolSource {
  readonly #source: ToolSource
  readonly #principal: Principal
  readonly #mayUse: MayUse
  readonly #decided = new Map<AgentTool, boolean>()
  #tools: readonly AgentTool[] | undefined

  constructor(source: ToolSource, principal: Principal, mayUse: MayUse) {
    this.#source = source
    this.#principal = principal
    this.#mayUse = mayUse
  }

  get(name: string): AgentTool | undefined {
    const tool = this.#source.get(name)
    return tool !== undefined && this.#sees(tool) ? tool : undefined
  }

  *names(): Generator<string, void, void> {
    for (const tool of this.tools()) yield tool.name
  }

  tools(): readonly AgentTool[] {
    this.#tools ??= this.#source.tools().filter((tool) => this.#sees(tool))
    return this.#tools
  }

  #sees(tool: AgentTool): boolean {
    let decision = this.#decided.get(tool)
    if (decision === undefined) {
      decision = this.#mayUse(this.#principal, tool)
      this.#decided.set(tool, decision)
    }
    return decision
  }
}
