import { type ConversionPlan, isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '@adjutant/core'
import type ts from 'typescript6'
import type { Described } from './described.ts'

/**
 * Owns the types of one function that may be used more than once or hold themselves. While types are read, each such type is a
 * reference; at the end those used once stand in their place, and the others under `$defs` by their names.
 */

const OPEN = '#/$defs/'

interface Entry {
  readonly key: string
  readonly name: string
  described: Described | undefined
}

export interface Finished {
  readonly schema: JsonSchema
  readonly plan?: ConversionPlan
  readonly plans: Readonly<Record<string, ConversionPlan>>
}

export class DefinitionTable {
  readonly #byType = new Map<ts.Type, Entry>()
  readonly #byKey = new Map<string, Entry>()

  /**
   * A reference to the type, which is read when it is met first.
   * @param always false for types that are only worth a definition when they have a name
   */
  named(type: ts.Type, name: string | undefined, always: boolean, read: () => Described): Described {
    const known = this.#byType.get(type)
    if (known !== undefined) return referenceTo(known)
    if (name === undefined && !always) return read()
    const entry: Entry = { key: `t${this.#byKey.size}`, name: name ?? 'Type', described: undefined }
    this.#byType.set(type, entry)
    this.#byKey.set(entry.key, entry)
    entry.described = read()
    return referenceTo(entry)
  }

  finish(root: Described): Finished {
    const converted = this.#converted()
    const plan = root.plan === undefined ? undefined : prune(root.plan, converted)
    const uses = new Map<string, number>()
    this.#count(root.schema, uses, [])
    const kept = new Map<string, string>()
    const plans: Record<string, ConversionPlan> = {}
    for (const [key, count] of uses) {
      const entry = this.#byKey.get(key)
      if (entry === undefined || count < 2 || isScalar(entry.described?.schema)) continue
      kept.set(key, freeName(entry.name, new Set(kept.values())))
    }
    for (const key of converted) {
      const own = this.#byKey.get(key)?.described?.plan
      const pruned = own === undefined ? undefined : prune(own, converted)
      if (pruned !== undefined) plans[key] = pruned
    }
    const schema = this.#place(root.schema, kept)
    const definitions: Record<string, JsonValue> = {}
    for (const [key, name] of kept) {
      const own = this.#byKey.get(key)?.described?.schema
      if (own !== undefined) definitions[name] = this.#place(own, kept)
    }
    const whole = Object.keys(definitions).length === 0 ? schema : { ...(isJsonObject(schema) ? schema : {}), $defs: definitions }
    return { schema: whole, ...(plan === undefined ? {} : { plan }), plans: reachable(plan, plans) }
  }

  /** Leaves out of a plan what changes nothing. */
  pruner(): (plan: ConversionPlan | undefined) => ConversionPlan | undefined {
    const converted = this.#converted()
    return (plan) => (plan === undefined ? undefined : prune(plan, converted))
  }

  /** How often each type is reached from the root; a type that holds itself counts as used twice. */
  #count(value: JsonValue, uses: Map<string, number>, above: readonly string[]): void {
    if (Array.isArray(value)) for (const item of value) this.#count(item, uses, above)
    else if (isJsonObject(value)) {
      const key = keyOf(value)
      if (key !== undefined) {
        const before = uses.get(key) ?? 0
        uses.set(key, above.includes(key) ? before + 2 : before + 1)
        const own = this.#byKey.get(key)?.described?.schema
        if (before === 0 && own !== undefined) this.#count(own, uses, [...above, key])
      }
      for (const member of Object.values(value)) this.#count(member, uses, above)
    }
  }

  #place(value: JsonSchema, kept: ReadonlyMap<string, string>): JsonSchema
  #place(value: JsonValue, kept: ReadonlyMap<string, string>): JsonValue
  #place(value: JsonValue, kept: ReadonlyMap<string, string>): JsonValue {
    if (Array.isArray(value)) return value.map((item: JsonValue) => this.#place(item, kept))
    if (!isJsonObject(value)) return value
    const key = keyOf(value)
    if (key === undefined) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#place(member, kept)]))
    const { $ref: _, ...beside } = value
    const name = kept.get(key)
    const own = name === undefined ? (this.#byKey.get(key)?.described?.schema ?? true) : { $ref: `${OPEN}${name}` }
    const target = name === undefined ? this.#place(own, kept) : own
    if (Object.keys(beside).length === 0) return target
    // What is said at the place of use goes before what the type says of itself.
    return isJsonObject(target) ? { ...target, ...beside } : target
  }

  /** The types that need conversion: those with a leaf, and those that hold one of them. */
  #converted(): ReadonlySet<string> {
    const found = new Set<string>()
    for (let before = -1; before !== found.size; ) {
      before = found.size
      for (const { key, described } of this.#byKey.values()) {
        if (!found.has(key) && described?.plan !== undefined && prune(described.plan, found) !== undefined) found.add(key)
      }
    }
    return found
  }
}

