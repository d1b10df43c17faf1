import type { AdmittedCall, Conversion, ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import type { ToolLookup } from '../contract/lookup.ts'
import type { ApprovalMode, Policy, PolicyDecision } from '../contract/policy.ts'
import type { Principal } from '../contract/principal.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'
import { ApprovalMemory } from './approval.ts'
import { coerce } from './coerce.ts'
import { clippedJson, isDeeperThan } from './json-shape.ts'
import { MAX_VALUE_DEPTH } from './limits.ts'
import { nearestNames } from './nearest-names.ts'
import { decideOnPinned, MODE_POLICY } from './permission.ts'
import { reportProblems } from './problem-report.ts'
import { repairNote, repairsOf, unseenRepairs, withRepairs } from './repaired.ts'
import { exampleFor } from './schema-example.ts'
import { type CompiledSchema, compileSchema } from './validate.ts'

/**
 * Owns the question whether a call may run as it was asked: arguments read → tool known → arguments fit, as they are or after
 * tolerant conversion → effect of these very arguments → policy → what a person has said before.
 *
 * Never throws and never runs anything: each call ends as one verdict. Whether two calls share an id is the turn's business.
 * Synchronous; keeps nothing but the approvals of its session and the names of tools whose untrusted results it has read.
 */

export type Verdict =
  | { readonly type: 'admitted'; readonly call: AdmittedCall; readonly decision: PolicyDecision }
  /** A person decides. `reason`: what they are told. */
  | { readonly type: 'held'; readonly call: AdmittedCall; readonly reason: string; readonly decision: PolicyDecision }
  | { readonly type: 'refused'; readonly error: AdjutantError }

export interface AdmissionOptions {
  readonly mode: ApprovalMode
  readonly principal: Principal
  /** Default: no rules, the mode decides. */
  readonly policy?: Policy
  /** Default: a memory of its own. */
  readonly approvals?: ApprovalMemory
}

const NO_CONVERSIONS: readonly Conversion[] = Object.freeze([])

/**
 * @example
 * ```ts
 * const admission = new Admission({ mode: 'ask', principal: LOCAL_PRINCIPAL })
 * const verdict = admission.admit(call, tools)
 * if (verdict.type === 'refused') show(verdict.error.message, verdict.error.hint)
 * ```
 */
export class Admission {
  readonly mode: ApprovalMode
  readonly approvals: ApprovalMemory
  readonly #principal: Principal
  readonly #policy: Policy
  /** A new list for each addition, so that one that was handed out does not change. */
  #untrusted: readonly string[] = []
  #epoch = 0
  #pass: object | undefined

  constructor(options: AdmissionOptions) {
    this.mode = options.mode
    this.approvals = options.approvals ?? new ApprovalMemory()
    this.#principal = options.principal
    this.#policy = options.policy ?? MODE_POLICY
  }

  /**
   * Grows with everything that may change a decision but the clock and the world outside: what was read of strangers, what was written, the
   * policy itself. A decision on a read that is as old as this is not made a second time.
   */
  get epoch(): number {
    return this.#epoch + this.#policy.version
  }

  /** A call of this session is about to change something: a link it makes may lead elsewhere than a path did before. */
  writes(): void {
    this.#epoch += 1
  }

  /** Text of strangers has reached the model through this tool: policy may be stricter from now on. */
  readUntrusted(tool: string): void {
    if (this.#untrusted.includes(tool)) return
    this.#untrusted = [...this.#untrusted, tool]
    this.#epoch += 1
  }

  /** Judges all calls that `work` hands in as of one moment. Synchronous: nothing else of this program runs in between. */
  together(work: () => void): void {
    this.#pass = {}
    try {
      work()
    } finally {
      this.#pass = undefined
    }
  }

  /** Judges a call as the model made it. */
  admit(call: ToolCall, tools: ToolLookup): Verdict {
    try {
      const tool = tools.get(call.name)
      if (!call.arguments.ok) return refused(unreadable(call.name, call.arguments, tool))
      if (tool === undefined) return refused(tools.missing?.(call.name) ?? unknownTool(call.name, tools))
      const admitted = withRepairs(this.#fit(call, tool, call.arguments.value))
      const decision = this.decide(admitted)
      switch (decision.effect) {
        case 'allow':
          if (admitted.effect === 'dangerous' && repairsOf(call).length > 0) return refused(unseenRepairs(admitted))
          return { type: 'admitted', call: admitted, decision }
        case 'deny':
          return refused(deniedByPolicy(admitted, decision))
        case 'ask':
          if (this.approvals.covers(admitted, this.#principal, decision.rule)) return { type: 'admitted', call: admitted, decision }
          return {
            type: 'held',
            call: admitted,
            reason: `${decision.reason}${doubtAbout(tool, admitted.input)}${repairNote(call)}`,
            decision,
          }
        default:
          decision.effect satisfies never
          return refused(deniedByPolicy(admitted, decision))
      }
    } catch (error) {
      return refused(notRun(error, call))
    }
  }

  /** Judges a call whose arguments a person edited: they must fit, and are classified anew; nobody is asked a second time. */
  readmit(call: AdmittedCall, input: JsonObject): Verdict {
    try {
      const admitted = this.#fit(call.call, call.tool, input)
      const decision = this.decide(admitted)
      return decision.effect === 'deny' ? refused(deniedByPolicy(admitted, decision)) : { type: 'admitted', call: admitted, decision }
    } catch (error) {
      return refused(notRun(error, call.call))
    }
  }

  /** What the policy says of this call now. Asked at admission and again at the moment of running: the world goes on in between. */
  decide({ tool, effect, input }: AdmittedCall): PolicyDecision {
    const decision = this.#policy.decide({
      principal: this.#principal,
      tool,
      effect,
      input,
      mode: this.mode,
      untrusted: this.#untrusted,
      ...(this.#pass === undefined ? undefined : { pass: this.#pass }),
    })
    const pinned = decision.effect === 'deny' ? undefined : decideOnPinned(tool, this.mode)
    if (pinned === undefined) return decision
    if (pinned.effect === 'ask' && decision.effect === 'ask') return { ...decision, reason: `${decision.reason}; ${pinned.reason}` }
    return pinned
  }

  /** @throws AdjutantError INVALID_ARGUMENTS, TOOL_INVALID */
  #fit(call: ToolCall, tool: AgentTool, value: JsonObject): AdmittedCall {
    if (isDeeperThan(value, MAX_VALUE_DEPTH)) {
      throw new AdjutantError('INVALID_ARGUMENTS', `The arguments of ${tool.name} are nested deeper than ${MAX_VALUE_DEPTH} levels.`, {
        hint: 'Send flatter arguments.',
      })
    }
    try {
      const compiled = compileSchema(tool.inputSchema)
      if (compiled.accepts(value)) return { call, tool, input: value, conversions: NO_CONVERSIONS, effect: effectOf(tool, value) }
      return converted(call, tool, compiled, value)
    } catch (error) {
      throw ofTool(tool, error)
    }
  }
}

function refused(error: AdjutantError): Verdict {
  return { type: 'refused', error }
}

/** The model is told the reason, and the rule by its name: whoever wrote it can be asked about it. */
export function deniedByPolicy({ tool }: AdmittedCall, decision: PolicyDecision): AdjutantError {
  const byRule = decision.tier === 'mode' ? decision.reason : `${tool.name} is not allowed: ${decision.reason} (${decision.rule})`
  return new AdjutantError('DENIED_BY_POLICY', byRule.endsWith('.') ? byRule : `${byRule}.`, {
    hint:
      decision.rule === 'pin/changed'
        ? 'Do not repeat this call; go on without it and say that its definition changed.'
        : decision.rule === 'mode/plan'
          ? 'Do not repeat this call; only look, and say what you would change.'
          : decision.tier === 'mode'
            ? 'Do not repeat this call; go on with tools that only read, and say what could not be done.'
            : 'Do not repeat this call with these arguments; go on without it and say what could not be done.',
  })
}

function converted(call: ToolCall, tool: AgentTool, compiled: CompiledSchema, value: JsonObject): AdmittedCall {
  const { value: input, conversions, issues } = coerce(compiled, value)
  if (issues.length === 0 && isJsonObject(input)) return { call, tool, input, conversions, effect: effectOf(tool, input) }
  // A schema for texts or lists can be met by wrapping the arguments; a call still sends an object, so its own faults are told.
  const report =
    issues.length > 0
      ? reportProblems(tool.name, compiled, input, issues)
      : reportProblems(tool.name, compiled, value, compiled.issues(value))
  throw new AdjutantError('INVALID_ARGUMENTS', report.message, { hint: report.hint })
}

/** Whatever went wrong here, the call did not run. */
function notRun(error: unknown, call: ToolCall): AdjutantError {
  if (AdjutantError.isInstance(error) && error.outcome === 'not-run') return error
  const said = error instanceof Error ? error.message : String(error)
  return new AdjutantError('INTERNAL', `The call of ${clippedJson(call.name)} could not be judged: ${said}`, {
    outcome: 'not-run',
    cause: error,
  })
}

/** A fault of the schema says "its inputSchema at …"; here it is known whose. */
function ofTool(tool: AgentTool, error: unknown): AdjutantError {
  if (!AdjutantError.isInstance(error)) return AdjutantError.from(error, 'TOOL_INVALID', `the tool ${tool.name}`)
  if (error.code !== 'TOOL_INVALID') return error
  return new AdjutantError('TOOL_INVALID', `The tool ${tool.name} cannot be called: ${error.message}`, {
    hint: 'Do not call this tool again; go on without it and say that its definition is broken.',
    cause: error,
  })
}

/** What is not one of the three words, or not known at all, is dangerous. */
function effectOf(tool: AgentTool, input: JsonObject): Effect {
  if (typeof tool.effect !== 'function') return known(tool.effect)
  try {
    return known(tool.effect(input))
  } catch {
    return 'dangerous'
  }
}

/** Said to the person who is asked: why this call counts as dangerous when its tool does not say so itself. */
function doubtAbout(tool: AgentTool, input: JsonObject): string {
  if (typeof tool.effect !== 'function') return ''
  try {
    const said: unknown = tool.effect(input)
    return said === 'read' || said === 'write' || said === 'dangerous' ? '' : ` (its effect function gave ${clippedJson(said, 40)})`
  } catch (error) {
    return ` (what it would do could not be determined: ${clippedJson(error instanceof Error ? error.message : String(error), 120)})`
  }
}

/** Tools are also written in plain JavaScript, where nothing checks the word. */
function known(effect: Effect): Effect {
  return effect === 'read' || effect === 'write' ? effect : 'dangerous'
}

type UnreadableArguments = Extract<ToolCall['arguments'], { readonly ok: false }>

function unreadable(name: string, sent: UnreadableArguments, tool: AgentTool | undefined): AdjutantError {
  const example = tool === undefined ? undefined : exampleText(tool)
  return new AdjutantError(
    sent.code,
    `The arguments of ${clippedJson(name)} could not be read: ${sent.problem.slice(0, 300).replace(/\.$/, '')}. Sent: ${clippedJson(sent.raw, 200)}`,
    {
      outcome: 'not-run',
      hint: `Send the arguments again as one JSON object${example === undefined ? '.' : `, for example ${example}`}`,
    },
  )
}

function exampleText(tool: AgentTool): string | undefined {
  try {
    const example = exampleFor(compileSchema(tool.inputSchema))
    const text = isJsonObject(example) ? JSON.stringify(example) : undefined
    return text === undefined || text.length > 300 ? undefined : text
  } catch {
    // The schema is broken; what is to be said here is that the arguments are.
    return undefined
  }
}

function unknownTool(name: string, tools: ToolLookup): AdjutantError {
  const nearest = nearestNames(name, tools.names())
  return new AdjutantError('UNKNOWN_TOOL', `There is no tool named ${clippedJson(name)}.`, {
    hint: nearest.length === 0 ? 'Use one of the tools that were listed.' : `Nearest names: ${nearest.join(', ')}.`,
  })
}
