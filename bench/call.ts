import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentTool,
  auditObserver,
  callId,
  createRedactor,
  FileAuditSink,
  LOCAL_PRINCIPAL,
  MeteringTotals,
  meteringObserver,
  Registry,
  RulePolicy,
  readPolicyDocument,
  Session,
  systemClock,
  type ToolCall,
  ToolStatistics,
} from '@adjutant/core'
import { aiGenerateText, type Batch, openAiAgents, toolNode } from './call-peers.ts'
import { bestOf, cpuMicros, printTable, type Row } from './table.ts'

const SIZES = [1, 10, 1_000] as const
/** Calls measured for each figure, so that small batches are not lost in the clock's grain. */
const CALLS = 20_000
const PEER_CALLS = 2_000
const ROUNDS = 3
/** Files that the calls name. They are there: a rule about paths looks them up. */
const FILES = 50

/** As long and as mixed as a company's own. */
const POLICY = `
version: 1
rules:
  - id: nobody-deletes
    effect: deny
    reason: deleting is done by hand
    tools: ['*_delete', 'drop_*']
  - id: no-secrets
    effect: deny
    reason: keys stay where they are
    tools: ['*']
    when: { path: { paths: ['.env', 'secrets'] } }
  - id: sources
    effect: allow
    tools: ['tool_*']
    who: { roles: [engineer] }
    when: { path: { paths: ['src'] } }
  - id: ask-for-the-rest
    effect: ask
    tools: ['*']
    effects: [write, dangerous]
${Array.from({ length: 40 }, (_, at) => `  - { id: other-${at}, effect: ask, tools: ['server_${at}__*'] }`).join('\n')}
`

/** µs of CPU per call with everything on that protects and records, beside what other systems take for the same batch with nothing of it. */
export async function benchCall(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'bench-call-'))
  try {
    await mkdir(join(root, 'src'))
    for (let file = 0; file < FILES; file += 1) await writeFile(join(root, 'src', `file-${file}.ts`), '')
    const rows: Row[] = [
      await row('Adjutant, all on, 10 tools', CALLS, everything(root, 10)),
      await row('Adjutant, all on, 10 000 tools', CALLS, everything(root, 10_000)),
      await row('Adjutant, mode only, 10 tools', CALLS, plain(root, 10)),
      await row('ai generateText', PEER_CALLS, aiGenerateText()),
      await row('LangGraph ToolNode', PEER_CALLS, toolNode()),
      await row('@openai/agents run', 200, openAiAgents(), [1, 10, 100]),
    ]
    printTable('A call through all rooms: µs of CPU', ['', ...SIZES.map((size) => `batch of ${size}`)], rows)
    process.stdout.write(
      'All on: policy of 44 rules, loop guard, redaction, cost metering, statistics, audit records on disk (hash chain, fsync at each batch).\n@openai/agents: the last column is a batch of 100.\n',
    )
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function row(name: string, calls: number, batch: Batch, sizes: readonly number[] = SIZES): Promise<Row> {
  const figures: number[] = []
  for (const size of sizes) {
    const turns = Math.max(1, Math.floor(calls / size))
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round += 1) {
      const warm = Math.min(turns, 100)
      const run = await batch(size, turns + warm)
      for (let turn = 0; turn < warm; turn += 1) await run()
      const micros = await bestOf(1, () =>
        cpuMicros(async () => {
          for (let turn = 0; turn < turns; turn += 1) await run()
        }),
      )
      best = Math.min(best, micros / (turns * size))
    }
    figures.push(best)
  }
  return [name, ...figures]
}

function toolOf(name: string): AgentTool {
  return {
    name,
    description: 'Reads a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
      required: ['path'],
      additionalProperties: false,
    },
    origin: { kind: 'function', from: 'bench' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    limits: { cost: { unit: 'read', microPrice: 10 } },
    // Other results for other arguments: a model that works, not one that goes round in circles.
    execute: async ({ path, limit }) => `${String(limit)} lines of ${String(path)}`,
  }
}

function registryOf(count: number): Registry {
  const registry = new Registry()
  registry.add(
    Array.from({ length: count }, (_, index) => toolOf(`tool_${index}`)),
    'bench',
  )
  return registry
}

/** Made before anything is measured: what a provider's stream would have brought. */
function batches(size: number, turns: number, name: string): readonly (readonly ToolCall[])[] {
  return Array.from({ length: turns }, (_, turn) =>
    Array.from({ length: size }, (_, index) => ({
      id: callId(`call_${turn}_${index}`),
      index,
      name,
      arguments: { ok: true, value: { path: `src/file-${index % FILES}.ts`, limit: turn * size + index + 1 } },
      idFromProvider: true,
    })),
  )
}

function everything(root: string, count: number): Batch {
  const registry = registryOf(count)
  const policy = new RulePolicy({ documents: [readPolicyDocument(POLICY, { file: 'bench.yaml', tier: 'organisation' })], workspace: root })
  return async (size, turns) => {
    const redactor = createRedactor({ env: process.env })
    const session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: root,
      mode: 'ask',
      principal: { ...LOCAL_PRINCIPAL, roles: ['engineer'] },
      policy,
      redactor,
      observers: [
        auditObserver({ sink: new FileAuditSink(join(root, 'audit')), clock: systemClock, redactor }),
        meteringObserver({ sink: new MeteringTotals() }),
        new ToolStatistics(),
      ],
      approver: { decide: async () => ({ type: 'deny' }) },
      asker: { ask: async () => '' },
    })
    return player(session, batches(size, turns, `tool_${count - 1}`))
  }
}

function plain(root: string, count: number): Batch {
  return async (size, turns) => {
    const session = new Session({
      tools: registryOf(count).snapshot(),
      namespaceRoot: root,
      mode: 'ask',
      loopGuard: false,
      redactor: false,
      approver: { decide: async () => ({ type: 'deny' }) },
      asker: { ask: async () => '' },
    })
    return player(session, batches(size, turns, `tool_${count - 1}`))
  }
}

function player(session: Session, all: readonly (readonly ToolCall[])[]): () => Promise<unknown> {
  let next = 0
  return async () => {
    const results = await session.execute(all[next] ?? [])
    next += 1
    const bad = results.find((result) => result.outcome !== 'ok')
    if (bad !== undefined) throw new Error(`${bad.text}`)
  }
}
