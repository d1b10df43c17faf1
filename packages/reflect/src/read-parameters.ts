import type { ArgumentSource, ConversionPlan, JsonSchema, JsonValue } from '@adjutant/core'
import { isJsonObject } from '@adjutant/core'
import ts from 'typescript6'
import { withConstraints } from './constraints.ts'
import type { Finished } from './definition-table.ts'
import type { Use } from './described.ts'
import { type Doc, type FunctionDoc, NO_DOC } from './doc-comment.ts'
import type { ExportedFunction } from './exported-functions.ts'
import { valueOfExpression } from './literal-value.ts'
import { ReflectFault } from './place.ts'
import type { Reader } from './read-type.ts'
import { ambientName, has } from './type-kinds.ts'
import { withoutUndefined } from './without-undefined.ts'

/**
 * Owns how the parameters of a function become one object of arguments. One parameter that is an object: its properties are the
 * arguments. Otherwise each parameter is a property by its name, and the function is called by position. A last parameter of
 * type `CallContext` (or `AbortSignal`) gets the call's context (or its signal) and is not for the model.
 */

export interface Parameters extends Finished {
  readonly call: readonly ArgumentSource[]
}

interface Parameter {
  readonly symbol: ts.Symbol
  readonly node: ts.ParameterDeclaration
  readonly name: string
  readonly type: ts.Type
  readonly optional: boolean
  readonly rest: boolean
}

export function readParameters(reader: Reader, found: ExportedFunction, doc: FunctionDoc): Parameters {
  const all = found.signature.getParameters()
  const last = all.at(-1)
  const given = last === undefined ? undefined : givenBy(reader.checker.getTypeOfSymbol(last), reader.checker)
  const parameters = (given === undefined ? all : all.slice(0, -1)).map((symbol, at) => parameterOf(reader, symbol, at, found, doc))
  const context: readonly ArgumentSource[] = given === undefined ? [] : [{ from: given }]
  for (const name of unknownNames(doc, parameters)) {
    const node = doc.parameters.get(name)?.node ?? found.node
    reader.warn(node, `@param ${name} names no parameter`, `The parameters are ${parameters.map((one) => one.name).join(', ') || 'none'}.`)
  }
  const [only] = parameters
  if (only !== undefined && parameters.length === 1 && isWhole(reader.checker, only)) {
    return { ...readWhole(reader, only, doc), call: [{ from: 'whole' }, ...context] }
  }
  return {
    ...readEach(reader, parameters, doc),
    call: [
      ...parameters.map(({ name, rest }): ArgumentSource => ({ from: 'argument', name, ...(rest ? { spread: true } : {}) })),
      ...context,
    ],
  }
}

/**
 * What the runtime gives for a last parameter of this type. The context is recognised by what it offers, so that it does not
 * matter from where its type was imported.
 */
function givenBy(type: ts.Type, checker: ts.TypeChecker): 'context' | 'signal' | undefined {
  const bare = checker.getNonNullableType(type)
  if (ambientName(bare) === 'AbortSignal') return 'signal'
  if ((bare.aliasSymbol ?? bare.getSymbol())?.name !== 'CallContext') return undefined
  return ['callId', 'idempotencyKey', 'signal'].every((name) => bare.getProperty(name) !== undefined) ? 'context' : undefined
}

function parameterOf(reader: Reader, symbol: ts.Symbol, at: number, found: ExportedFunction, doc: FunctionDoc): Parameter {
  const node = symbol.valueDeclaration
  if (node === undefined || !ts.isParameter(node)) {
    throw new ReflectFault(found.node, `the parameter ${symbol.name} is not written out`, 'Write the parameters one by one.')
  }
  const written = withoutUndefined(reader.checker, reader.checker.getTypeOfSymbolAtLocation(symbol, node))
  const rest = node.dotDotDotToken !== undefined
  if (
    node.type === undefined &&
    node.initializer === undefined &&
    has(written.type, ts.TypeFlags.Any) &&
    !ts.isObjectBindingPattern(node.name)
  ) {
    throw new ReflectFault(node, `the parameter ${node.name.getText()} has no type`, 'Write its type, or @param {type} in JavaScript.')
  }
  return {
    symbol,
    node,
    name: ts.isIdentifier(node.name) ? node.name.text : nameFromDoc(doc, at),
    type: written.type,
    optional: written.optional || rest || reader.checker.isOptionalParameter(node),
    rest,
  }
}

