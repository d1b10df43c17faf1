/** Reads a table of cases for `adjutant policy test`: calls, and what should become of each. Every fault is said with its place. */
import { AdjutantError, APPROVAL_MODES, nearestNames } from '@adjutant/core'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type ConfigDocument, type Path, readConfigDocument } from '../config/config-document.ts'
import type { DescribedCall } from './policy-open.ts'

export interface PolicyCase extends DescribedCall {
  readonly name?: string
  readonly expect: 'allow' | 'ask' | 'deny'
  /** The rule that must decide, `tier/id`. */
  readonly rule?: string
  /** Whether the tool must be seen. */
  readonly visible?: boolean
}

export interface PolicyCases {
  readonly cases: readonly PolicyCase[]
  /** `file:line:column` of a case. */
  place(index: number): string
}

const TEXTS = { type: 'array', items: { type: 'string' } }
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['cases'],
  properties: {
    cases: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['tool', 'expect'],
        properties: {
          name: { type: 'string' },
          tool: { type: 'string', minLength: 1 },
          effect: { enum: ['read', 'write', 'dangerous'] },
          input: { type: 'object' },
          roles: TEXTS,
          user: { type: 'string' },
          tenant: { type: 'string' },
          attributes: { type: 'object' },
          mode: { enum: APPROVAL_MODES },
          untrusted: TEXTS,
          tags: TEXTS,
          origin: {
            type: 'object',
            additionalProperties: false,
            required: ['kind', 'from'],
            properties: { kind: { enum: ['function', 'module', 'mcp', 'skill', 'built-in'] }, from: { type: 'string' } },
          },
          expect: { enum: ['allow', 'ask', 'deny'] },
          rule: { type: 'string' },
          visible: { type: 'boolean' },
        },
      },
    },
  },
} as const

let compiled: ValidateFunction<{ readonly cases: readonly PolicyCase[] }> | undefined

/** @throws AdjutantError CONFIG_INVALID with `file:line:column` */
export async function readPolicyCases(file: string): Promise<PolicyCases> {
  const document = await readConfigDocument(file)
  compiled ??= new Ajv2020({ allErrors: true, verbose: true }).compile(SCHEMA)
  const value = document.value()
  if (compiled(value)) return { cases: value.cases, place: (index) => document.place(['cases', index]) }
  const said = (compiled.errors ?? []).slice(0, 10).map((error) => {
    const path = error.instancePath.split('/').slice(1).map(stepOf)
    const name = path.length === 0 ? 'the file' : path.join('.')
    if (error.keyword === 'additionalProperties')
      return unknownKey(document, path, name, String(error.params.additionalProperty), error.parentSchema)
    const wanted: unknown = error.keyword === 'enum' ? error.params.allowedValues : undefined
    const choice = Array.isArray(wanted) ? ` must be one of ${wanted.join(', ')}` : ` ${error.message ?? 'is wrong'}`
    return `${document.place(path)}: ${name}${choice}`
  })
  throw new AdjutantError('CONFIG_INVALID', said.join('; '), { hint: 'See adjutant policy test --help for the form of a case.' })
}

function stepOf(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function unknownKey(document: ConfigDocument, path: Path, name: string, key: string, schema: unknown): string {
  const known: unknown = typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : undefined
  const near = nearestNames(key, typeof known === 'object' && known !== null ? Object.keys(known) : [], 1)
  return `${document.place([...path, key], { key: true })}: ${name} has no key ${JSON.stringify(key)}${near.length === 0 ? '' : `; did you mean ${near[0]}?`}`
}
