import { AdjutantError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { AgentTool, CallContext } from '../contract/tool.ts'

/** What the tools a model manages its own context with are called. */
export interface MetaToolNames {
  readonly listSkills: string
  readonly loadSkill: string
  readonly searchTools: string
  readonly useTool: string
  readonly unloadTool: string
}

export const DEFAULT_META_NAMES: MetaToolNames = {
  listSkills: 'list_skills',
  loadSkill: 'load_skill',
  searchTools: 'search_tools',
  useTool: 'use_tool',
  unloadTool: 'unload_tool',
}

/** What the meta-tools do, said by the catalogue that they belong to. */
export interface MetaActions {
  listSkills(): string
  /** @param file of a skill, to read instead of its instructions */
  load(name: string, file: string | undefined, cx: CallContext): Promise<unknown>
  search(query: string, limit: number): Promise<string>
  unload(name: string): string
}

/** Hits of one search: enough to choose from, few enough to read. */
const DEFAULT_HITS = 5
const MAX_HITS = 10

/**
 * The tools by which a model finds, loads, uses and unloads tools. They are reads: they change what the model sees, not the world. `use_tool`
 * never runs itself: the catalogue turns its call into a call of the tool it names, before admission.
 */
export function metaTools(names: MetaToolNames, actions: MetaActions): readonly AgentTool[] {
  return [
    make(names.searchTools, {
      description: `Find tools for a job that none of your tools fits: say in a few words what the tool must do. Gives names and one line each; load one with ${names.loadSkill}. Not for searching files or data.`,
      properties: {
        query: { type: 'string', description: 'What the tool must do, e.g. "open an issue on github".', minLength: 1, maxLength: 2_000 },
        limit: { type: 'integer', description: `How many to give, ${DEFAULT_HITS} unless told.`, minimum: 1, maximum: MAX_HITS },
      },
      required: ['query'],
      execute: (input) => actions.search(text(input, 'query'), typeof input.limit === 'number' ? input.limit : DEFAULT_HITS),
    }),
    make(names.listSkills, {
      description: `List the skills there are, one line each. A skill is a set of instructions for a kind of work; load one with ${names.loadSkill} before you do that work.`,
      properties: {},
      required: [],
      execute: async () => actions.listSkills(),
    }),
    make(names.loadSkill, {
      description: `Load a skill or a tool by its exact name. A skill's instructions come back at once; a tool is among your tools from your next answer on.`,
      properties: {
        name: { type: 'string', description: `As ${names.searchTools} or ${names.listSkills} gave it.`, minLength: 1 },
        file: { type: 'string', description: 'A file of the skill to read, as its instructions list it.', minLength: 1 },
      },
      required: ['name'],
      execute: (input, cx) => actions.load(text(input, 'name'), typeof input.file === 'string' ? input.file : undefined, cx),
    }),
    make(names.useTool, {
      description: `Call a tool that is not among your tools, by its exact name. Its arguments are checked as in a direct call.`,
      properties: {
        name: { type: 'string', description: `As ${names.searchTools} gave it.`, minLength: 1 },
        params: { type: 'object', description: 'The arguments of that tool.' },
      },
      required: ['name'],
      execute: async () => {
        throw new AdjutantError('INTERNAL', `${names.useTool} was run itself; it stands for the tool that it names`, { outcome: 'not-run' })
      },
    }),
    make(names.unloadTool, {
      description: `Take a loaded tool out of your tools when you need it no more, to make room.`,
      properties: { name: { type: 'string', minLength: 1 } },
      required: ['name'],
      execute: async (input) => actions.unload(text(input, 'name')),
    }),
  ]
}

interface MetaSpec {
  readonly description: string
  readonly properties: JsonObject
  readonly required: readonly string[]
  readonly execute: (input: JsonObject, cx: CallContext) => Promise<unknown>
}

function make(name: string, spec: MetaSpec): AgentTool {
  return Object.freeze<AgentTool>({
    name,
    description: spec.description,
    inputSchema: { type: 'object', properties: spec.properties, required: spec.required, additionalProperties: false },
    origin: Object.freeze({ kind: 'built-in', from: 'catalog' }),
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    repeatable: false,
    execute: spec.execute,
  })
}

function text(input: JsonObject, key: string): string {
  const value = input[key]
  if (typeof value !== 'string') throw new AdjutantError('INVALID_ARGUMENTS', `${key} must be a text`)
  return value
}
