/** `adjutant tools`: what a model can be given, and how it is told of each. Starts what the configuration names, and ends it again. */
import {
  AdjutantError,
  type AgentTool,
  isJsonObject,
  type JsonValue,
  type RegistryProblem,
  type ToolDefinition,
  type ToolSource,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiChatTools,
  toOpenAiResponsesTools,
  toolDefinitionOf,
  VisibleTools,
} from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { loadConfig } from '../config/load-config.ts'
import { openToolbox } from '../config/open-toolbox.ts'
import { personOf } from '../config/principal.ts'
import { printableLine, printableLines } from '../terminal/printable.ts'
import { notFound, writeColumns, writeProblems } from './listing.ts'
import { roleOption, type SharedOptions, sharedOptions } from './shared-options.ts'
import { addToolsBuildCommand } from './tools-build.ts'
import { addToolsLintCommand } from './tools-lint.ts'
import { addToolsSearchCommand, type OpenTools } from './tools-search.ts'

const FORMS = {
  'openai-chat': toOpenAiChatTools,
  'openai-responses': toOpenAiResponsesTools,
  anthropic: toAnthropicTools,
  gemini: toGeminiTools,
  mcp: toMcpTools,
} as const satisfies Readonly<Record<string, (definitions: readonly ToolDefinition[]) => JsonValue>>

type Form = keyof typeof FORMS

/** The tools as the person may see them. */
interface SeenToolbox {
  readonly tools: ToolSource
  readonly problems: readonly RegistryProblem[]
}

const LIST_HELP = `
Columns: name, effect, tier, where it comes from, what it is for. With --json one document: {"tools":[…],"problems":[…]}.
What could not be loaded is said on stderr, and the rest is listed. Exit: 0 listed, 2 wrong usage or configuration.

Example:
  adjutant tools list --config adjutant.yaml`

const SHOW_HELP = `
Without --dialect: the tool as Adjutant knows it. With it: the definition as it is sent to a model of that API.
Exit: 0 shown, 1 there is no such tool, 2 wrong usage or configuration.

Example:
  adjutant tools show read_file --dialect openai-chat`

export function addToolsCommand(program: Command, io: CliIo): void {
  const tools = program
    .command('tools')
    .description('list the tools that there are; show, find or check some')
    .addHelpText('after', '\nExample:\n  adjutant tools list\n  adjutant tools show read_file --dialect anthropic')
  shared(tools.command('list').description('list all tools: built-in, modules, skills and MCP servers'))
    .addHelpText('after', LIST_HELP)
    .action(async (_options, self: Command) => withToolbox(io, sharedOptions(self), (toolbox, options) => list(io, toolbox, options)))
  shared(tools.command('show').description('show one tool in full').argument('<name>', 'the name of the tool'))
    .addOption(new Option('--dialect <form>', 'the definition in the form of an API').choices(Object.keys(FORMS)))
    .addHelpText('after', SHOW_HELP)
    .action(async (name: string, _options, self: Command) => {
      const { dialect } = self.opts()
      await withToolbox(io, sharedOptions(self), (toolbox, options) =>
        show(io, toolbox, options, name, isForm(dialect) ? dialect : undefined),
      )
    })
  addToolsBuildCommand(tools, io)
  const open: OpenTools = (options, work) => withToolbox(io, options, (toolbox) => work(toolbox.tools.tools()))
  addToolsSearchCommand(tools, io, open)
  addToolsLintCommand(tools, io, open)
}

function shared(command: Command): Command {
  return command
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the folder that the file tools are confined to (default: this one)')
    .addOption(roleOption())
    .option('--json', 'print one JSON document')
}

function isForm(value: unknown): value is Form {
  return typeof value === 'string' && Object.hasOwn(FORMS, value)
}

