import { AdjutantError, type AgentTool, type Origin } from '../../contract/index.ts'
import { isAgentTool } from '../check-tool.ts'
import { makeTool } from './make-tool.ts'

/**
 * Owns what a module may export to be a tool: plain names, no base class. Either finished tools (of `defineTool`, or objects of
 * that shape; several, also in lists), or metadata beside an `execute`.
 *
 * Metadata members by other usual names are taken too: `parameters` for `input`, `returns` for `output`, `timeout` for
 * `limits.timeoutMs`, `handler` for `execute`, `permission` for `effect`.
 */

const METADATA = ['metadata', 'tool', 'meta'] as const
const FUNCTIONS = ['execute', 'check', 'format', 'effect', 'resources', 'marks', 'endSession', 'reconcile'] as const
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['parameters', 'input'],
  ['returns', 'output'],
  ['handler', 'execute'],
])

/**
 * The tools of one module, each with the module as its origin.
 * @param exported the module's namespace object
 * @throws AdjutantError TOOL_INVALID saying what is missing
 */
export function toolsOfModule(exported: object, file: string): readonly AgentTool[] {
  const members = membersOf(exported)
  const origin: Origin = Object.freeze({ kind: 'module', from: file })
  const finished = finishedTools(members.values())
  if (finished.length > 0) return finished.map((tool) => (tool.origin.kind === 'function' ? Object.freeze({ ...tool, origin }) : tool))
  return [toolOfMetadata(members, file, origin)]
}

/** Of a CommonJS module Node gives `module.exports` as default, and only some of its members by name. */
function membersOf(exported: object): Map<string, unknown> {
  const members = new Map<string, unknown>(Object.entries(exported))
  if (!members.delete('module.exports')) return members
  const whole = members.get('default')
  if (!isRecord(whole)) return members
  return looksLikeMetadata(whole) ? new Map<string, unknown>([['default', whole]]) : new Map<string, unknown>(Object.entries(whole))
}

function looksLikeMetadata(value: Readonly<Record<string, unknown>>): boolean {
  return ['name', 'description', 'input', 'parameters'].some((name) => Object.hasOwn(value, name))
}

function finishedTools(values: Iterable<unknown>): readonly AgentTool[] {
  const found = new Set<AgentTool>()
  for (const value of values) {
    // The same tool under two names (and as default) is one tool.
    for (const one of Array.isArray(value) ? value : [value]) if (isAgentTool(one)) found.add(one)
  }
  return [...found]
}

function toolOfMetadata(members: ReadonlyMap<string, unknown>, file: string, origin: Origin): AgentTool {
  // `export default { name, …, execute }` is metadata and function in one.
  const whole = members.get('default')
  const named = METADATA.map((name) => members.get(name)).find((value) => value !== undefined)
  const metadata = named ?? (isRecord(whole) && looksLikeMetadata(whole) ? whole : undefined)
  if (!isRecord(metadata)) {
    const has = [...members.keys()]
    throw new AdjutantError(
      'TOOL_INVALID',
      `${file}: exports no tool (${has.length === 0 ? 'it exports nothing' : `it exports ${has.slice(0, 10).join(', ')}`})`,
      {
        hint: 'Export a tool made with defineTool, or `metadata` with name, description, parameters, and a function `execute`. A file that is no tool may begin with _.',
      },
    )
  }
  const spec = specOf(metadata, file)
  for (const name of FUNCTIONS) {
    const value = members.get(name)
    if (value === undefined) continue
    if (spec.has(name))
      throw new AdjutantError('TOOL_INVALID', `${file}: ${name} is exported and is also in the metadata`, { hint: 'Keep one of them.' })
    spec.set(name, value)
  }
  return makeTool(Object.fromEntries(spec), origin)
}

function specOf(metadata: Readonly<Record<string, unknown>>, file: string): Map<string, unknown> {
  const spec = new Map<string, unknown>()
  const put = (name: string, value: unknown, written: string): void => {
    if (spec.has(name))
      throw new AdjutantError('TOOL_INVALID', `${file}: ${written} and ${name} say the same`, { hint: 'Keep one of them.' })
    spec.set(name, value)
  }
  for (const [name, value] of Object.entries(metadata)) {
    if (value === undefined) continue
    if (name === 'timeout' || name === 'timeoutMs') {
      const limits = metadata.limits
      if (isRecord(limits) && limits.timeoutMs !== undefined) {
        throw new AdjutantError('TOOL_INVALID', `${file}: ${name} and limits.timeoutMs say the same`, { hint: 'Keep one of them.' })
      }
      spec.set('limits', { ...(isRecord(limits) ? limits : {}), timeoutMs: value })
    } else if (name === 'limits') {
      if (!spec.has('limits')) spec.set('limits', value)
    } else if (name === 'returns' && typeof value === 'string') put('output', { description: value }, name)
    else put(OTHER_NAMES.get(name) ?? name, value, name)
  }
  return spec
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
