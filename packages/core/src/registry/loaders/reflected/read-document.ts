import { AdjutantError, isJsonObject } from '../../../contract/index.ts'
import type { ConversionPlan, PlanTest } from './conversion-plan.ts'
import { type ArgumentSource, REFLECTED_FORMAT, REFLECTED_VERSION, type ReflectedDocument, type ReflectedTool } from './document.ts'

/**
 * Owns the question whether a value is a document of reflected tools. Each member is looked at once; schemas are left to
 * admission, which compiles them when a tool is called first. A file that was made by a newer version is refused with that reason.
 *
 * @throws AdjutantError TOOL_INVALID naming the member
 */
export function readReflectedDocument(value: unknown, place: string): ReflectedDocument {
  if (!isRecord(value) || value.format !== REFLECTED_FORMAT) {
    refuse(place, `is no file of tools: "format" is not "${REFLECTED_FORMAT}"`, 'Name a file that `adjutant tools build` wrote.')
  }
  if (value.version !== REFLECTED_VERSION) {
    refuse(place, `has version ${shown(value.version)}, and ${REFLECTED_VERSION} is what can be read`, 'Build it anew with this version.')
  }
  const { tools } = value
  if (!Array.isArray(tools)) refuse(place, 'tools is not a list', REBUILD)
  const read = tools.map((tool: unknown, at) => {
    const fault = faultOf(tool)
    if (fault !== undefined || !isTool(tool)) refuse(place, `tools[${at}]${fault ?? ' is wrong'}`, REBUILD)
    return tool
  })
  return {
    format: REFLECTED_FORMAT,
    version: REFLECTED_VERSION,
    compiler: typeof value.compiler === 'string' ? value.compiler : '',
    tools: read,
  }
}

const REBUILD = 'Build it anew with `adjutant tools build`; it is not meant to be edited.'
/** Deeper than any type that is reflected. */
const MAX_PLAN_DEPTH = 200

function refuse(place: string, message: string, hint: string): never {
  throw new AdjutantError('TOOL_INVALID', `${place} ${message}`, { hint })
}

function isTool(tool: unknown): tool is ReflectedTool {
  return faultOf(tool) === undefined
}

/** Says what is wrong; what makeTool checks again for every tool (name, effect, tier, limits) is left to it. */
function faultOf(tool: unknown): string | undefined {
  if (!isRecord(tool)) return ' is no object'
  for (const name of ['name', 'description', 'module', 'export'] as const) {
    if (typeof tool[name] !== 'string') return `.${name} is not a text`
  }
  if (!isSchema(tool.inputSchema)) return '.inputSchema is no schema'
  if (tool.outputSchema !== undefined && !isSchema(tool.outputSchema)) return '.outputSchema is no schema'
  if (!Array.isArray(tool.call) || !tool.call.every(isSource)) return '.call is no list of arguments'
  if (tool.convert !== undefined && !isPlan(tool.convert, 0)) return '.convert is no conversion'
  if (tool.definitions !== undefined && !(isRecord(tool.definitions) && Object.values(tool.definitions).every((plan) => isPlan(plan, 0)))) {
    return '.definitions holds what is no conversion'
  }
  if (tool.effect !== 'read' && tool.effect !== 'write' && tool.effect !== 'dangerous') return '.effect is none of read, write, dangerous'
  return undefined
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isJsonObject(value)
}

function isSource(value: unknown): value is ArgumentSource {
  if (!isRecord(value)) return false
  if (value.from === 'whole' || value.from === 'context' || value.from === 'signal') return true
  return value.from === 'argument' && typeof value.name === 'string' && (value.spread === undefined || typeof value.spread === 'boolean')
}

const LEAVES: ReadonlySet<unknown> = new Set(['date', 'bigint', 'bytes', 'buffer', 'url'])

function isPlan(value: unknown, depth: number): value is ConversionPlan {
  if (!isRecord(value) || depth > MAX_PLAN_DEPTH) return false
  const inner = (plan: unknown): boolean => plan === undefined || isPlan(plan, depth + 1)
  switch (value.as) {
    case 'set':
      return inner(value.items)
    case 'map':
      return (value.keys === undefined || value.keys === 'number' || value.keys === 'bigint') && inner(value.values)
    case 'list':
      return (
        (value.first === undefined || (Array.isArray(value.first) && value.first.every((one) => one === null || inner(one)))) &&
        inner(value.items)
      )
    case 'object':
      return (
        (value.properties === undefined || (isRecord(value.properties) && Object.values(value.properties).every(inner))) &&
        inner(value.others)
      )
    case 'choice':
      return (
        Array.isArray(value.branches) &&
        value.branches.every(
          (branch: unknown) => isRecord(branch) && isTest(branch.when) && (branch.plan === null || isPlan(branch.plan, depth + 1)),
        )
      )
    case 'defined':
      return typeof value.name === 'string'
    default:
      return LEAVES.has(value.as)
  }
}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'boolean', 'null', 'array', 'object'])

function isTest(value: unknown): value is PlanTest {
  return (
    isRecord(value) &&
    TYPES.has(value.type) &&
    (value.form === undefined || value.form === 'date' || value.form === 'digits') &&
    [value.equals, value.required, value.known].every((names) => names === undefined || isTexts(names)) &&
    (value.values === undefined || (isRecord(value.values) && Object.values(value.values).every(Array.isArray)))
  )
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'none').slice(0, 40)
}
