import type { AgentTool, RegistryProblem } from '../../../contract/index.ts'
import { canonicalJson } from '../../../util/canonical-json.ts'
import type { Listing } from './list-tools.ts'
import type { PinBook, PinVerdict } from './pin-book.ts'
import type { ListedTool } from './read-tool.ts'
import { mcpToolNames } from './tool-names.ts'

const AS_KNOWN: PinVerdict = Object.freeze({ type: 'as-known' })

export interface ToolSetOptions {
  readonly server: string
  readonly taken: (originalName: string) => boolean
  /** What of the configuration fits none of the tools. */
  readonly unused: (tools: readonly ListedTool[]) => readonly RegistryProblem[]
  readonly pins?: PinBook | undefined
  readonly make: (listed: ListedTool, name: string, held: string | undefined) => AgentTool
}

/**
 * Owns which of a server's tools there are here: what was listed, less what the configuration leaves out, less what changed and is
 * refused. A tool that is as it was stays the very same object, so that what was approved of it holds.
 */
export class ToolSet {
  readonly #options: ToolSetOptions
  #byKey = new Map<string, AgentTool>()
  #listing: Listing = { tools: [], problems: [] }
  #listed: readonly ListedTool[] = []
  #verdicts: ReadonlyMap<string, PinVerdict> = new Map()
  #tools: readonly AgentTool[] = []
  #problems: readonly RegistryProblem[] = []

  constructor(options: ToolSetOptions) {
    this.#options = options
  }

  get tools(): readonly AgentTool[] {
    return this.#tools
  }

  get problems(): readonly RegistryProblem[] {
    return this.#problems
  }

  /** All that the configuration takes, whatever became of it. */
  get listed(): readonly ListedTool[] {
    return this.#listed
  }

  /** What is to be done with a tool as it was listed last. */
  verdict(originalName: string): PinVerdict {
    return this.#verdicts.get(originalName) ?? AS_KNOWN
  }

  /** @returns whether that makes a difference to anybody */
  take(listing: Listing): boolean {
    const { server, taken, pins, make, unused } = this.#options
    const { tools, problems } = listing
    this.#listing = listing
    this.#listed = tools.filter(({ originalName }) => taken(originalName))
    const judged = pins?.judge(this.#listed)
    this.#verdicts = judged?.verdicts ?? new Map()
    // Named as if all were there: a tool's name does not depend on which others are taken.
    const names = mcpToolNames(
      server,
      tools.map((tool) => tool.originalName),
    )
    const byKey = new Map<string, AgentTool>()
    for (const listed of this.#listed) {
      const verdict = this.verdict(listed.originalName)
      if (verdict.type === 'leave-out') continue
      const held = verdict.type === 'hold' ? verdict.reason : undefined
      const name = names.get(listed.originalName) ?? listed.originalName
      const key = canonicalJson({ ...listed, name, held })
      byKey.set(key, this.#byKey.get(key) ?? make(listed, name, held))
    }
    const before = this.#problems
    this.#problems = [...problems, ...unused(tools), ...(judged?.problems ?? [])]
    const isChanged = byKey.size !== this.#byKey.size || [...byKey.keys()].some((key) => !this.#byKey.has(key))
    this.#byKey = byKey
    this.#tools = [...byKey.values()]
    return isChanged || canonicalJson(before) !== canonicalJson(this.#problems)
  }

  /** A person agreed to a tool that was held: it is now like any other. */
  release(listed: ListedTool): void {
    this.#options.pins?.approve(listed)
    this.take(this.#listing)
  }
}
