import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentTool, callId, Registry, Session, type ToolCall } from '@adjutant/core'
import { aiGenerateText, type Batch, INPUT, promiseAll, SCHEMA, toolNode } from './call-peers.ts'
import { bestOf, cpuMicros, printTable, type Row } from './table.ts'

const SIZES = [1, 10, 1_000] as const
/** Calls measured for each figure, so that small batches are not lost in the clock's grain. */
const CALLS = 20_000
const PEER_CALLS = 2_000
const ROUNDS = 3

/** µs of CPU per no-op call through all five rooms, beside what other systems take for the same batch. */
export async function benchDispatch(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    const rows: Row[] = [
      await row('Promise.all + compiled Ajv', CALLS, promiseAll()),
      await row('Adjutant, 10 tools', CALLS, adjutant(root, 10)),
      await row('Adjutant, 10 tools, events on', CALLS, adjutant(root, 10, true)),
      await row('Adjutant, 1 000 tools', CALLS, adjutant(root, 1_000)),
      await row('Adjutant, 10 000 tools', CALLS, adjutant(root, 10_000)),
      await row('ai generateText', PEER_CALLS, aiGenerateText()),
      await row('LangGraph ToolNode', PEER_CALLS, toolNode()),
    ]
    printTable('A batch of no-op calls: µs of CPU per call', ['', ...SIZES.map((size) => `batch of ${size}`)], rows)
    printTable('A batch of 10 000 no-op reads', ['', 'µs per call', 'heap growth KB per call'], [['Adjutant', ...(await bigBatch(root))]])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function row(name: string, calls: number, batch: Batch): Promise<Row> {
  const figures: number[] = []
  for (const size of SIZES) {
    const run = await batch(size, CALLS)
    const turns = Math.max(1, Math.floor(calls / size))
    for (let turn = 0; turn < Math.min(turns, 200); turn += 1) await run()
    const micros = await bestOf(ROUNDS, () =>
      cpuMicros(async () => {
        for (let turn = 0; turn < turns; turn += 1) await run()
      }),
    )
    figures.push(micros / (turns * size))
  }
  return [name, ...figures]
}

function noop(name: string): AgentTool {
  return {
    name,
    description: 'Does nothing.',
    inputSchema: SCHEMA,
    origin: { kind: 'function', from: 'bench' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => 'done',
  }
}

function callsOf(size: number, name: string): readonly ToolCall[] {
  return Array.from({ length: size }, (_, index) => ({
    id: callId(`call_${index}`),
    index,
    name,
    arguments: { ok: true, value: { ...INPUT } },
    idFromProvider: true,
  }))
}

function open(root: string, count: number, events: boolean): Session {
  const registry = new Registry()
  registry.add(
    Array.from({ length: count }, (_, index) => noop(`tool_${index}`)),
    'bench',
  )
  return new Session({
    tools: registry.snapshot(),
    namespaceRoot: root,
    mode: 'ask',
    approver: { decide: async () => ({ type: 'deny' }) },
    asker: { ask: async () => '' },
    // The same no-op again and again is what is measured here.
    loopGuard: false,
    ...(events ? { events: () => {} } : {}),
  })
}

function adjutant(root: string, count: number, events = false): Batch {
  return async (size) => {
    const session = open(root, count, events)
    const calls = callsOf(size, `tool_${count - 1}`)
    return () => session.execute(calls)
  }
}

async function bigBatch(root: string): Promise<readonly [number, number]> {
  const session = open(root, 10, false)
  const calls = callsOf(10_000, 'tool_0')
  await session.execute(calls)
  const micros = await bestOf(ROUNDS, () => cpuMicros(async () => void (await session.execute(calls))))
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const results = await session.execute(calls)
  const after = process.memoryUsage().heapUsed
  return [micros / results.length, (after - before) / 1024 / results.length]
}
