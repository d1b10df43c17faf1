import {
  AdjutantError,
  type AgentTool,
  type CallContext,
  type ContentPart,
  type Effect,
  type Execution,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type Origin,
  type Progress,
  type ResourceClaim,
} from '../../contract/index.ts'
import { findSchemaFault, findToolFault } from '../check-tool.ts'
import { isStandardSchema, jsonSchemaOf, validated } from './standard-schema.ts'

/**
 * Owns the way from a description of a tool that may be anything (a module's exports, a typed spec) to a tool that the registry
 * takes. Everything is checked here, once; what a tool's own functions give back is checked at each call, as it decides what is
 * asked of a person.
 */

const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'input',
  'inputSchema',
  'output',
  'outputSchema',
  'effect',
  'permission',
  'repeatable',
  'limits',
  'tier',
  'lifetime',
  'resources',
  'tags',
  'volatile',
  'untrusted',
  'remember',
  'marks',
  'endSession',
  'background',
  'reconcile',
  'check',
  'execute',
  'format',
  'origin',
])

/** Permission levels by the names that metadata of modules uses. */
const PERMISSIONS: ReadonlyMap<unknown, Effect> = new Map<unknown, Effect>([
  ['read_only', 'read'],
  ['read-only', 'read'],
  ['read', 'read'],
  ['write', 'write'],
  ['dangerous', 'dangerous'],
])

type AnyFunction = (...values: readonly unknown[]) => unknown

/** @throws AdjutantError TOOL_INVALID naming the tool, the member and what to do */
export function makeTool(spec: unknown, origin: Origin): AgentTool {
  if (!isRecord(spec)) throw new AdjutantError('TOOL_INVALID', `${origin.from}: a tool is described by an object, not by ${typeof spec}`)
  const name = typeof spec.name === 'string' ? spec.name : ''
  const place = name === '' ? `${origin.from}: a tool` : `${origin.from}: tool ${JSON.stringify(name)}`
  for (const member of Object.keys(spec)) {
    if (!MEMBERS.has(member)) refuse(place, `${member} is unknown`, `Use: ${[...MEMBERS].join(', ')}.`)
  }
  const input = readSchema(spec.input, spec.inputSchema, 'input', name, place)
  if (input === undefined) refuse(place, 'input is missing', 'Give a JSON Schema, or a schema of a library that follows Standard Schema.')
  const output = readSchema(spec.output, spec.outputSchema, 'output', name, place)
  const run = functionOf(spec, 'execute', place)
  if (run === undefined) refuse(place, 'execute is missing', 'Give a function execute(input, cx).')
  const check = functionOf(spec, 'check', place)
  const format = functionOf(spec, 'format', place)
  const resources = functionOf(spec, 'resources', place)
  const reconcile = functionOf(spec, 'reconcile', place)
  /** What the tool's own functions get: as it came, or as the schema library makes it. */
  const inputOf = (raw: JsonObject): unknown => (isStandardSchema(spec.input) ? validated(spec.input, raw, name) : raw)
  const checked = check !== undefined || isStandardSchema(spec.input)

  const tool = {
    name: spec.name,
    description: spec.description,
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
    origin: spec.origin ?? origin,
    tier: spec.tier ?? 'core',
    lifetime: spec.lifetime ?? 'session',
    effect: effectOf(spec, place),
    ...(resources === undefined ? {} : { resources: (raw: JsonObject) => claimsOf(resources(raw), name) }),
    ...(spec.repeatable === undefined ? {} : { repeatable: spec.repeatable }),
    ...(spec.limits === undefined ? {} : { limits: limitsOf(spec.limits) }),
    ...(checked
      ? {
          async check(raw: JsonObject, cx: CallContext): Promise<void> {
            const value = await inputOf(raw)
            await check?.call(spec, value, cx)
          },
        }
      : {}),
    ...(reconcile === undefined
      ? {}
      : {
          async reconcile(raw: JsonObject, cx: CallContext): Promise<'ran' | 'not-run' | 'unknown'> {
            return answerOf(await reconcile.call(spec, await inputOf(raw), cx), name)
          },
        }),
    ...asGiven(spec),
    execute: (raw: JsonObject, cx: CallContext) => start(run, spec, inputOf, raw, cx),
    ...(format === undefined ? {} : { format: (value: unknown, raw: JsonObject) => partsOf(format.call(spec, value, raw), name) }),
  }
  const fault = findToolFault(tool)
  if (fault !== undefined) refuse(place, fault.message, fault.hint)
  assertAgentTool(tool)
  return Object.freeze(tool)
}

function refuse(place: string, message: string, hint: string): never {
  throw new AdjutantError('TOOL_INVALID', `${place}: ${message}`, { hint })
}

function assertAgentTool(value: unknown): asserts value is AgentTool {
  const fault = findToolFault(value)
  if (fault !== undefined) throw new AdjutantError('TOOL_INVALID', fault.message, { hint: fault.hint })
}

