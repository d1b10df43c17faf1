import type { JsonSchema } from '@adjutant/core'
import ts from 'typescript6'
import type { Described, TypeReader, Use } from './described.ts'
import { ReflectFault } from './place.ts'
import { ambientName, has, isReference } from './type-kinds.ts'

/** Owns the classes of the language that JSON can stand for: `Date`, bytes, `URL`, `Set`, `Map`; and those that it cannot. */

const LEAVES: ReadonlyMap<string, Described> = new Map<string, Described>([
  ['Date', { schema: { type: 'string', format: 'date-time' }, plan: { as: 'date' } }],
  ['Uint8Array', { schema: { type: 'string', contentEncoding: 'base64' }, plan: { as: 'bytes' } }],
  ['Buffer', { schema: { type: 'string', contentEncoding: 'base64' }, plan: { as: 'buffer' } }],
  ['URL', { schema: { type: 'string', format: 'uri' }, plan: { as: 'url' } }],
])

export function knownType(reader: TypeReader, type: ts.Type, use: Use): Described | undefined {
  const name = ambientName(type)
  if (name === undefined) return undefined
  const leaf = LEAVES.get(name)
  if (leaf !== undefined) return leaf
  if (!isReference(type)) return undefined
  const [first, second] = reader.checker.getTypeArguments(type)
  if ((name === 'Set' || name === 'ReadonlySet') && first !== undefined) {
    const items = reader.read(first, { node: use.node, path: `${use.path}[]` })
    return {
      schema: { type: 'array', uniqueItems: true, items: items.schema },
      plan: { as: 'set', ...(items.plan === undefined ? {} : { items: items.plan }) },
    }
  }
  if ((name === 'Map' || name === 'ReadonlyMap') && first !== undefined && second !== undefined) return mapOf(reader, first, second, use)
  return undefined
}

function mapOf(reader: TypeReader, key: ts.Type, value: ts.Type, use: Use): Described {
  const values = reader.read(value, { node: use.node, path: `${use.path}[]` })
  const keys = keysOf(reader, key, use)
  return {
    schema: {
      type: 'object',
      additionalProperties: values.schema,
      ...(keys.names === undefined ? {} : { propertyNames: keys.names }),
    },
    plan: { as: 'map', ...(keys.as === undefined ? {} : { keys: keys.as }), ...(values.plan === undefined ? {} : { values: values.plan }) },
  }
}

/** Digits, with a fraction or an exponent where there is one. */
export const NUMBER_NAME = '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(e[+-]?[0-9]+)?$'

function keysOf(reader: TypeReader, key: ts.Type, use: Use): { readonly names?: JsonSchema; readonly as?: 'number' | 'bigint' } {
  const { TypeFlags } = ts
  const parts = key.isUnion() ? key.types : [key]
  if (parts.every((part) => has(part, TypeFlags.StringLike))) {
    if (has(key, TypeFlags.String)) return {}
    return { names: reader.read(key, use).schema }
  }
  if (parts.every((part) => part.isNumberLiteral())) {
    return { names: { enum: parts.flatMap((part) => (part.isNumberLiteral() ? [String(part.value)] : [])) }, as: 'number' }
  }
  if (has(key, TypeFlags.Number)) return { names: { pattern: NUMBER_NAME }, as: 'number' }
  if (has(key, TypeFlags.BigInt)) return { names: { pattern: '^(0|-?[1-9][0-9]*)$', maxLength: 1000 }, as: 'bigint' }
  throw new ReflectFault(
    use.node,
    `${use.path} is a map by keys of type ${reader.checker.typeToString(key)}, which are no names in JSON`,
    'Use text or numbers as keys, or a list of pairs.',
  )
}
