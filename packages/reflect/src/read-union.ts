import type { ConversionPlan, JsonSchema, JsonValue, PlanBranch, PlanTest } from '@adjutant/core'
import { isJsonObject } from '@adjutant/core'
import ts from 'typescript6'
import type { Described, TypeReader, Use } from './described.ts'
import { ReflectFault } from './place.ts'
import { has, literalOf } from './type-kinds.ts'
import { branchTest, sharedDiscriminant } from './union-branches.ts'
import { inOrder } from './union-order.ts'

/**
 * Owns unions: words become an enum, plain types one list of types, objects with a property that tells them apart `oneOf`, and
 * everything else `anyOf`. Where members are converted, the plan says how a JSON value tells which it is; members that JSON
 * cannot tell apart (`Uint8Array | string`) are refused.
 */
export function readUnion(reader: TypeReader, type: ts.UnionType, use: Use): Described {
  const there = type.types.filter((part) => !has(part, ts.TypeFlags.Undefined | ts.TypeFlags.Void))
  const parts = inOrder(there, type, use.node, reader.checker)
  const words: JsonValue[] = []
  const others: ts.Type[] = []
  for (const part of parts) {
    const literal = literalOf(part)
    if (literal !== undefined) words.push(literal)
    else others.push(part)
  }
  const booleans = words.filter((word) => typeof word === 'boolean')
  const bothTruths = parts.filter((part) => has(part, ts.TypeFlags.BooleanLiteral)).length === 2
  const members = others.map((part) => ({ part, described: reader.read(part, use) }))
  const schemas: JsonSchema[] = []
  const rest = bothTruths ? words.filter((word) => typeof word !== 'boolean') : words
  const hasNull = rest.includes(null)
  const texts = rest.filter((word) => word !== null)
  if (texts.length > 0) schemas.push(enumOf(hasNull && members.length === 0 && !bothTruths ? [...texts, null] : texts, type))
  const nullInEnum = texts.length > 0 && hasNull && members.length === 0 && !bothTruths
  for (const { described } of members) schemas.push(described.schema)
  if (bothTruths && booleans.length > 0) schemas.push({ type: 'boolean' })
  if (hasNull && !nullInEnum) schemas.push({ type: 'null' })
  const discriminated = members.length > 1 && sharedDiscriminant(reader.checker, others, use.node) !== undefined
  return { schema: unionOf(schemas, discriminated && words.every((word) => word === null)), ...planOf(reader, members, words, use) }
}

function enumOf(words: readonly JsonValue[], type: ts.UnionType): JsonSchema {
  const [only] = words
  if (words.length === 1 && only !== undefined) return { type: jsonTypeOf(only), const: only }
  const types = [...new Set(words.map(jsonTypeOf))]
  const names = has(type, ts.TypeFlags.EnumLike) ? memberNames(type) : undefined
  return { type: types.length === 1 ? (types[0] ?? 'string') : types, enum: words, ...(names === undefined ? {} : { description: names }) }
}

function jsonTypeOf(word: JsonValue): string {
  return word === null ? 'null' : typeof word
}

/** Numbers of an enum mean nothing without the names of its members. */
function memberNames(type: ts.UnionType): string | undefined {
  const named = type.types.flatMap((part) => (part.isNumberLiteral() ? [`${part.value}: ${part.symbol.name}`] : []))
  return named.length === 0 ? undefined : named.join(', ')
}

function unionOf(schemas: readonly JsonSchema[], discriminated: boolean): JsonSchema {
  const [only] = schemas
  if (schemas.length === 0 || only === undefined) return false
  if (schemas.length === 1) return only
  if (schemas.includes(true)) return true
  if (discriminated) return { oneOf: schemas }
  // Plain types without anything else are one list of types.
  const types = schemas.filter((schema) => isJsonObject(schema) && typeof schema.type === 'string' && Object.keys(schema).length === 1)
  const names = types.flatMap((schema) => (isJsonObject(schema) && typeof schema.type === 'string' ? [schema.type] : []))
  if (names.length === schemas.length) return { type: names }
  // `T | null` of one type with more said of it.
  const [first, second] = schemas
  if (schemas.length === 2 && isJsonObject(first) && isJsonObject(second) && second.type === 'null' && Object.keys(second).length === 1) {
    if (first.type === 'string' && first.enum === undefined && first.const === undefined) return { ...first, type: ['string', 'null'] }
  }
  return { anyOf: schemas }
}

interface Member {
  readonly part: ts.Type
  readonly described: Described
}

