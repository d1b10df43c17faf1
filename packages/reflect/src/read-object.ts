import type { ConversionPlan, JsonObject, JsonSchema } from '@adjutant/core'
import ts from 'typescript6'
import { withConstraints } from './constraints.ts'
import type { Described, TypeReader, Use } from './described.ts'
import { docOfSymbol } from './doc-comment.ts'
import { NUMBER_NAME } from './known-types.ts'
import { warnOfLostComment } from './lost-comment.ts'
import { ReflectFault } from './place.ts'
import { patternOf } from './template-pattern.ts'
import { has, isAmbient, isTemplate } from './type-kinds.ts'
import { withoutUndefined } from './without-undefined.ts'

/**
 * Owns objects: properties with what is said of them, index signatures, and the refusal of what is no data (functions, classes
 * with methods, private members).
 */
export function readObject(reader: TypeReader, type: ts.Type, use: Use): Described {
  refuseBehaviour(reader, type, use)
  const properties: Record<string, JsonSchema> = {}
  const plans: Record<string, ConversionPlan> = {}
  const required: string[] = []
  const indexes = reader.checker.getIndexInfosOfType(type)
  for (const property of reader.checker.getPropertiesOfType(type)) {
    const read = readProperty(reader, type, property, use)
    if (read === undefined) continue
    define(properties, property.name, read.schema)
    if (read.required) required.push(property.name)
    if (read.plan !== undefined || indexes.length > 0) define(plans, property.name, read.plan ?? { as: 'choice', branches: [] })
  }
  const index = readIndexes(reader, indexes, use)
  const names = Object.keys(properties)
  if (names.length === 0 && indexes.length === 0 && !isNamedClass(type) && reader.side === 'input') {
    reader.warn(use.node, `${use.path} is an object of which nothing is said`, 'Name its properties, or write Record<string, …>.')
    return { schema: { type: 'object' } }
  }
  const own = descriptionOf(reader, type)
  return {
    schema: {
      type: 'object',
      ...(own === undefined ? {} : { description: own }),
      ...(names.length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(indexes.length > 0 ? index.schema : reader.side === 'input' ? { additionalProperties: false } : {}),
    },
    plan: { as: 'object', properties: plans, ...(index.plan === undefined ? {} : { others: index.plan }) },
  }
}

interface Property {
  readonly schema: JsonSchema
  readonly plan: ConversionPlan | undefined
  readonly required: boolean
}

/** A property under any name, `__proto__` too, is an own one. */
function define<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

function readProperty(reader: TypeReader, owner: ts.Type, property: ts.Symbol, use: Use): Property | undefined {
  const { checker } = reader
  const node = property.valueDeclaration ?? property.declarations?.[0]
  const at: Use = { node: node !== undefined && isOwn(node, use.node) ? node : use.node, path: `${use.path}.${shortName(property.name)}` }
  const named = checker.typeToString(owner)
  if (property.name.startsWith('__@')) {
    throw new ReflectFault(at.node, `${use.path} is of type ${named}, which has a property named by a symbol`, 'Use plain names.')
  }
  if (property.name.startsWith('__#') || isHidden(node)) {
    throw new ReflectFault(at.node, `${use.path} is of type ${named}, a class with private members`, 'Describe the data by an interface.')
  }
  const { type, optional } = withoutUndefined(checker, checker.getTypeOfSymbolAtLocation(property, use.node), property)
  // `other?: never` says that the property must not be there.
  if (has(type, ts.TypeFlags.Never)) {
    if (optional) return undefined
    throw new ReflectFault(at.node, `${at.path} is of type never: there is no value for it`, 'Make it optional, or leave it out.')
  }
  const described = reader.read(type, at)
  const doc = docOfSymbol(property, checker)
  if (doc.description === '' && node !== undefined) warnOfLostComment(reader, node)
  return {
    schema: withConstraints(reader, described.schema, doc, at),
    plan: described.plan,
    required: !optional,
  }
}

/** The compiler escapes names that begin with two underscores, and has its own for symbols. */
function shortName(name: string): string {
  const symbol = /^__@([^@]+)@/.exec(name)?.[1]
  if (symbol !== undefined) return `[Symbol.${symbol}]`
  return name.startsWith('___') ? name.slice(1) : name
}

function isHidden(node: ts.Declaration | undefined): boolean {
  return node !== undefined && (ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0
}

/** A place in the user's own file says more than one in somebody's declarations. */
function isOwn(node: ts.Node, use: ts.Node): boolean {
  const file = node.getSourceFile()
  return file === use.getSourceFile() || (!file.isDeclarationFile && !file.fileName.includes('/node_modules/'))
}

function isNamedClass(type: ts.Type): boolean {
  return type.isClassOrInterface()
}

function refuseBehaviour(reader: TypeReader, type: ts.Type, use: Use): void {
  const { checker } = reader
  const name = checker.typeToString(type)
  const hint = 'Use plain data there, or leave the function out with @internal.'
  if (checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0) {
    throw new ReflectFault(use.node, `${use.path} is of type ${name}, a function`, hint)
  }
  if (checker.getSignaturesOfType(type, ts.SignatureKind.Construct).length > 0) {
    throw new ReflectFault(use.node, `${use.path} is of type ${name}, a class`, hint)
  }
  for (const property of checker.getPropertiesOfType(type)) {
    if ((property.flags & ts.SymbolFlags.Method) === 0) continue
    const kind = type.isClass() ? 'a class with methods' : 'an object with methods'
    throw new ReflectFault(use.node, `${use.path} is of type ${name}, ${kind} (${shortName(property.name)})`, hint)
  }
}

function readIndexes(
  reader: TypeReader,
  indexes: readonly ts.IndexInfo[],
  use: Use,
): { readonly schema: JsonObject; readonly plan?: ConversionPlan } {
  const patterns: Record<string, JsonSchema> = {}
  let additional: JsonSchema | undefined
  let names: JsonSchema | undefined
  const plans: ConversionPlan[] = []
  for (const index of indexes) {
    const read = reader.read(index.type, { node: index.declaration ?? use.node, path: `${use.path}[]` })
    if (read.plan !== undefined) plans.push(read.plan)
    if (isTemplate(index.keyType)) patterns[`^${patternOf(index.keyType) ?? ''}`] = read.schema
    else if (has(index.keyType, ts.TypeFlags.Number)) {
      additional ??= read.schema
      if (indexes.length === 1) names = { pattern: NUMBER_NAME }
    } else if (has(index.keyType, ts.TypeFlags.ESSymbolLike)) {
      throw new ReflectFault(use.node, `${use.path} has properties named by symbols`, 'Use plain names.')
    } else additional = read.schema
  }
  if (new Set(plans.map((plan) => JSON.stringify(plan))).size > 1) {
    throw new ReflectFault(use.node, `${use.path} has several index signatures with values of different kinds`, 'Keep one of them.')
  }
  return {
    schema: {
      ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }),
      additionalProperties: additional ?? false,
      ...(names === undefined ? {} : { propertyNames: names }),
    },
    ...(plans[0] === undefined ? {} : { plan: plans[0] }),
  }
}

function descriptionOf(reader: TypeReader, type: ts.Type): string | undefined {
  const symbol = type.aliasSymbol ?? type.getSymbol()
  // What the language says of `Pick` and `Partial` is nothing about this object.
  if (symbol === undefined || symbol.name.startsWith('__') || isAmbient(symbol)) return undefined
  const { description } = docOfSymbol(symbol, reader.checker)
  return description === '' ? undefined : description
}
