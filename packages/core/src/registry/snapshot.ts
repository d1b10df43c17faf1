import { AdjutantError, type AgentTool, type Digest, type ToolLookup } from '../contract/index.ts'
import { digestOf as digestOfJson } from '../util/canonical-json.ts'

/** A tool is never changed once it is registered, so one digest per tool object serves every snapshot. */
const digests = new WeakMap<AgentTool, Digest>()

/**
 * Owns one state of the registry. Immutable: a turn that began with it ends with it, whatever the registry does meanwhile.
 * Look-ups go through a Map, so `constructor` and `__proto__` are names like any other.
 */
export class ToolSnapshot implements ToolLookup {
  /** Grows with every change of the registry that made it; equal versions of one registry hold equal tools. */
  readonly version: number
  readonly #byName: ReadonlyMap<string, AgentTool>
  #tools: readonly AgentTool[] | undefined

  /** Keeps the map it is given: the registry hands over a copy. */
  constructor(byName: ReadonlyMap<string, AgentTool>, version: number) {
    this.#byName = byName
    this.version = version
  }

  get size(): number {
    return this.#byName.size
  }

  get(name: string): AgentTool | undefined {
    return this.#byName.get(name)
  }

  /** In the order in which the tools were registered. */
  names(): Iterable<string> {
    return this.#byName.keys()
  }

  /** In the order in which the tools were registered; a frozen list, made once. */
  tools(): readonly AgentTool[] {
    this.#tools ??= Object.freeze([...this.#byName.values()])
    return this.#tools
  }

  /**
   * What an approval is bound to: name, description, schemas, effect and origin. Computed on first use.
   * An effect that is a function counts as such; what it answers for given arguments is asked again at the moment of running.
   * @throws AdjutantError TOOL_INVALID when a schema is no JSON (a cycle, a function in it)
   */
  digestOf(tool: AgentTool): Digest {
    let digest = digests.get(tool)
    if (digest === undefined) {
      digest = compute(tool)
      digests.set(tool, digest)
    }
    return digest
  }
}

function compute(tool: AgentTool): Digest {
  try {
    return digestOfJson({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      effect: typeof tool.effect === 'function' ? { by: 'function' } : tool.effect,
      origin: tool.origin,
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AdjutantError('TOOL_INVALID', `${tool.origin.from}: the schema of ${tool.name} is not JSON: ${why}`, { cause: error })
  }
}
