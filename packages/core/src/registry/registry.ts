import type { AgentTool, RegistryProblem } from '../contract/index.ts'
import { findToolFault, nameOfTool } from './check-tool.ts'
import { ToolSnapshot } from './snapshot.ts'

interface Entry {
  readonly tool: AgentTool
  readonly source: string
}

interface Shadowed extends Entry {
  readonly problem: RegistryProblem
}

/**
 * Owns which tools exist. Takes what the loaders found, keeps what is fit, and says of the rest what is wrong and where it
 * came from; one bad tool never takes another down. Of two tools with one name the one registered first stays; the later one
 * waits, and takes the name when the first one's source is removed.
 *
 * Synchronous throughout: a reader sees the state before a change or after it, never between. Nothing is kept on disk.
 *
 * @example
 * ```ts
 * const registry = new Registry()
 * registry.add([clockTool], 'built-in')
 * const problems = registry.add(loaded.tools, './tools')
 * const tools = registry.snapshot()
 * ```
 */
export class Registry {
  #version = 0
  #snapshot: ToolSnapshot | undefined
  readonly #entries = new Map<string, Entry>()
  readonly #shadowed = new Map<string, Shadowed[]>()
  readonly #unfit = new Map<string, RegistryProblem[]>()

  /**
   * Registers tools under the name of their source (a file, a folder, a server). May be called again for the same source.
   * The very same tool object twice is no collision.
   * @returns what was wrong this time; empty when all were taken
   */
  add(tools: Iterable<AgentTool>, source: string): readonly RegistryProblem[] {
    const problems: RegistryProblem[] = []
    for (const tool of tools) {
      const problem = this.#addOne(tool, source)
      if (problem !== undefined) problems.push(problem)
    }
    return problems
  }

  /** Forgets everything that came from this source, problems included. An unknown source changes nothing. */
  remove(source: string): void {
    this.#unfit.delete(source)
    for (const [name, waiting] of this.#shadowed) {
      const rest = waiting.filter((entry) => entry.source !== source)
      if (rest.length === waiting.length) continue
      if (rest.length === 0) this.#shadowed.delete(name)
      else this.#shadowed.set(name, rest)
    }
    for (const [name, entry] of this.#entries) {
      if (entry.source !== source) continue
      this.#entries.delete(name)
      this.#promote(name)
      this.#changed()
    }
  }

  /** The tools as they are now. Made once for each state; later changes do not reach it. */
  snapshot(): ToolSnapshot {
    if (this.#snapshot === undefined) {
      const byName = new Map<string, AgentTool>()
      for (const [name, entry] of this.#entries) byName.set(name, entry.tool)
      this.#snapshot = new ToolSnapshot(byName, this.#version)
    }
    return this.#snapshot
  }

  /** All that is wrong now, source by source. */
  get problems(): readonly RegistryProblem[] {
    const all: RegistryProblem[] = []
    for (const problems of this.#unfit.values()) all.push(...problems)
    for (const waiting of this.#shadowed.values()) for (const entry of waiting) all.push(entry.problem)
    return all
  }

  #addOne(tool: AgentTool, source: string): RegistryProblem | undefined {
    const fault = findToolFault(tool)
    if (fault !== undefined) {
      const name = nameOfTool(tool)
      const problem: RegistryProblem = {
        code: 'TOOL_INVALID',
        source,
        ...(name === undefined ? {} : { tool: name.slice(0, 100) }),
        message: `${source}: ${name === undefined ? 'a tool' : `tool ${JSON.stringify(name.slice(0, 100))}`}: ${fault.message}`,
        hint: fault.hint,
      }
      pushTo(this.#unfit, source, problem)
      return problem
    }
    const holder = this.#entries.get(tool.name)
    if (holder === undefined) {
      this.#entries.set(tool.name, { tool, source })
      this.#changed()
      return undefined
    }
    if (holder.tool === tool) return undefined
    const problem = collision(tool, source, holder)
    pushTo(this.#shadowed, tool.name, { tool, source, problem })
    return problem
  }

  /** Gives a name that became free to the first that waited for it; who still waits is told of the new holder. */
  #promote(name: string): void {
    const [next, ...rest] = this.#shadowed.get(name) ?? []
    if (next === undefined) return
    this.#entries.set(name, { tool: next.tool, source: next.source })
    if (rest.length === 0) this.#shadowed.delete(name)
    else
      this.#shadowed.set(
        name,
        rest.map((entry) => ({ ...entry, problem: collision(entry.tool, entry.source, next) })),
      )
  }

  #changed(): void {
    this.#version++
    this.#snapshot = undefined
  }
}

function collision(tool: AgentTool, source: string, holder: Entry): RegistryProblem {
  return {
    code: 'TOOL_NAME_TAKEN',
    source,
    tool: tool.name,
    message: `${placeOf(tool, source)}: the name ${tool.name} is taken by ${placeOf(holder.tool, holder.source)}; this one is left out`,
    hint: `Rename one of the two, or leave one source out.`,
  }
}

/** The source, and the exact place inside it where that says more. */
function placeOf(tool: AgentTool, source: string): string {
  return tool.origin.from === source || tool.origin.from === '' ? source : `${source} (${tool.origin.from})`
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
