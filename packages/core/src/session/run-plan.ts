import type { ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import { callId } from '../contract/ids.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Plan, PlanStep } from '../contract/plan.ts'
import type { ToolResult } from '../contract/result.ts'
import { MAX_ITEMS } from '../intake/plan/check-plan.ts'
import { type Condition, parseCondition } from '../intake/plan/condition.ts'
import { soleReference } from '../intake/plan/references.ts'
import { buildResult } from '../response/build-result.ts'
import { DEFAULT_RESULT_CHARS } from '../response/clip.ts'
import { holds } from './plan/holds.ts'
import type { Scope } from './plan/look-up.ts'
import { listOf, outputOf, type StepOutput } from './plan/step-output.ts'
import { referredTo, substitute } from './plan/substitute.ts'
import type { Session } from './session.ts'

/**
 * Owns the way of a plan: steps whose dependencies are done make one batch, which the session carries out like any other (reads beside each
 * other, writes alone, people asked); then the next. Every step gets exactly one result, a `for_each` one for each item. A step whose
 * dependency failed is not run, and says which. Nothing is kept here: after a crash the session's own record says what ran.
 */

export interface PlanStepResult {
  /** Of the step. */
  readonly id: string
  readonly tool: string
  /** Position of the item, for a step with `for_each`. */
  readonly item?: number
  /** Its condition did not hold: not run, and no error. */
  readonly skipped?: boolean
  readonly result: ToolResult
}

export interface RunPlanOptions {
  readonly signal?: AbortSignal
  /** Told the calls of each batch before it is carried out. */
  readonly batch?: (calls: readonly ToolCall[]) => void
}

/** What became of a step. `output`: what later steps can refer to. */
interface Settled {
  readonly status: 'ok' | 'failed' | 'skipped'
  readonly results: readonly PlanStepResult[]
  readonly output?: StepOutput
}

/** One run of a step: a call, or the result it has without running. */
type Run = { readonly item?: number } & ({ readonly call: ToolCall } | { readonly entry: PlanStepResult })

/**
 * Carries out a checked plan.
 * @returns the results in step order
 * @throws AdjutantError CANCELLED when the session is closed; the store's error when a step could not be kept
 *
 * @example
 * ```ts
 * const results = await runPlan(session, plan, { signal })
 * ```
 */
export async function runPlan(session: Session, plan: Plan, options: RunPlanOptions = {}): Promise<readonly PlanStepResult[]> {
  return new PlanRun(session, plan, options).run()
}

class PlanRun {
  readonly #session: Session
  readonly #plan: Plan
  readonly #options: RunPlanOptions
  /** A plan is one decision, however many batches it takes. */
  #begun = false
  readonly #settled = new Map<string, Settled>()

  constructor(session: Session, plan: Plan, options: RunPlanOptions) {
    this.#session = session
    this.#plan = plan
    this.#options = options
  }

  async run(): Promise<readonly PlanStepResult[]> {
    let waiting = [...this.#plan.steps]
    while (waiting.length > 0) {
      const ready = waiting.filter((step) => step.after.every((id) => this.#settled.has(id)))
      await (ready.length === 0 || this.#options.signal?.aborted === true ? this.#giveUp(waiting) : this.#wave(ready))
      waiting = waiting.filter(({ id }) => !this.#settled.has(id))
    }
    return this.#plan.steps.flatMap(({ id }) => this.#settled.get(id)?.results ?? [])
  }

  /** Steps that can be carried out now, as one batch. */
  async #wave(steps: readonly PlanStep[]): Promise<void> {
    const runs: { readonly step: PlanStep; readonly runs: readonly Run[] }[] = []
    const calls: ToolCall[] = []
    for (const step of steps) {
      const prepared = await this.#prepare(step, calls.length)
      for (const run of prepared) if ('call' in run) calls.push(run.call)
      runs.push({ step, runs: prepared })
    }
    const results = new Map<string, ToolResult>()
    if (calls.length > 0) {
      this.#options.batch?.(calls)
      const { signal } = this.#options
      const done = await this.#session.execute(calls, { continues: this.#begun, ...(signal === undefined ? {} : { signal }) })
      this.#begun = true
      for (const result of done) results.set(result.id, result)
    }
    for (const { step, runs: its } of runs) await this.#settle(step, its, results)
  }

  async #settle(step: PlanStep, runs: readonly Run[], results: ReadonlyMap<string, ToolResult>): Promise<void> {
    const entries: PlanStepResult[] = []
    const outputs: (StepOutput | undefined)[] = []
    for (const run of runs) {
      const result = 'call' in run ? results.get(run.call.id) : undefined
      const entry = 'entry' in run ? run.entry : result === undefined ? undefined : entryOf(step, run.item, result)
      if (entry === undefined) continue
      entries.push(entry)
      // The one entry of an empty list is no item of it.
      if (step.forEach !== undefined && run.item === undefined) continue
      outputs.push(result === undefined || result.isError ? undefined : await outputOf(result))
    }
    const failed = entries.some(({ result }) => result.isError)
    if (failed) this.#settled.set(step.id, { status: 'failed', results: entries })
    else if (step.forEach !== undefined) {
      this.#settled.set(step.id, { status: 'ok', results: entries, output: listOf(outputs) })
    } else {
      const [output] = outputs
      const more = output === undefined ? {} : { output }
      this.#settled.set(step.id, { status: output === undefined ? 'skipped' : 'ok', results: entries, ...more })
    }
  }

  /** What a step comes to now that all before it is settled: one run, or one for each item. */
  async #prepare(step: PlanStep, first: number): Promise<readonly Run[]> {
    const failed = step.after.find((id) => this.#settled.get(id)?.status === 'failed')
    if (failed !== undefined) {
      return [
        {
          entry: await this.#notRun(
            step,
            undefined,
            new AdjutantError('DEPENDENCY_FAILED', `${step.tool} was not run: step ${failed} before it failed`),
          ),
        },
      ]
    }
    const scope: Scope = { output: (id) => this.#settled.get(id)?.output }
    if (step.forEach === undefined) return [await this.#prepareOne(step, scope, undefined, first)]
    let items: readonly JsonValue[]
    try {
      items = itemsOf(step.forEach, scope)
    } catch (error) {
      return [{ entry: await this.#notRun(step, undefined, AdjutantError.from(error, 'INTERNAL')) }]
    }
    if (items.length === 0) return [{ entry: await this.#passedOver(step, undefined, 'the list of "for_each" is empty') }]
    const runs: Run[] = []
    let index = first
    for (const [item, value] of items.entries()) {
      const run = await this.#prepareOne(step, { ...scope, item: { value } }, item, index)
      if ('call' in run) index++
      runs.push(run)
    }
    return runs
  }

  async #prepareOne(step: PlanStep, scope: Scope, item: number | undefined, index: number): Promise<Run> {
    const place = item === undefined ? {} : { item }
    try {
      if (step.when !== undefined && !holds(conditionOf(step.when), scope)) {
        return { ...place, entry: await this.#passedOver(step, item, `its condition does not hold: ${step.when}`) }
      }
      return { ...place, call: this.#call(step, substitute(step.params, scope), index) }
    } catch (error) {
      return { ...place, entry: await this.#notRun(step, item, AdjutantError.from(error, 'INTERNAL')) }
    }
  }

  #call(step: PlanStep, value: JsonObject, index: number): ToolCall {
    const { repairs } = this.#plan
    const args = { ok: true, value, ...(repairs === undefined ? {} : { repairs }) } as const
    return { id: callId(this.#session.ids.next('call')), index, name: step.tool, arguments: args, idFromProvider: false }
  }

  async #notRun(step: PlanStep, item: number | undefined, error: AdjutantError): Promise<PlanStepResult> {
    const refusal = new AdjutantError(error.code, error.message, { outcome: 'not-run', hint: error.hint, grade: error.grade, cause: error })
    const call = this.#call(step, step.params, 0)
    const status = error.code === 'CANCELLED' ? 'cancelled' : 'refused'
    const cx = { namespace: this.#session.namespace, resultChars: DEFAULT_RESULT_CHARS }
    const result = await buildResult({ call, outcome: { status, error: refusal } }, cx)
    await this.#session.record({ version: 1, type: 'call', call, result })
    return entryOf(step, item, result)
  }

  async #passedOver(step: PlanStep, item: number | undefined, why: string): Promise<PlanStepResult> {
    const call = this.#call(step, step.params, 0)
    const result: ToolResult = {
      id: call.id,
      name: step.tool,
      outcome: 'not-run',
      isError: false,
      text: `${step.tool} was passed over: ${why}`,
      parts: [],
    }
    await this.#session.record({ version: 1, type: 'call', call, result })
    return { ...entryOf(step, item, result), skipped: true }
  }

  /** Nothing more will run: the run was stopped, or (in a plan that nobody checked) steps wait for what never comes. */
  async #giveUp(steps: readonly PlanStep[]): Promise<void> {
    const stopped = this.#options.signal?.aborted === true
    for (const step of steps) {
      const error = stopped
        ? new AdjutantError('CANCELLED', `${step.tool} was not run: the run was stopped before it`)
        : new AdjutantError('DEPENDENCY_FAILED', `${step.tool} was not run: it waits for a step that is not there or waits for it`)
      this.#settled.set(step.id, { status: 'failed', results: [await this.#notRun(step, undefined, error)] })
    }
  }
}

function entryOf(step: PlanStep, item: number | undefined, result: ToolResult): PlanStepResult {
  return { id: step.id, tool: step.tool, ...(item === undefined ? {} : { item }), result }
}

/** @throws AdjutantError DEPENDENCY_FAILED, TOO_LARGE */
function itemsOf(list: string | readonly JsonValue[], scope: Scope): readonly JsonValue[] {
  const reference = typeof list === 'string' ? soleReference(list) : undefined
  const items = reference === undefined ? resolved(list, scope) : referredTo(reference, scope)
  if (!Array.isArray(items)) throw new AdjutantError('DEPENDENCY_FAILED', '"for_each" needs a list, and it is none')
  if (items.length > MAX_ITEMS) {
    const hint = `Narrow the list down to ${MAX_ITEMS} items, or plan several steps.`
    throw new AdjutantError('TOO_LARGE', `"for_each" has ${items.length} items; ${MAX_ITEMS} are the most`, { outcome: 'not-run', hint })
  }
  return items
}

/** A list that is written in the plan, with the references in it. */
function resolved(list: string | readonly JsonValue[], scope: Scope): JsonValue | undefined {
  return substitute({ list }, scope).list
}

/** @throws AdjutantError INVALID_DECISION for a condition that was never checked */
function conditionOf(text: string): Condition {
  const read = parseCondition(text)
  if (read.ok) return read.condition
  throw new AdjutantError('INVALID_DECISION', `the condition ${JSON.stringify(text)} cannot be read: ${read.message}`)
}
