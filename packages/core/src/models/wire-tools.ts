/**
 * Owns the tool definitions of a request in a provider's form, with the names mapped. The same list of definitions (a session sends
 * one list for many rounds) is converted once.
 */
import type { JsonValue } from '../contract/json.ts'
import type { ToolDefinition } from '../contract/messages.ts'
import { WireNames, type WireRule } from '../registry/naming.ts'

export interface WireTools {
  readonly names: WireNames
  readonly definitions: JsonValue
}

export class WireToolCache {
  readonly #rule: WireRule
  readonly #convert: (tools: readonly ToolDefinition[]) => JsonValue
  readonly #known = new WeakMap<readonly ToolDefinition[], WireTools>()

  constructor(rule: WireRule, convert: (tools: readonly ToolDefinition[]) => JsonValue) {
    this.#rule = rule
    this.#convert = convert
  }

  get(tools: readonly ToolDefinition[]): WireTools {
    const known = this.#known.get(tools)
    if (known !== undefined) return known
    const names = new WireNames(
      tools.map((tool) => tool.name),
      this.#rule,
    )
    const made: WireTools = { names, definitions: this.#convert(tools.map((tool) => ({ ...tool, name: names.toWire(tool.name) }))) }
    this.#known.set(tools, made)
    return made
  }
}
