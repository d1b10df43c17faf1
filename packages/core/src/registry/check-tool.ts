import { type AgentTool, isJsonObject } from '../contract/index.ts'
import { findLimitsFault } from './check-limits.ts'

/** Names that every provider takes as they are, save that some want a letter first (see naming.ts). */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

export interface ToolFault {
  readonly message: string
  readonly hint: string
}

const EFFECTS: ReadonlySet<unknown> = new Set(['read', 'write', 'dangerous'])
const TIERS: ReadonlySet<unknown> = new Set(['core', 'extended'])
const LIFETIMES: ReadonlySet<unknown> = new Set(['turn', 'task', 'session'])
const ORIGINS: ReadonlySet<unknown> = new Set(['function', 'module', 'mcp', 'skill', 'built-in'])
const OPTIONAL_FUNCTIONS = ['resources', 'check', 'format', 'marks', 'endSession', 'reconcile'] as const

/**
 * Owns the form of a tool: cheap look at each member, nothing compiled and no schema walked, so that ten thousand tools start
 * in milliseconds. What a schema says is checked when the tool is called first.
 *
 * Gives the first fault, or undefined for a fit tool. Never throws, whatever the value is (a getter may).
 */
export function findToolFault(value: unknown): ToolFault | undefined {
  try {
    return look(value)
  } catch (error) {
    return { message: `could not be read: ${error instanceof Error ? error.message : String(error)}`, hint: 'Give a plain object.' }
  }
}

/** True for a value that the registry takes. */
export function isAgentTool(value: unknown): value is AgentTool {
  return findToolFault(value) === undefined
}

/** The name for messages, where the value has one that can be read. */
export function nameOfTool(value: unknown): string | undefined {
  try {
    return isJsonObject(value) && typeof value.name === 'string' ? value.name : undefined
  } catch {
    return undefined
  }
}

function look(tool: unknown): ToolFault | undefined {
  if (!isRecord(tool))
    return { message: `is ${kindOf(tool)}, not a tool`, hint: 'Give an object with name, description, inputSchema, execute.' }
  if (typeof tool.name !== 'string') return { message: `name is ${kindOf(tool.name)}`, hint: 'Give the tool a name.' }
  if (!TOOL_NAME.test(tool.name)) {
    return {
      message: `name ${JSON.stringify(tool.name.slice(0, 100))} is not legal`,
      hint: 'Use 1 to 64 of: letters A-Z a-z, digits, _ and -.',
    }
  }
  if (typeof tool.description !== 'string') {
    return { message: `description is ${kindOf(tool.description)}`, hint: 'Say in a string what the tool is for and what not.' }
  }
  const schema = findSchemaFault(tool.inputSchema, 'inputSchema') ?? findOutputFault(tool.outputSchema)
  if (schema !== undefined) return schema
  if (typeof tool.execute !== 'function')
    return { message: `execute is ${kindOf(tool.execute)}`, hint: 'Give a function execute(input, cx).' }
  if (!isRecord(tool.origin) || !ORIGINS.has(tool.origin.kind) || typeof tool.origin.from !== 'string') {
    return { message: 'origin does not say where the tool comes from', hint: "Give origin: { kind: 'function', from: 'file or place' }." }
  }
  if (typeof tool.effect !== 'function' && !EFFECTS.has(tool.effect)) {
    return { message: `effect is ${shown(tool.effect)}`, hint: "Give 'read', 'write', 'dangerous', or a function of the input." }
  }
  if (!TIERS.has(tool.tier)) return { message: `tier is ${shown(tool.tier)}`, hint: "Give 'core' or 'extended'." }
  if (!LIFETIMES.has(tool.lifetime)) return { message: `lifetime is ${shown(tool.lifetime)}`, hint: "Give 'turn', 'task' or 'session'." }
  for (const member of OPTIONAL_FUNCTIONS) {
    if (tool[member] !== undefined && typeof tool[member] !== 'function') {
      return { message: `${member} is ${kindOf(tool[member])}`, hint: `Give a function, or leave ${member} out.` }
    }
  }
  return findMemberFault(tool) ?? findLimitsFault(tool.limits)
}

/** Looks at the root of an input schema only: it must let an object through. */
export function findSchemaFault(schema: unknown, place: string): ToolFault | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isRecord(schema)) return { message: `${place} is ${kindOf(schema)}`, hint: 'Give a JSON Schema: an object, or true or false.' }
  const type = Object.hasOwn(schema, 'type') ? schema.type : undefined
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return undefined
  return {
    message: `${place} describes ${typeof type === 'string' ? `type ${shown(type)}` : `a type that is ${kindOf(type)}`}, but arguments are always an object`,
    hint: 'Make the root type "object" and put the value into a property.',
  }
}

function findOutputFault(schema: unknown): ToolFault | undefined {
  if (schema === undefined || typeof schema === 'boolean' || isRecord(schema)) return undefined
  return { message: `outputSchema is ${kindOf(schema)}`, hint: 'Give a JSON Schema, or leave it out.' }
}

/** Members that are lists of texts where they are given. */
const OPTIONAL_LISTS = ['tags', 'allows', 'volatile'] as const

const OPTIONAL_FLAGS = ['repeatable', 'untrusted', 'background'] as const

function findMemberFault(tool: Readonly<Record<string, unknown>>): ToolFault | undefined {
  for (const member of OPTIONAL_LISTS) {
    const list = tool[member]
    if (list !== undefined && !(Array.isArray(list) && list.every((entry) => typeof entry === 'string'))) {
      return { message: `${member} is ${kindOf(list)}`, hint: `Give a list of texts, or leave ${member} out.` }
    }
  }
  for (const member of OPTIONAL_FLAGS) {
    if (tool[member] !== undefined && typeof tool[member] !== 'boolean') {
      return { message: `${member} is ${shown(tool[member])}`, hint: 'Give true or false, or leave it out.' }
    }
  }
  const { remember } = tool
  if (remember === undefined) return undefined
  const hint = 'Give { version?(input, cx), reused?(input, cx, version) }, or leave it out.'
  if (!isRecord(remember)) return { message: `remember is ${kindOf(remember)}`, hint }
  for (const member of ['version', 'reused'] as const) {
    if (remember[member] !== undefined && typeof remember[member] !== 'function')
      return { message: `remember.${member} is ${kindOf(remember[member])}`, hint }
  }
  return undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return `of type ${typeof value}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : typeof value === 'number' ? String(value) : kindOf(value)
}
