import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentTool,
  callId,
  isJsonObject,
  type JsonSchema,
  Registry,
  Session,
  type ToolDefinition,
  toAnthropicTools,
  toOpenAiChatTools,
} from '@adjutant/core'
import { mcpToolNames } from '@adjutant/core/mcp'
import { countTokens } from 'gpt-tokenizer'
import { printTable, type Row } from './table.ts'

interface Listed {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

/** Tokens of the tool definitions that a model sees, with 261 real MCP tools: all of them, and on demand. */
export async function benchDisclosure(): Promise<void> {
  const material = process.env.ADJUTANT_MATERIAL
  if (material === undefined) {
    process.stdout.write('\nTokens of tool definitions: not run, ADJUTANT_MATERIAL names no folder of material\n')
    return
  }
  const tools = toolsOf(readFileSync(join(material, 'mcp/npm-servers-tools.jsonl'), 'utf8'))
  const all = await shown(tools, 'off')
  const demand = await shown(tools, 'on')
  const five = await shown(tools, 'on', tools.slice(0, 5))
  const rows: Row[] = [
    row('all, sent with each request', all, all),
    row('on demand, nothing loaded', demand, all),
    row('on demand, five loaded', five, all),
  ]
  printTable(
    `Tokens of the definitions of ${tools.length} tools of 20 MCP servers`,
    ['', 'OpenAI', '% of all', 'Anthropic', '% of all'],
    rows,
  )
}

function row(name: string, definitions: readonly ToolDefinition[], all: readonly ToolDefinition[]): Row {
  const figures = [toOpenAiChatTools, toAnthropicTools].flatMap((form) => {
    const tokens = countTokens(JSON.stringify(form(definitions)))
    return [tokens, (100 * tokens) / countTokens(JSON.stringify(form(all)))]
  })
  return [name, ...figures]
}

async function shown(
  tools: readonly AgentTool[],
  disclosure: 'on' | 'off',
  load: readonly AgentTool[] = [],
): Promise<readonly ToolDefinition[]> {
  const root = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    const registry = new Registry()
    registry.add(tools, 'material')
    const session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: root,
      mode: 'ask',
      approver: { decide: async () => ({ type: 'deny' }) },
      asker: { ask: async () => '' },
      catalog: { disclosure },
    })
    await session.execute(
      load.map((tool, index) => ({
        id: callId(`call_${index}`),
        index,
        name: 'load_skill',
        arguments: { ok: true, value: { name: tool.name } },
        idFromProvider: true,
      })),
    )
    return session.request()
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

function toolsOf(lines: string): readonly AgentTool[] {
  const servers = new Map<string, Listed[]>()
  for (const line of lines.trim().split('\n')) {
    const listed = listedOf(JSON.parse(line))
    if (listed === undefined) continue
    const same = servers.get(listed.server)
    if (same === undefined) servers.set(listed.server, [listed])
    else same.push(listed)
  }
  return [...servers].flatMap(([server, listed]) => {
    const names = mcpToolNames(
      server,
      listed.map((tool) => tool.name),
    )
    return listed.map(
      (tool): AgentTool => ({
        name: names.get(tool.name) ?? tool.name,
        description: tool.description,
        inputSchema: tool.inputSchema,
        origin: { kind: 'mcp', from: server, originalName: tool.name },
        tier: 'extended',
        lifetime: 'session',
        effect: 'write',
        execute: async () => '',
      }),
    )
  })
}

function listedOf(value: unknown): Listed | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.tool)) return undefined
  const { name, description, inputSchema } = value.tool
  if (typeof value.package !== 'string' || typeof name !== 'string' || !isJsonObject(inputSchema)) return undefined
  return { server: value.package.replace(/^.*\//, ''), name, description: typeof description === 'string' ? description : '', inputSchema }
}
