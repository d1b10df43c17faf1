import type { ConversionPlan, JsonSchema } from '@adjutant/core'
import ts from 'typescript6'
import type { Described, TypeReader, Use } from './described.ts'
import { ReflectFault } from './place.ts'
import { isReference, isTuple } from './type-kinds.ts'

/** Owns lists and tuples, also those with optional members and a rest at the end. */
export function readList(reader: TypeReader, type: ts.Type, use: Use): Described {
  if (isTuple(type, reader.checker)) return readTuple(reader, type, use)
  const [item] = isReference(type) ? reader.checker.getTypeArguments(type) : []
  if (item === undefined) return { schema: { type: 'array' } }
  const items = reader.read(item, { node: use.node, path: `${use.path}[]` })
  return {
    schema: { type: 'array', items: items.schema },
    ...(items.plan === undefined ? {} : { plan: { as: 'list', items: items.plan } }),
  }
}

function readTuple(reader: TypeReader, type: ts.TupleTypeReference, use: Use): Described {
  const { elementFlags } = type.target
  const members = reader.checker.getTypeArguments(type)
  const first: Described[] = []
  let rest: Described | undefined
  let required = 0
  for (const [at, member] of members.entries()) {
    const flag = elementFlags[at] ?? ts.ElementFlags.Required
    const described = reader.read(member, { node: use.node, path: `${use.path}[${at}]` })
    if ((flag & ts.ElementFlags.Rest) !== 0) {
      if (at !== members.length - 1) {
        throw new ReflectFault(use.node, `${use.path} is a tuple with a rest that is not its end`, 'Put the rest last, or use an object.')
      }
      rest = described
    } else {
      first.push(described)
      if ((flag & ts.ElementFlags.Required) !== 0) required = at + 1
    }
  }
  const prefix: readonly JsonSchema[] = first.map(({ schema }) => schema)
  const plans: readonly (ConversionPlan | null)[] = first.map(({ plan }) => plan ?? null)
  return {
    schema: {
      type: 'array',
      ...(prefix.length === 0 ? {} : { prefixItems: prefix }),
      items: rest === undefined ? false : rest.schema,
      minItems: required,
      ...(rest === undefined ? { maxItems: prefix.length } : {}),
    },
    plan: { as: 'list', first: plans, ...(rest?.plan === undefined ? {} : { items: rest.plan }) },
  }
}
