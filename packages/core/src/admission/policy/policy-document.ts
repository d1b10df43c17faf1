import type { CommandLanguage } from '../../contract/command.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { PolicyEffect, PolicyTier } from '../../contract/policy.ts'
import type { Effect, Origin } from '../../contract/tool.ts'

/**
 * Owns the shape of a policy document as it is written; {@link readPolicyDocument} makes one of YAML or JSON, and a host may write one as
 * a value. What a key means is said in docs/guides/policy.md. Plain data: nothing here runs.
 */

/** One thing, or several of which one must fit. */
export type OneOrMore<T> = T | readonly T[]

export interface CommandCondition {
  readonly language: CommandLanguage
  /** Patterns of program names. */
  readonly programs?: OneOrMore<string>
  /** Whole commands, word by word: `git log **`. `*` stands for one word, a last `**` for all that follow. */
  readonly run?: OneOrMore<string>
  readonly effects?: OneOrMore<Effect>
}

/** What one value must be. Several keys: all of them. */
export interface ValueCondition {
  /** Patterns of paths, relative to the workspace or absolute. */
  readonly paths?: OneOrMore<string>
  /** Hosts of URLs: a name, `*.name`, `*`, an address, or `@private`. */
  readonly hosts?: OneOrMore<string>
  readonly schemes?: OneOrMore<string>
  readonly ports?: OneOrMore<number>
  /** HTTP methods, whatever the case. */
  readonly methods?: OneOrMore<string>
  readonly min?: number
  readonly max?: number
  readonly in?: readonly JsonValue[]
  /** The whole argument, a list or a mapping too. */
  readonly equals?: JsonValue
  /** Patterns of plain text; `*` stands for any characters. */
  readonly text?: OneOrMore<string>
  readonly command?: CommandCondition
  readonly not?: ValueCondition
  /** True: an argument that is not given fits too. */
  readonly absent?: boolean
}

export interface WhoCondition {
  readonly roles?: OneOrMore<string>
  readonly users?: OneOrMore<string>
  readonly tenants?: OneOrMore<string>
  readonly attributes?: Readonly<Record<string, ValueCondition>>
}

/** Which tools in whose hands. Several keys: all of them. */
export interface RuleScope {
  readonly who?: WhoCondition
  /** Patterns of tool names; `*` stands for any characters. */
  readonly tools?: OneOrMore<string>
  readonly tags?: OneOrMore<string>
  /** Patterns of `kind:from`, e.g. `mcp:github`. */
  readonly origins?: OneOrMore<string>
}

export interface PolicyRule extends RuleScope {
  /** Unique in its tier. Decisions name it as `tier/id`. */
  readonly id: string
  readonly effect: PolicyEffect
  readonly reason?: string
  readonly effects?: OneOrMore<Effect>
  /** By argument: `path`, `target.path`, or a JSON Pointer `/items/*\/path`. All must hold. */
  readonly when?: Readonly<Record<string, ValueCondition>>
  /** False: the rule holds only for calls without arguments that `when` does not name. */
  readonly otherArguments?: boolean
  /** True: only once this run has read text of strangers. */
  readonly afterUntrusted?: boolean
  /** The rule does not speak of what one of these describes. */
  readonly except?: readonly RuleScope[]
}

export interface PolicyDocument {
  readonly tier: PolicyTier
  /** Where it was read. */
  readonly file?: string
  /** What becomes of calls that no rule of this tier and none above speaks of. */
  readonly default?: PolicyEffect
  readonly rules: readonly PolicyRule[]
  /**
   * Digests ({@link ruleDigest}) of the rules that somebody at this machine agreed to. Absent: all of the document is trusted. What is not
   * trusted can make things stricter and nothing else.
   */
  readonly trusted?: ReadonlySet<string>
}

/** From the strongest to the weakest. */
export const POLICY_TIERS: readonly PolicyTier[] = Object.freeze(['admin', 'organisation', 'project', 'user', 'session'])

export const EFFECTS: readonly Effect[] = Object.freeze(['read', 'write', 'dangerous'])

export const ORIGIN_KINDS: readonly Origin['kind'][] = Object.freeze(['function', 'module', 'mcp', 'skill', 'built-in'])

export function listed<T extends string | number>(value: OneOrMore<T> | undefined): readonly T[] {
  if (value === undefined) return []
  return typeof value === 'string' || typeof value === 'number' ? [value] : value
}
