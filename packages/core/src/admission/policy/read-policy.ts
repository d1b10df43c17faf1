import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { AdjutantError } from '../../contract/errors.ts'
import type { PolicyEffect, PolicyTier } from '../../contract/policy.ts'
import { nearestNames } from '../nearest-names.ts'
import { ruleProblems } from './check-rule.ts'
import type { PolicyDocument, PolicyRule } from './policy-document.ts'
import { POLICY_SCHEMA } from './policy-schema.ts'
import { invalidPolicy, type PolicySource, readPolicySource, type SourcePath } from './policy-source.ts'

/**
 * Owns reading a policy document from text. Every fault is said with its line and column, all of them at once; a document with a fault is
 * not read at all: half a policy is another policy.
 */

export interface ReadPolicyOptions {
  /** For messages. Default `policy`. */
  readonly file?: string
  /** The tier of the place that the text came from. Default: what the document says, else `user`. */
  readonly tier?: PolicyTier
}

interface WrittenPolicy {
  readonly version: 1
  readonly tier?: PolicyTier
  readonly default?: PolicyEffect
  readonly rules: readonly PolicyRule[]
}

/**
 * @param text YAML or JSON
 * @throws AdjutantError CONFIG_INVALID with `file:line:column` of each fault
 * @example
 * ```ts
 * readPolicyDocument('version: 1\nrules: []\n', { file: 'policy.yaml', tier: 'user' }).rules.length // 0
 * ```
 */
export function readPolicyDocument(text: string, options: ReadPolicyOptions = {}): PolicyDocument {
  const source = readPolicySource(text, options.file ?? 'policy')
  const written = checked(source)
  const faults: Fault[] = []
  if (options.tier !== undefined && written.tier !== undefined && written.tier !== options.tier) {
    faults.push({ place: source.place(['tier']), message: `tier is ${written.tier}, and this is the place of the tier ${options.tier}` })
  }
  const ids = new Set<string>()
  for (const [index, rule] of written.rules.entries()) {
    const at: SourcePath = ['rules', index]
    if (ids.has(rule.id)) faults.push({ place: source.place([...at, 'id']), message: `the id ${JSON.stringify(rule.id)} is there already` })
    ids.add(rule.id)
    for (const { path, message, key } of ruleProblems(rule, at)) {
      faults.push({ place: source.place(path, key === true ? 'key' : 'value'), message })
    }
  }
  if (faults.length > 0) throw refusal(faults)
  return {
    tier: options.tier ?? written.tier ?? 'user',
    ...(options.file === undefined ? {} : { file: options.file }),
    ...(written.default === undefined ? {} : { default: written.default }),
    rules: written.rules,
  }
}

interface Fault {
  readonly place: string
  readonly message: string
}

let compiled: ValidateFunction<WrittenPolicy> | undefined

function checked(source: PolicySource): WrittenPolicy {
  compiled ??= new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
  }).compile<WrittenPolicy>(POLICY_SCHEMA)
  const { value } = source
  if (compiled(value)) return value
  throw refusal((compiled.errors ?? []).map((error) => faultOf(error, source)))
}

const MAX_SAID = 10

function refusal(faults: readonly Fault[]): AdjutantError {
  // One place may break several keywords: the first says enough.
  const byPlace = [...new Map(faults.toReversed().map((fault) => [fault.place, fault])).values()].toSorted((a, b) => inFile(a) - inFile(b))
  const said = byPlace.slice(0, MAX_SAID).map(({ place, message }) => `${place}: ${message}`)
  if (byPlace.length > MAX_SAID) said.push(`and ${byPlace.length - MAX_SAID} more`)
  return new AdjutantError('CONFIG_INVALID', said.join('; '), {
    hint: 'Correct it there; all keys are described in docs/guides/policy.md and policy.schema.json.',
  })
}

function inFile({ place }: Fault): number {
  const [, line = '0', column = '0'] = /:(\d+):(\d+)$/.exec(place) ?? []
  return Number(line) * 1e6 + Number(column)
}

function faultOf(error: ErrorObject, source: PolicySource): Fault {
  const path = pathOf(error.instancePath, source.value)
  const name = path.length === 0 ? 'the policy' : path.join('.')
  const here = source.place(path)
  const schema: unknown = error.parentSchema
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params.additionalProperty)
      const near = nearestNames(key, Object.keys(memberOf(schema, 'properties')), 2)
      const guess = near.length === 0 ? '' : `; did you mean ${near.map((word) => JSON.stringify(word)).join(' or ')}?`
      return { place: source.place([...path, key], 'key'), message: `${name} has no key ${JSON.stringify(key)}${guess}` }
    }
    case 'required':
      return { place: here, message: `${name} needs the key ${JSON.stringify(error.params.missingProperty)}` }
    case 'type':
      return { place: here, message: `${name} must be ${wantedKind(error.params.type)}, not ${kindOf(error.data)}` }
    case 'enum':
      return { place: here, message: `${name} must be one of ${said(error.params.allowedValues)}` }
    case 'const':
      return { place: here, message: `${name} must be ${JSON.stringify(error.params.allowedValue)}` }
    case 'pattern': {
      const choices: unknown = Reflect.get(memberOf(schema, 'items'), 'enum')
      if (Array.isArray(choices)) return { place: here, message: `${name} must be one of ${said(choices)}` }
      return { place: here, message: `${name} must be up to 80 letters, digits, ".", "_" and "-", beginning with a letter or digit` }
    }
    case 'minProperties':
    case 'minItems':
    case 'minLength':
      return { place: here, message: `${name} is empty; leave the key out, or write what it should hold` }
    default:
      return { place: here, message: `${name} ${error.message ?? 'is wrong'}` }
  }
}

function memberOf(value: unknown, key: string): object {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return typeof found === 'object' && found !== null ? found : {}
}

function said(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : ''
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  null: 'null',
}

function wantedKind(type: unknown): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  return types.map((one) => KINDS[String(one)] ?? String(one)).join(' or ')
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return KINDS[typeof value] ?? typeof value
}

function pathOf(pointer: string, value: unknown): SourcePath {
  const path: (string | number)[] = []
  let here: unknown = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(here) ? Number(key) : key)
    here = typeof here === 'object' && here !== null && Object.hasOwn(here, key) ? Reflect.get(here, key) : undefined
  }
  return path
}

/** @throws AdjutantError CONFIG_INVALID naming the file, when its bytes are no text */
export function policyText(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidPolicy(file, 'is not text in UTF-8', 'Save it as UTF-8.')
  }
}
