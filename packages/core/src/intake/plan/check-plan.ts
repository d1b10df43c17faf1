import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../contract/json.ts'
import type { Plan, PlanStep } from '../../contract/plan.ts'
import { parseCondition, referencesIn } from './condition.ts'
import { findCycle } from './find-cycle.ts'
import { ITEM, piecesOf, type Reference, STEP_ID, soleReference, written } from './references.ts'

/**
 * Owns the check of a plan before anything of it may run: known fields, unique ids, references and dependencies that exist, no circles,
 * sizes. What is wrong is said for each step at its place, all at once; a plan with any problem is no plan.
 */

/** Ours: more steps than a model plans at once with sense. */
const MAX_STEPS = 100
/** Items of one `for_each`. */
export const MAX_ITEMS = 100

/** Shown in messages. */
const EXAMPLE: Reference = { from: 'search', path: ['files'] }

const FIELDS: ReadonlySet<string> = new Set(['id', 'tool', 'params', 'after', 'when', 'for_each'])

export type PlanCheck = { readonly plan: Plan } | { readonly problems: readonly string[] }

/** A step as far as it could be read. */
interface Draft {
  readonly place: string
  readonly id: string
  readonly tool: string
  readonly params: JsonObject
  readonly after: Set<string>
  readonly when?: string
  readonly forEach?: string | readonly JsonValue[]
}

/** True for an object whose own `plan` is a list. */
export function looksLikePlan(value: JsonObject): boolean {
  return Array.isArray(ownValue(value, 'plan'))
}

/** Checks `{"plan": [ … ]}`. */
export function checkPlan(value: JsonObject): PlanCheck {
  const steps = ownValue(value, 'plan')
  if (!Array.isArray(steps)) return { problems: ['"plan" is missing or no list of steps'] }
  if (steps.length === 0) return { problems: ['"plan" has no steps'] }
  if (steps.length > MAX_STEPS) return { problems: [`"plan" has ${steps.length} steps; ${MAX_STEPS} are the most`] }
  const checker = new Checker(steps)
  const drafts = checker.drafts()
  if (drafts === undefined) return { problems: checker.problems }
  checker.link(drafts)
  const cycle = checker.problems.length > 0 ? undefined : findCycle(new Map(drafts.map(({ id, after }) => [id, [...after]])))
  if (cycle !== undefined) checker.problems.push(`the steps wait for each other in a circle: ${cycle.join(' → ')}`)
  return checker.problems.length > 0 ? { problems: checker.problems } : { plan: { steps: drafts.map(stepOf) } }
}

function stepOf({ id, tool, params, after, when, forEach }: Draft): PlanStep {
  return { id, tool, params, after: [...after], ...(when === undefined ? {} : { when }), ...(forEach === undefined ? {} : { forEach }) }
}

class Checker {
  readonly problems: string[] = []
  readonly #steps: readonly JsonValue[]
  readonly #taken = new Set<string>()

  constructor(steps: readonly JsonValue[]) {
    this.#steps = steps
    for (const step of steps) {
      const id = isJsonObject(step) ? ownValue(step, 'id') : undefined
      if (typeof id === 'string') this.#taken.add(id)
    }
  }

  /** Undefined when a step could not be read at all. */
  drafts(): readonly Draft[] | undefined {
    const drafts: Draft[] = []
    const used = new Set<string>()
    for (const [index, step] of this.#steps.entries()) {
      const draft = this.#draft(step, index)
      if (draft === undefined) continue
      if (used.has(draft.id)) this.#say(draft.place, 'its id is that of an earlier step')
      used.add(draft.id)
      drafts.push(draft)
    }
    return this.problems.length > 0 ? undefined : drafts
  }

