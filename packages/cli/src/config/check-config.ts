/** Checks a configuration against config.schema.json and says each fault with its place and what to write instead. */
import { readFileSync } from 'node:fs'
import { AdjutantError, nearestNames } from '@adjutant/core'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { RawConfig } from './config.ts'
import type { ConfigDocument, Path } from './config-document.ts'

let compiled: ValidateFunction<RawConfig> | undefined

function validator(): ValidateFunction<RawConfig> {
  if (compiled === undefined) {
    const schema: unknown = JSON.parse(readFileSync(new URL('../../config.schema.json', import.meta.url), 'utf8'))
    if (typeof schema !== 'object' || schema === null) throw new AdjutantError('INTERNAL', 'config.schema.json is no object')
    compiled = new Ajv2020({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true }).compile<RawConfig>(schema)
  }
  return compiled
}

function pathOf(pointer: string, value: unknown): Path {
  const path: (string | number)[] = []
  let here: unknown = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replace(/~1/g, '/').replace(/~0/g, '~')
    path.push(Array.isArray(here) ? Number(key) : key)
    here = typeof here === 'object' && here !== null ? Object.entries(here).find(([name]) => name === key)?.[1] : undefined
  }
  return path
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing (null)'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}

interface Fault {
  readonly place: string
  readonly message: string
}

function faultOf(error: ErrorObject, document: ConfigDocument, value: unknown): Fault | undefined {
  const path = pathOf(error.instancePath, value)
  const name = path.length === 0 ? 'the configuration' : path.join('.')
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params.additionalProperty)
      const known: unknown = error.parentSchema?.properties
      const near = nearestNames(key, typeof known === 'object' && known !== null ? Object.keys(known) : [], 2)
      const guess = near.length === 0 ? '' : `; did you mean ${near.map((word) => JSON.stringify(word)).join(' or ')}?`
      return { place: document.place([...path, key], { key: true }), message: `${name} has no key ${JSON.stringify(key)}${guess}` }
    }
    case 'type':
      return { place: document.place(path), message: `${name} must be ${wanted(error.params.type)}, not ${kindOf(error.data)}` }
    case 'enum':
      return { place: document.place(path), message: `${name} must be one of ${allowed(error.params.allowedValues)}` }
    case 'propertyNames':
      return {
        place: document.place([...path, String(error.params.propertyName)], { key: true }),
        message: `${JSON.stringify(error.params.propertyName)} cannot be a name in ${name}`,
      }
    case 'oneOf':
      // What is wrong inside of a mapping is told by the errors of its own keys.
      return isMapping(error.data) && branches(error).some((branch) => branch === 'a mapping')
        ? undefined
        : { place: document.place(path), message: `${name} must be ${inWords(branches(error))}` }
    default:
      // The branches of a oneOf and the inside of propertyNames are told by the error above them.
      return { place: document.place(path), message: `${name} ${error.message ?? 'is wrong'}` }
  }
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What each branch of a oneOf takes. */
function branches({ schema }: ErrorObject): readonly string[] {
  if (!Array.isArray(schema)) return []
  return schema.flatMap((branch: unknown): readonly string[] => {
    const { type, const: value, items, $ref } = record(branch) ?? {}
    if (value !== undefined) return [JSON.stringify(value)]
    if (typeof $ref === 'string') return ['a mapping']
    if (type === 'boolean') return ['true', 'false']
    return type === 'array' && record(items)?.type === 'string' ? ['a list of names'] : [wanted(type)]
  })
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
}

function wanted(type: unknown): string {
  const words: Readonly<Record<string, string>> = {
    object: 'a mapping',
    array: 'a list',
    string: 'a string',
    boolean: 'true or false',
    integer: 'a whole number',
    number: 'a number',
  }
  return typeof type === 'string' ? (words[type] ?? type) : String(type)
}

function allowed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : ''
}

/** Grows from the top of the file to its end. */
function inFile(place: string): number {
  const [, line = '0', column = '0'] = /:(\d+):(\d+)$/.exec(place) ?? []
  return Number(line) * 1e6 + Number(column)
}

function isInner(error: ErrorObject): boolean {
  return error.schemaPath.includes('/oneOf/') || error.propertyName !== undefined
}

/**
 * @param lenient leaves out faults of unknown keys: a file of another host holds what that host knows
 * @throws AdjutantError CONFIG_INVALID that names every fault, each with its place
 */
export function checkConfig(document: ConfigDocument, value: unknown, lenient: boolean): RawConfig {
  const validate = validator()
  if (validate(value)) return value
  const errors = validate.errors ?? []
  // Where one of several kinds is taken, the error of all of them says so.
  const open = new Set(errors.filter(({ keyword }) => keyword === 'oneOf').map(({ instancePath }) => instancePath))
  const faults = errors
    .filter(
      (error) =>
        !isInner(error) &&
        !(error.keyword === 'type' && open.has(error.instancePath)) &&
        !(lenient && error.keyword === 'additionalProperties'),
    )
    .map((error) => faultOf(error, document, value))
    .filter((fault) => fault !== undefined)
    .sort((a, b) => inFile(a.place) - inFile(b.place))
  const [first, ...rest] = faults
  if (first === undefined) return withoutUnknown(value)
  const more = rest.slice(0, 9).map((fault) => `${fault.place}: ${fault.message}`)
  if (rest.length > 9) more.push(`and ${rest.length - 9} more`)
  throw new AdjutantError('CONFIG_INVALID', [`${first.place}: ${first.message}`, ...more].join('; '), {
    hint: 'Correct it there; all keys are described in config.schema.json.',
  })
}

/** What is left of another host's file: its servers, each with the keys known here. */
function withoutUnknown(value: unknown): RawConfig {
  const pruned = prune(value, validator().schema, validator().schema)
  const validate = validator()
  if (validate(pruned)) return pruned
  throw new AdjutantError('CONFIG_INVALID', 'the configuration holds keys that are not known and cannot be left out')
}

function prune(value: unknown, schema: unknown, root: unknown): unknown {
  const rule = resolve(schema, root)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || rule === undefined) return value
  const known = record(rule.properties)
  const others = typeof rule.additionalProperties === 'object' ? rule.additionalProperties : undefined
  const kept: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    const next = known !== undefined && Object.hasOwn(known, key) ? known[key] : others
    if (next !== undefined && next !== null) kept.push([key, prune(item, next, root)])
    else if (known === undefined && rule.additionalProperties === undefined) kept.push([key, item])
  }
  return Object.fromEntries(kept)
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined
}

function resolve(schema: unknown, root: unknown): Readonly<Record<string, unknown>> | undefined {
  const rule = record(schema)
  if (typeof rule?.$ref !== 'string') return rule
  return rule.$ref
    .split('/')
    .slice(1)
    .reduce<Readonly<Record<string, unknown>> | undefined>((here, part) => record(here?.[part]), record(root))
}
