import type { AgentTool, JsonObject, RegistryProblem } from '../../../contract/index.ts'
import type { SkillContent } from './skill-content.ts'

/** One skill as its SKILL.md tells of it. The instructions are read from the file when the skill is used: see read-body.ts. */
export interface Skill {
  /** As written, or the folder's where nothing is written. Not always legal as a tool's name. */
  readonly name: string
  /** Trimmed; never empty. */
  readonly description: string
  /**
   * What the skill may use. Absent: it says nothing about it. Empty: nothing, also when what it says could not be read for
   * sure, as a guess might allow more than its author did.
   */
  readonly allowedTools?: readonly string[]
  /** False when the skill asks not to be called by a model, or is not for this machine. It can still be shown to people. */
  readonly forModel: boolean
  /** The operating systems it is for, as written; absent when it does not say. */
  readonly platforms?: readonly string[]
  /** What it needs, in words. */
  readonly compatibility?: string
  readonly license?: string
  /** The `metadata` member; empty when there is none. */
  readonly metadata: JsonObject
  /** Everything in the front matter, as it was read; members unknown here are kept. */
  readonly fields: JsonObject
  /** Absolute; of a skill that is kept in a store, where it would stand. */
  readonly directory: string
  /** Absolute path of its SKILL.md. */
  readonly file: string
  /** Over the text with line ends made equal: two copies of a skill have the same. */
  readonly digest: string
  /** Its instructions and files, read when they are used. */
  readonly content: SkillContent
  /** Not wrong enough to leave it out; for its author. */
  readonly warnings: readonly string[]
}

export interface SkillLoadReport {
  /** Those that won their name, also those that no model may call. */
  readonly skills: readonly Skill[]
  /** One virtual tool for each skill that a model may call. */
  readonly tools: readonly AgentTool[]
  /** Skills that were left out, and folders that could not be read. */
  readonly problems: readonly RegistryProblem[]
}

/** How one SKILL.md came out. */
export type LoadedSkill = { readonly ok: true; readonly skill: Skill } | { readonly ok: false; readonly problem: RegistryProblem }