/** A destructured parameter has no name of its own but the one in its doc comment. */
function nameFromDoc(doc: FunctionDoc, at: number): string {
  const roots = [...new Set(doc.order.map((name) => name.split('.', 1)[0] ?? name))]
  return roots[at] ?? (at === 0 ? 'options' : `options${at + 1}`)
}

function unknownNames(doc: FunctionDoc, parameters: readonly Parameter[]): readonly string[] {
  const roots = new Set(parameters.map(({ name }) => name))
  const whole = parameters.length === 1 ? parameters[0] : undefined
  const members = new Set(whole === undefined ? [] : whole.type.getProperties().map(({ name }) => name))
  const context = /^(?:cx|ctx|context|call|signal)$/
  return doc.order.filter((name) => {
    const [root = name] = name.split('.')
    return (
      !roots.has(root) && !members.has(root) && !context.test(root) && !(whole !== undefined && ts.isObjectBindingPattern(whole.node.name))
    )
  })
}

/** A single object, or a choice of objects; one that may be left out only if all in it may. */
function isWhole(checker: ts.TypeChecker, { type, optional, rest }: Parameter): boolean {
  const isData = (one: ts.Type): boolean =>
    (has(one, ts.TypeFlags.Object) || (one.isIntersection() && one.types.every((part) => has(part, ts.TypeFlags.Object)))) &&
    !checker.isArrayType(one) &&
    !checker.isTupleType(one) &&
    checker.getSignaturesOfType(one, ts.SignatureKind.Call).length === 0 &&
    checker.getPropertiesOfType(one).length > 0 &&
    checker.getPropertiesOfType(one).every((property) => (property.flags & ts.SymbolFlags.Method) === 0)
  if (rest) return false
  if (type.isUnion()) return !optional && type.types.every(isData)
  return isData(type) && (!optional || checker.getPropertiesOfType(type).every((one) => (one.flags & ts.SymbolFlags.Optional) !== 0))
}

function readWhole(reader: Reader, only: Parameter, doc: FunctionDoc): Finished {
  const finished = reader.finish(reader.read(only.type, { node: only.node, path: only.name }))
  const said = documented(reader, unreferenced(finished.schema), only, doc, true)
  const rooted = rootOf(said, doc.parameters.get(only.name)?.description ?? '')
  return { ...finished, schema: rooted }
}

/** With what `@param options.limit` and the initialisers of a pattern say of the properties of one parameter. */
function documented(reader: Reader, schema: JsonSchema, parameter: Parameter, doc: FunctionDoc, alone: boolean): JsonSchema {
  const { name, initializer } = parameter.node
  const defaults = new Map<string, JsonValue>()
  if (ts.isObjectBindingPattern(name)) collectDefaults(name, reader.checker, '', defaults)
  const given = initializer === undefined ? undefined : valueOfExpression(initializer, reader.checker)
  if (given !== undefined && isJsonObject(given)) {
    for (const [member, value] of Object.entries(given)) if (!defaults.has(member)) defaults.set(member, value)
  }
  return withProperties(schema, { reader, parameter, doc, defaults, alone }, '')
}

/** A type that holds itself is a definition; its properties are the arguments nevertheless. */
function unreferenced(schema: JsonSchema): JsonSchema {
  if (!isJsonObject(schema) || typeof schema.$ref !== 'string' || !isJsonObject(schema.$defs)) return schema
  const { $ref, ...rest } = schema
  const target = schema.$defs[$ref.slice('#/$defs/'.length)]
  return isJsonObject(target) ? { ...target, ...rest } : schema
}