function planOf(reader: TypeReader, members: readonly Member[], words: readonly JsonValue[], use: Use): { readonly plan?: ConversionPlan } {
  if (members.every(({ described }) => described.plan === undefined)) return {}
  const branches: PlanBranch[] = []
  const literals = words.filter((word) => typeof word === 'string')
  if (literals.length > 0) branches.push({ when: { type: 'string', equals: literals }, plan: null })
  branches.push(...textBranches(reader, members, use))
  const lists = members.filter(({ part, described }) => jsonType(reader, part, described) === 'array')
  const [list] = lists
  if (list !== undefined) {
    refuseDifferent(reader, lists, use)
    branches.push({ when: { type: 'array' }, plan: list.described.plan ?? null })
  }
  const objects = members.filter(({ part, described }) => jsonType(reader, part, described) === 'object')
  const [object] = objects
  if (object !== undefined) {
    if (objects.length === 1) branches.push({ when: { type: 'object' }, plan: object.described.plan ?? null })
    else branches.push(...objectBranches(reader, objects, use))
  }
  return { plan: { as: 'choice', branches } }
}

/** Texts that are converted, told apart by how they look; what does not look like it stays a text. */
function textBranches(reader: TypeReader, members: readonly Member[], use: Use): readonly PlanBranch[] {
  const texts = members.filter(({ part, described }) => jsonType(reader, part, described) === 'string')
  const converted = texts.filter(({ described }) => described.plan !== undefined)
  const branches = converted.map(({ described: { plan } }): PlanBranch => {
    const form = plan?.as === 'date' ? 'date' : plan?.as === 'bigint' ? 'digits' : undefined
    if (form === undefined && texts.length > 1) {
      const [one, other] = texts
      throw new ReflectFault(
        use.node,
        `${use.path} is ${nameIn(reader, one)} or ${nameIn(reader, other)}, which JSON cannot tell apart`,
        'Take one of them, or objects with a property that says which it is.',
      )
    }
    return { when: { type: 'string', ...(form === undefined || texts.length === 1 ? {} : { form }) }, plan: plan ?? null }
  })
  return [...new Map(branches.map((branch) => [JSON.stringify(branch), branch])).values()]
}

function objectBranches(reader: TypeReader, objects: readonly Member[], use: Use): readonly PlanBranch[] {
  const discriminant = sharedDiscriminant(
    reader.checker,
    objects.map(({ part }) => part),
    use.node,
  )
  const branches = objects.map(({ part, described }) => ({
    // What a map has as a class is nothing that JSON shows.
    when: described.plan?.as === 'map' ? ({ type: 'object' } as const) : branchTest(reader.checker, part, discriminant, use.node),
    plan: described.plan ?? null,
  }))
  reader.later((prune) => {
    if (discriminant !== undefined) return
    const plans = branches.map(({ plan }) => JSON.stringify(prune(plan ?? undefined)))
    for (const [at, one] of branches.entries()) {
      const twin = branches.findIndex((other, index) => index > at && !apart(one.when, other.when) && plans[at] !== plans[index])
      if (twin === -1) continue
      reader.warn(
        use.node,
        `${use.path} may be ${nameIn(reader, objects[at])} or ${nameIn(reader, objects[twin])}, which look alike in JSON: the first that fits is taken`,
        'Give both a property with a word that says which it is.',
      )
    }
  })
  return branches
}

function apart(one: PlanTest, other: PlanTest): boolean {
  const lacks = (required: readonly string[] | undefined, known: readonly string[] | undefined): boolean =>
    known !== undefined && (required ?? []).some((name) => !known.includes(name))
  return lacks(one.required, other.known) || lacks(other.required, one.known)
}

function refuseDifferent(reader: TypeReader, lists: readonly Member[], use: Use): void {
  reader.later((prune) => {
    const [first] = lists
    const plan = JSON.stringify(prune(first?.described.plan))
    const other = lists.find(({ described }) => JSON.stringify(prune(described.plan)) !== plan)
    if (other === undefined) return
    throw new ReflectFault(
      use.node,
      `${use.path} is ${nameIn(reader, first)} or ${nameIn(reader, other)}: lists that JSON cannot tell apart`,
      'Take one of them, or objects with a property that says which it is.',
    )
  })
}

function nameIn(reader: TypeReader, member: Member | undefined): string {
  return member === undefined ? 'another' : reader.checker.typeToString(member.part)
}

function jsonType(reader: TypeReader, part: ts.Type, { plan, schema }: Described): PlanTest['type'] | undefined {
  switch (plan?.as) {
    case 'date':
    case 'bigint':
    case 'bytes':
    case 'buffer':
    case 'url':
      return 'string'
    case 'set':
    case 'list':
      return 'array'
    case 'map':
    case 'object':
      return 'object'
    default:
  }
  const type = isJsonObject(schema) ? schema.type : undefined
  if (type === 'string' || type === 'array' || type === 'object') return type
  if (reader.checker.isArrayType(part) || reader.checker.isTupleType(part)) return 'array'
  return has(part, ts.TypeFlags.Object | ts.TypeFlags.Intersection) ? 'object' : undefined
}