function referenceTo(entry: Entry): Described {
  return { schema: { $ref: `${OPEN}${entry.key}` }, plan: { as: 'defined', name: entry.key } }
}

function keyOf(value: JsonObject): string | undefined {
  const { $ref } = value
  return typeof $ref === 'string' && $ref.startsWith(OPEN) ? $ref.slice(OPEN.length) : undefined
}

/** A list of words or a plain type: shorter in its place than a reference. */
function isScalar(schema: JsonSchema | undefined): boolean {
  if (schema === undefined || !isJsonObject(schema)) return true
  return schema.enum !== undefined || schema.const !== undefined || !['object', 'array', undefined].includes(textOf(schema.type))
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : Array.isArray(value) ? 'several' : undefined
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let count = 2; ; count++) if (!taken.has(`${name}${count}`)) return `${name}${count}`
}

/** The plan without the parts that change nothing; nothing when that is all of it. */
function prune(plan: ConversionPlan, converted: ReadonlySet<string>): ConversionPlan | undefined {
  const inner = (one: ConversionPlan | null | undefined): ConversionPlan | undefined => (one ? prune(one, converted) : undefined)
  switch (plan.as) {
    case 'date':
    case 'bigint':
    case 'bytes':
    case 'buffer':
    case 'url':
      return plan
    case 'set': {
      const items = inner(plan.items)
      return { as: 'set', ...(items === undefined ? {} : { items }) }
    }
    case 'map': {
      const values = inner(plan.values)
      return { as: 'map', ...(plan.keys === undefined ? {} : { keys: plan.keys }), ...(values === undefined ? {} : { values }) }
    }
    case 'list': {
      const first = plan.first?.map((one) => inner(one) ?? null)
      const items = inner(plan.items)
      if (items === undefined && !first?.some((one) => one !== null)) return undefined
      return { as: 'list', ...(first === undefined ? {} : { first }), ...(items === undefined ? {} : { items }) }
    }
    case 'object': {
      const properties = Object.fromEntries(
        Object.entries(plan.properties ?? {}).flatMap(([name, one]) => {
          const pruned = inner(one)
          return pruned === undefined ? [] : [[name, pruned]]
        }),
      )
      const others = inner(plan.others)
      if (others === undefined && Object.keys(properties).length === 0) return undefined
      // With a plan for the rest, a named property that stays as it is must say so.
      const same = others === undefined ? {} : Object.fromEntries(Object.keys(plan.properties ?? {}).map((name) => [name, AS_IT_IS]))
      return { as: 'object', properties: { ...same, ...properties }, ...(others === undefined ? {} : { others }) }
    }
    case 'choice': {
      const branches = plan.branches.map(({ when, plan: own }) => ({ when, plan: inner(own) ?? null }))
      return branches.some((branch) => branch.plan !== null) ? { as: 'choice', branches } : undefined
    }
    case 'defined':
      return converted.has(plan.name) ? plan : undefined
    default:
      return plan satisfies never
  }
}

/** A choice without branches changes nothing. */
const AS_IT_IS: ConversionPlan = { as: 'choice', branches: [] }

function reachable(
  plan: ConversionPlan | undefined,
  plans: Readonly<Record<string, ConversionPlan>>,
): Readonly<Record<string, ConversionPlan>> {
  const found: Record<string, ConversionPlan> = {}
  const visit = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"as":"defined","name":"(t\d+)"/g)) {
      const own = plans[name]
      if (own === undefined || Object.hasOwn(found, name)) continue
      found[name] = own
      visit(JSON.stringify(own))
    }
  }
  if (plan !== undefined) visit(JSON.stringify(plan))
  return found
}