function readSchema(given: unknown, beside: unknown, side: 'input' | 'output', name: string, place: string): JsonSchema | undefined {
  if (beside !== undefined) {
    if (!isSchema(beside)) refuse(place, `${side}Schema is ${typeof beside}`, 'Give a JSON Schema.')
    return beside
  }
  if (given === undefined) return undefined
  if (isStandardSchema(given)) return jsonSchemaOf(given, side, JSON.stringify(name))
  if (!isSchema(given)) {
    refuse(
      place,
      `${side} is ${Array.isArray(given) ? 'a list' : given === null ? 'null' : typeof given}`,
      'Give a JSON Schema or a Standard Schema.',
    )
  }
  const fault = side === 'input' ? findSchemaFault(given, 'input') : undefined
  if (fault !== undefined) refuse(place, fault.message, fault.hint)
  return given
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

/** Unmarked tools count as writing: they run alone, and a person may be asked. */
function effectOf(spec: Readonly<Record<string, unknown>>, place: string): unknown {
  const { effect, permission } = spec
  if (typeof effect === 'function') {
    if (permission !== undefined) refuse(place, 'effect and permission are both given', 'Keep one of them.')
    const classify = functionOf(spec, 'effect', place)
    return (raw: JsonObject): Effect => {
      const said = classify?.call(spec, raw)
      const known = PERMISSIONS.get(said)
      if (known === undefined) throw new AdjutantError('TOOL_INVALID', `${place}: effect() gave ${JSON.stringify(said) ?? 'nothing'}`)
      return known
    }
  }
  const said = effect ?? permission
  if (said === undefined) return 'write'
  const known = PERMISSIONS.get(said)
  if (known === undefined) {
    refuse(place, `${effect === undefined ? 'permission' : 'effect'} is ${JSON.stringify(said)}`, "Give 'read', 'write' or 'dangerous'.")
  }
  if (effect !== undefined && permission !== undefined && PERMISSIONS.get(permission) !== known) {
    refuse(place, 'effect and permission contradict each other', 'Keep one of them.')
  }
  return known
}

function limitsOf(limits: unknown): unknown {
  return isRecord(limits) ? Object.freeze({ ...limits }) : limits
}

/** Members that are taken as they are; their form is checked with the rest. */
const AS_GIVEN = ['tags', 'volatile', 'untrusted', 'remember', 'marks', 'endSession', 'background'] as const

function asGiven(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(AS_GIVEN.filter((member) => spec[member] !== undefined).map((member) => [member, spec[member]]))
}

/** A tool's function may be async, a generator of progress, or plain; its input may have to be waited for. */
function start(run: AnyFunction, self: unknown, inputOf: (raw: JsonObject) => unknown, raw: JsonObject, cx: CallContext): Execution {
  try {
    const value = inputOf(raw)
    return value instanceof Promise ? later(run, self, value, cx) : executionOf(run.call(self, value, cx))
  } catch (error) {
    return Promise.reject(error)
  }
}

async function* later(run: AnyFunction, self: unknown, value: Promise<unknown>, cx: CallContext): AsyncGenerator<Progress, unknown, void> {
  const execution = executionOf(run.call(self, await value, cx))
  return isGenerator(execution) ? yield* execution : await execution
}

function executionOf(result: unknown): Execution {
  return isGenerator(result) ? result : Promise.resolve(result)
}

function isGenerator(value: unknown): value is AsyncGenerator<Progress, unknown, void> {
  return isRecord(value) && Symbol.asyncIterator in value && typeof value.next === 'function' && typeof value.return === 'function'
}

function answerOf(answer: unknown, name: string): 'ran' | 'not-run' | 'unknown' {
  if (answer === 'ran' || answer === 'not-run' || answer === 'unknown') return answer
  throw new AdjutantError('TOOL_INVALID', `${name}: reconcile() must give 'ran', 'not-run' or 'unknown'`)
}

function claimsOf(claims: unknown, name: string): readonly ResourceClaim[] {
  if (isClaims(claims)) return claims
  throw new AdjutantError('TOOL_INVALID', `${name}: resources() must give a list of { key, mode: 'read' | 'write' }`)
}

function isClaims(value: unknown): value is readonly ResourceClaim[] {
  return (
    Array.isArray(value) &&
    value.every((claim) => isRecord(claim) && typeof claim.key === 'string' && (claim.mode === 'read' || claim.mode === 'write'))
  )
}

function partsOf(formatted: unknown, name: string): string | readonly ContentPart[] {
  if (typeof formatted === 'string' || isParts(formatted)) return formatted
  throw new AdjutantError('TOOL_INVALID', `${name}: format() must give a text or a list of content parts`)
}

function isParts(value: unknown): value is readonly ContentPart[] {
  return Array.isArray(value) && value.every(isPart)
}

function isPart(part: unknown): part is ContentPart {
  if (!isRecord(part)) return false
  if (part.type === 'text') return typeof part.text === 'string'
  if (part.type === 'image' || part.type === 'audio') return typeof part.data === 'string' && typeof part.mimeType === 'string'
  return part.type === 'resource' && typeof part.uri === 'string'
}

function functionOf(spec: Readonly<Record<string, unknown>>, member: string, place: string): AnyFunction | undefined {
  const value = spec[member]
  if (value === undefined) return undefined
  if (isFunction(value)) return value
  refuse(place, `${member} is ${value === null ? 'null' : typeof value}`, `Give a function, or leave ${member} out.`)
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
