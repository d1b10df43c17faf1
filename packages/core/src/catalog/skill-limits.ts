import { AdjutantError } from '../contract/errors.ts'
import type { AgentTool } from '../contract/tool.ts'
import { matchesName } from '../util/match-name.ts'

/** Names that skills in circulation use for what is built in here. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['Read', 'read_file'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['Glob', 'find_files'],
  ['Grep', 'search_text'],
  ['LS', 'list_directory'],
  ['AskUserQuestion', 'ask_user'],
])

/**
 * Owns what the loaded skills let the model use. A skill that names its tools takes all others away until it is unloaded or the task ends; with
 * several such skills only what all of them name is left. It never gives anything: what a principal may not use stays unseen.
 */
export class SkillLimits {
  readonly #allowed = new Map<string, readonly string[]>()

  /** A skill was loaded. One that says nothing about tools limits nothing. */
  load(skill: AgentTool): void {
    if (skill.allows !== undefined) this.#allowed.set(skill.name, skill.allows)
  }

  unload(name: string): boolean {
    return this.#allowed.delete(name)
  }

  clear(): void {
    this.#allowed.clear()
  }

  /** Why a tool may not be called now. */
  refusal(tool: AgentTool, unloadTool: string): AdjutantError | undefined {
    for (const [skill, allowed] of this.#allowed) {
      if (allowed.some((entry) => names(entry, tool))) continue
      return new AdjutantError('DENIED_BY_POLICY', `${tool.name} is not among the tools that the skill ${skill} works with`, {
        hint: `Go on with ${allowed.length === 0 ? 'no tool' : allowed.join(', ')}, or end the skill with ${unloadTool} {"name":${JSON.stringify(skill)}}.`,
      })
    }
    return undefined
  }
}

/** `Bash(git:*)` names the tool before its brackets; the brackets narrow its arguments, which is not read here. */
function names(entry: string, tool: AgentTool): boolean {
  const pattern = entry.replace(/\(.*\)$/, '').trim()
  const meant = ALIASES.get(pattern) ?? pattern
  return matchesName(meant, tool.name) || (tool.origin.originalName !== undefined && matchesName(meant, tool.origin.originalName))
}