/** Arguments are an object in any case; a choice of objects says so itself, too. */
function rootOf(schema: JsonSchema, description: string): JsonSchema {
  if (!isJsonObject(schema)) return schema
  return { ...(schema.type === undefined ? { type: 'object' } : {}), ...schema, ...(description === '' ? {} : { description }) }
}

interface Sayings {
  readonly reader: Reader
  readonly parameter: Parameter
  readonly doc: FunctionDoc
  /** By path, e.g. `page.size`. */
  readonly defaults: ReadonlyMap<string, JsonValue>
  /** All arguments are of this parameter: `@param limit` means its property. */
  readonly alone: boolean
}

/** What `@param options.limit` and the defaults of a pattern say of properties, inner ones too. */
function withProperties(schema: JsonSchema, sayings: Sayings, path: string): JsonSchema {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return schema
  const { reader, parameter, doc, defaults, alone } = sayings
  const properties = Object.entries(schema.properties).map(([name, member]): [string, JsonValue] => {
    const inner = path === '' ? name : `${path}.${name}`
    if (!isJsonObject(member) && typeof member !== 'boolean') return [name, member]
    const said = doc.parameters.get(`${parameter.name}.${inner}`) ?? (alone ? doc.parameters.get(inner) : undefined)
    const use: Use = { node: said?.node ?? parameter.node, path: inner }
    const deeper = withProperties(member, sayings, inner)
    const documented = said === undefined ? deeper : withConstraints(reader, deeper, said, use)
    return [name, withDefault(documented, defaults.get(inner))]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

function withDefault(schema: JsonSchema, value: JsonValue | undefined): JsonSchema {
  if (value === undefined || (isJsonObject(schema) && schema.default !== undefined)) return schema
  return isJsonObject(schema) ? { ...schema, default: value } : schema ? { default: value } : schema
}

function collectDefaults(pattern: ts.ObjectBindingPattern, checker: ts.TypeChecker, path: string, defaults: Map<string, JsonValue>): void {
  for (const element of pattern.elements) {
    const key = element.propertyName ?? element.name
    if (!ts.isIdentifier(key) && !ts.isStringLiteral(key)) continue
    const inner = path === '' ? key.text : `${path}.${key.text}`
    const value = element.initializer === undefined ? undefined : valueOfExpression(element.initializer, checker)
    if (value !== undefined) defaults.set(inner, value)
    if (ts.isObjectBindingPattern(element.name)) collectDefaults(element.name, checker, inner, defaults)
  }
}

function readEach(reader: Reader, parameters: readonly Parameter[], doc: FunctionDoc): Finished {
  const properties: Record<string, JsonSchema> = {}
  const plans: Record<string, ConversionPlan> = {}
  const required: string[] = []
  for (const parameter of parameters) {
    const { name, node, type, optional } = parameter
    if (Object.hasOwn(properties, name)) {
      throw new ReflectFault(node, `two parameters are called ${name}`, 'Name the destructured ones by @param, in their order.')
    }
    if (name === '__proto__') throw new ReflectFault(node, 'a parameter cannot be called __proto__', 'Give it another name.')
    const use: Use = { node, path: name }
    if (has(type, ts.TypeFlags.Never)) throw new ReflectFault(node, `${name} is of type never: there is no value for it`, 'Leave it out.')
    const described = reader.read(type, use)
    const said: Doc = doc.parameters.get(name) ?? NO_DOC
    const initial = node.initializer === undefined ? undefined : valueOfExpression(node.initializer, reader.checker)
    properties[name] = withDefault(withConstraints(reader, described.schema, said, use), initial)
    if (described.plan !== undefined) plans[name] = described.plan
    if (!optional) required.push(name)
  }
  const schema: JsonSchema = { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false }
  const finished = reader.finish({ schema, plan: { as: 'object', properties: plans } })
  if (!isJsonObject(finished.schema) || !isJsonObject(finished.schema.properties)) return finished
  const members = { ...finished.schema.properties }
  for (const parameter of parameters) {
    const own = members[parameter.name]
    if (own !== undefined && isJsonObject(own)) members[parameter.name] = documented(reader, own, parameter, doc, false)
  }
  return { ...finished, schema: { ...finished.schema, properties: members } }
}