  /** Adds the dependencies that references imply, and checks all. */
  link(drafts: readonly Draft[]): void {
    const ids = new Set(drafts.map(({ id }) => id))
    for (const draft of drafts) {
      for (const id of draft.after) if (!ids.has(id)) this.#say(draft.place, `"after" names ${shown(id)}, and there is no such step`)
      for (const [where, reference] of this.#references(draft)) {
        if (reference.from === ITEM) {
          if (draft.forEach === undefined || where === 'for_each')
            this.#say(draft.place, `${where} uses ${written(reference)} outside "for_each"`)
        } else if (!ids.has(reference.from)) {
          this.#say(
            draft.place,
            `${where} refers to ${written(reference)}, and there is no step ${shown(reference.from)}; write $\${ for a plain \${`,
          )
        } else draft.after.add(reference.from)
      }
    }
  }

  #say(place: string, what: string): void {
    this.problems.push(`${place}: ${what}`)
  }

  #draft(step: JsonValue, index: number): Draft | undefined {
    const number = `step ${index + 1}`
    if (!isJsonObject(step)) {
      this.#say(number, 'it is no object')
      return undefined
    }
    const given = ownValue(step, 'id')
    const id = typeof given === 'string' ? given : this.#freeId(index)
    const place = typeof given === 'string' ? `${number} (${shown(given)})` : number
    const before = this.problems.length
    if (given !== undefined && (typeof given !== 'string' || !STEP_ID.test(given) || given === ITEM)) {
      this.#say(place, `"id" must be a word of letters, digits, "_" and "-", and not "${ITEM}"`)
    }
    const tool = ownValue(step, 'tool')
    if (typeof tool !== 'string' || tool === '') this.#say(place, '"tool" is missing or no text')
    const params = ownValue(step, 'params') ?? {}
    if (!isJsonObject(params)) this.#say(place, '"params" is no object')
    const after = this.#after(ownValue(step, 'after'), place)
    const when = ownValue(step, 'when')
    if (when !== undefined) this.#condition(when, place)
    const forEach = ownValue(step, 'for_each')
    if (forEach !== undefined) this.#list(forEach, place)
    const unknown = Object.keys(step).filter((key) => !FIELDS.has(key))
    if (unknown.length > 0)
      this.#say(place, `it has the unknown fields ${unknown.map(shown).join(', ')}; known are ${[...FIELDS].join(', ')}`)
    if (this.problems.length > before || typeof tool !== 'string' || !isJsonObject(params)) return undefined
    return {
      place,
      id,
      tool,
      params,
      after,
      ...(typeof when === 'string' ? { when } : {}),
      ...(typeof forEach === 'string' || Array.isArray(forEach) ? { forEach } : {}),
    }
  }

  #freeId(index: number): string {
    let id = `step${index + 1}`
    while (this.#taken.has(id)) id += '_'
    return id
  }

  #after(value: JsonValue | undefined, place: string): Set<string> {
    const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
    const ids = new Set<string>()
    for (const id of list) {
      if (typeof id === 'string') ids.add(id)
      else this.#say(place, '"after" must be a list of ids')
    }
    return ids
  }

  #condition(value: JsonValue, place: string): void {
    if (typeof value !== 'string') {
      this.#say(place, `"when" must be a text such as "${written(EXAMPLE)} != null"`)
      return
    }
    const read = parseCondition(value)
    if (!read.ok) this.#say(place, `"when" cannot be read: ${read.message}`)
  }

  #list(value: JsonValue, place: string): void {
    if (Array.isArray(value)) {
      if (value.length > MAX_ITEMS) this.#say(place, `"for_each" has ${value.length} items; ${MAX_ITEMS} are the most`)
    } else if (typeof value !== 'string' || soleReference(value) === undefined) {
      this.#say(place, `"for_each" must be a list, or one reference to a list such as "${written(EXAMPLE)}"`)
    }
  }

  *#references(draft: Draft): Generator<readonly [string, Reference]> {
    for (const reference of referencesOf(draft.params)) yield ['"params"', reference]
    if (draft.forEach !== undefined) for (const reference of referencesOf(draft.forEach)) yield ['for_each', reference]
    if (draft.when === undefined) return
    const read = parseCondition(draft.when)
    if (read.ok) for (const reference of referencesIn(read.condition)) yield ['"when"', reference]
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`)
}

/** All references in a value, by a list of its own instead of recursion. */
function* referencesOf(value: JsonValue): Generator<Reference> {
  const waiting: JsonValue[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      for (const piece of piecesOf(next)) if (typeof piece === 'object') yield piece
    } else if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) waiting.push(member)
  }
}