async function withToolbox(
  io: CliIo,
  options: SharedOptions,
  work: (toolbox: SeenToolbox, options: SharedOptions) => Promise<void>,
): Promise<void> {
  const config = await loadConfig(io, options.config, options.workspace === undefined ? {} : { workspace: options.workspace })
  const { principal, mayUse } = personOf(config, options.role)
  const toolbox = await openToolbox(config, io, { quiet: true })
  try {
    // What was wrong with a tool is its operator's business: it would tell others that there is one.
    const problems = config.roles === undefined ? toolbox.problems : []
    await work({ tools: new VisibleTools(toolbox.tools, principal, mayUse), problems }, options)
  } finally {
    await toolbox.close()
  }
}

async function list(io: CliIo, { tools, problems }: SeenToolbox, options: SharedOptions): Promise<void> {
  if (options.json === true) {
    await writeJson(io.stdout, { tools: tools.tools().map(summaryOf), problems })
    return
  }
  const rows = tools.tools().map((tool) => [tool.name, effectOf(tool), tool.tier, placeOf(tool), tool.description])
  await writeColumns(io, rows)
  await writeProblems(io, problems)
  if (rows.length === 0) await write(io.stderr, 'There are no tools. Name some in the configuration.\n')
}

async function show(io: CliIo, toolbox: SeenToolbox, options: SharedOptions, name: string, form: Form | undefined): Promise<void> {
  const tool = toolbox.tools.get(name)
  if (tool === undefined) {
    // Its own fault may be the reason why it is not there.
    const own = toolbox.problems.find((problem) => problem.tool === name)
    if (own !== undefined) throw new AdjutantError(own.code, own.message, { hint: own.hint })
    if (options.json !== true) await writeProblems(io, toolbox.problems)
    throw notFound('tool', name, [...toolbox.tools.names()], 'adjutant tools list')
  }
  if (form !== undefined) {
    const sent = FORMS[form]([toolDefinitionOf(tool)])
    const definition = Array.isArray(sent) ? (sent[0] ?? null) : sent
    await write(io.stdout, `${options.json === true ? JSON.stringify(definition) : JSON.stringify(definition, null, 2)}\n`)
  } else if (options.json === true) await writeJson(io.stdout, { ...summaryOf(tool), ...toolDefinitionOf(tool) })
  else await write(io.stdout, pageOf(tool))
}

function summaryOf(tool: AgentTool): Readonly<Record<string, unknown>> {
  const { name, description, tier, lifetime, origin, repeatable, limits } = tool
  return {
    name,
    effect: typeof tool.effect === 'function' ? 'by-arguments' : tool.effect,
    tier,
    lifetime,
    origin,
    ...(repeatable === undefined ? {} : { repeatable }),
    ...(limits === undefined ? {} : { limits }),
    description,
  }
}

function effectOf(tool: AgentTool): string {
  return typeof tool.effect === 'function' ? 'by arguments' : tool.effect
}

function placeOf({ origin }: AgentTool): string {
  return origin.from === '' ? origin.kind : `${origin.kind} ${origin.from}`
}

function pageOf(tool: AgentTool): string {
  const { limits, origin } = tool
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['effect', effectOf(tool)],
    ['tier', tool.tier],
    ['lifetime', tool.lifetime],
    ['from', placeOf(tool)],
    ['called there', origin.originalName],
    ['repeatable', tool.repeatable === undefined ? undefined : String(tool.repeatable)],
    ['timeout', limits?.timeoutMs === undefined ? undefined : `${limits.timeoutMs} ms`],
    ['result', limits?.maxResultChars === undefined ? undefined : `at most ${limits.maxResultChars} characters`],
  ]
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${`${name}:`.padEnd(14)}${printableLine(value)}`]))
  const schemas = [`\narguments:\n${indented(tool.inputSchema)}`]
  if (tool.outputSchema !== undefined) schemas.push(`\nreturns:\n${indented(tool.outputSchema)}`)
  return `${tool.name}\n\n${printableLines(tool.description.trim())}\n\n${lines.join('\n')}\n${schemas.join('\n')}\n`
}

function indented(schema: JsonValue): string {
  const text = JSON.stringify(isJsonObject(schema) || typeof schema === 'boolean' ? schema : null, null, 2)
  return printableLines(text)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
