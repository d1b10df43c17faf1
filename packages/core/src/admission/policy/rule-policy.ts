import { resolve } from 'node:path'
import type { JsonObject } from '../../contract/json.ts'
import type { Policy, PolicyDecision, PolicyKeeper, PolicyRequest, SavedTier } from '../../contract/policy.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AgentTool, Effect } from '../../contract/tool.ts'
import { decideByMode } from '../permission.ts'
import { checkDocuments } from './check-documents.ts'
import type { CommandReaders } from './command-condition.ts'
import type { CompiledRule } from './compile-rule.ts'
import { explainDecision, type PolicyExplanation } from './explain.ts'
import { POLICY_TIERS, type PolicyDocument } from './policy-document.ts'
import { lookAnew } from './real-paths.ts'
import { RuleTable, ruleBehind, type Trial } from './rule-table.ts'
import { type PolicyFiles, saveRule } from './save-rule.ts'

/**
 * Owns the decision on calls by documents of rules. The highest tier that says something of a call decides; what no rule speaks of is
 * decided by the approval mode. Deciding is synchronous and changes nothing; a reload or a kept answer puts a whole new table in place of
 * the old one between two decisions, so none is made by half of each.
 */

export interface RulePolicyOptions {
  /** All of one tier count together, in this order. */
  readonly documents: readonly PolicyDocument[]
  /** Where relative paths of rules and calls begin. Made absolute. */
  readonly workspace: string
  /** How commands are read; a condition on a language that is not here holds no allow and no ask, and every deny. */
  readonly commands?: CommandReaders
  /** Where answers for always are kept; without a file nothing can be kept in that tier. */
  readonly files?: PolicyFiles
  /** Reads all documents again, for {@link RulePolicy.reload} and after an answer was kept. */
  readonly load?: () => Promise<readonly PolicyDocument[]>
}

/**
 * @throws AdjutantError CONFIG_INVALID for two rules of one tier with one id
 * @example
 * ```ts
 * const document = readPolicyDocument('version: 1\nrules:\n  - {id: no-sql, effect: deny, tools: sql_*}\n', { tier: 'admin' })
 * const policy = new RulePolicy({ documents: [document], workspace: '/work' })
 * ```
 */
export class RulePolicy implements Policy, PolicyKeeper {
  readonly #options: RulePolicyOptions
  readonly #workspace: string
  #documents: readonly PolicyDocument[]
  #table: RuleTable
  #version = 1
  /** One change after the other. */
  #changes: Promise<void> = Promise.resolve()

  constructor(options: RulePolicyOptions) {
    this.#options = options
    this.#workspace = resolve(options.workspace)
    this.#documents = options.documents
    this.#table = this.#tableOf(options.documents)
  }

  get version(): number {
    return this.#version
  }

  get documents(): readonly PolicyDocument[] {
    return this.#documents
  }

  decide(request: PolicyRequest): PolicyDecision {
    try {
      return this.#decide(request)
    } catch (error) {
      const reason = `the policy could not decide: ${error instanceof Error ? error.message : String(error)}`
      return { effect: 'deny', rule: 'policy/failed', tier: 'mode', reason }
    }
  }

  mayUse(principal: Principal, tool: AgentTool): boolean {
    try {
      const rule = this.#table.ability(principal, tool).relevantRuleFor('call', 'call')
      return rule === null || !rule.inverted
    } catch {
      return false
    }
  }

  /** The decision, and what each rule had to do with it. For people: it looks at every rule. */
  explain(request: PolicyRequest): PolicyExplanation {
    return explainDecision(this.#table.rules, request, this.decide(request), this.mayUse(request.principal, request.tool))
  }

  canSave(decision: PolicyDecision): readonly SavedTier[] {
    if (decision.effect !== 'ask') return []
    const { files } = this.#options
    return SAVED_TIERS.filter((tier) => {
      if (files?.[tier] === undefined) return false
      // A tool that is not the one that was agreed to is asked about whatever rules say.
      if (decision.tier === 'mode') return decision.rule.startsWith('mode/')
      return POLICY_TIERS.indexOf(tier) <= POLICY_TIERS.indexOf(decision.tier)
    })
  }

  save(rule: { readonly tool: string; readonly effect: Effect; readonly input?: JsonObject }, tier: SavedTier): Promise<void> {
    return this.#change(async () => {
      const saved = await saveRule(rule, tier, { files: this.#options.files ?? {}, workspace: this.#workspace })
      if (this.#options.load === undefined) {
        const others = this.#documents.filter(({ file }) => file !== saved.file)
        this.#put([...others, saved])
      } else this.#put(await this.#options.load())
    })
  }

  /**
   * Reads all documents again. Where one is broken the rules stay as they are.
   *
   * @throws AdjutantError CONFIG_INVALID
   */
  reload(): Promise<void> {
    return this.#change(async () => this.#put((await this.#options.load?.()) ?? this.#documents))
  }

  #change(work: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(work)
    this.#changes = done.catch(() => {})
    return done
  }

  #put(documents: readonly PolicyDocument[]): void {
    this.#table = this.#tableOf(documents)
    this.#documents = documents
    this.#version++
  }

  #tableOf(documents: readonly PolicyDocument[]): RuleTable {
    checkDocuments(documents)
    return new RuleTable(documents, { workspace: this.#workspace, readers: this.#options.commands ?? {} })
  }

  #decide(request: PolicyRequest): PolicyDecision {
    lookAnew(request.pass)
    const trial: Trial = { request, guard: undefined, unclear: undefined }
    const found = this.#table.ability(request.principal, request.tool).relevantRuleFor('call', trial)
    const rule = found === null ? undefined : ruleBehind(found.origin)
    if (rule?.effect === 'deny') return trial.unclear === rule ? unclear(rule) : decisionOf(rule)
    // Whatever rules allow, a session that plans changes nothing.
    if (request.mode === 'plan' && request.effect !== 'read') return decideByMode(request)
    const given = rule === undefined ? decideByMode(request) : decisionOf(rule)
    if (given.effect === 'deny') return given
    // What only makes stricter stands above what decides, so it is what asks.
    const asking = trial.guard ?? (given.effect === 'ask' ? rule : undefined)
    return asking === undefined ? given : asked(asking, request)
  }
}

const SAVED_TIERS: readonly SavedTier[] = ['project', 'user']

const decisions = new WeakMap<CompiledRule, PolicyDecision>()

/** One object for each rule: a decision is made for each call. */
function decisionOf(rule: CompiledRule): PolicyDecision {
  let decision = decisions.get(rule)
  if (decision === undefined) {
    const { effect, name, tier, reason } = rule
    decision = Object.freeze({ effect, rule: name, tier, reason })
    decisions.set(rule, decision)
  }
  return decision
}

/** The reason names what to change: the rule's own may speak of something that the call has nothing to do with. */
function unclear(rule: CompiledRule): PolicyDecision {
  const decision = decisionOf(rule)
  return { ...decision, reason: `${decision.reason} (an argument that the rule is about can be read in more than one way)` }
}

function asked(rule: CompiledRule, request: PolicyRequest): PolicyDecision {
  const decision = decisionOf(rule)
  if (request.mode !== 'deny') return decision
  return { ...decision, effect: 'deny', reason: `${decision.reason}; a person would have to agree, and nobody may be asked` }
}
