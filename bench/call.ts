import { hash } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, openSync, realpathSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Session as Inspector } from 'node:inspector/promises'
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
import { aiGenerateText, type Batch, openAiAgents, type Run, toolNode } from './call-peers.ts'
import { bestOf, cpuMicros, printTable, type Row } from './table.ts'

const SIZES = [1, 10, 1_000] as const
/** Calls measured for each figure, so that small batches are not lost in the clock's grain and large ones come more than a few times. */
const CALLS: CallCount = (size) => (size < 1_000 ? 10_000 : 40_000)
const PEER_CALLS: CallCount = () => 2_000
const ROUNDS = 4
/** Bytes that are hashed of the record of a read with its result: as many as in the log of this very bench. */
const HASHED_BYTES = 704
/** The hash itself, which stands in the record as well. */
const HASH_MEMBER = `,"hash":"sha256:${'0'.repeat(64)}"\n`
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
      await row('floor: hash, append, file look-up', CALLS, floor(root)),
      await row('ai generateText', PEER_CALLS, aiGenerateText()),
      await row('LangGraph ToolNode', PEER_CALLS, toolNode()),
      await row('@openai/agents run', () => 200, openAiAgents(), [1, 10, 100]),
    ]
    printTable('A call through all rooms: µs of CPU', ['', ...SIZES.map((size) => `batch of ${size}`), 'KB allocated'], rows)
    const [few, many, , bare] = rows
    process.stdout.write(
      [
        `With 10 000 tools instead of 10: ×${ratios(many, few)}. All on, × floor: ${ratios(few, bare)}.`,
        'All on: policy of 44 rules (paths are looked up), loop guard, redaction, cost metering, statistics, audit records in a file with their hash chain; synced as by default: reads within a second.',
        'Floor: what of that cannot be left out: one SHA-256, one append for each batch, one lstat for each file and one realpath for each folder of a batch.',
        'KB allocated: for each call, in batches of 1 000, by sampling the heap. @openai/agents: batches of 100 in both last columns.',
        '',
      ].join('\n'),
    )
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Of each batch size. */
function ratios(one: Row | undefined, other: Row | undefined): string {
  return SIZES.map((_, at) => (Number(one?.[at + 1]) / Number(other?.[at + 1])).toFixed(2)).join(' / ')
}

type CallCount = (size: number) => number

async function row(name: string, calls: CallCount, batch: Batch, sizes: readonly number[] = SIZES): Promise<Row> {
  const figures: number[] = []
  for (const size of sizes) {
    const turns = Math.max(1, Math.floor(calls(size) / size))
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round += 1) {
      const run = await warmed(batch, size, turns)
      const micros = await bestOf(1, () => cpuMicros(() => repeat(run, turns)))
      await run.close?.()
      best = Math.min(best, micros / (turns * size))
    }
    figures.push(best)
  }
  return [name, ...figures, await kilobytes(batch, sizes.at(-1) ?? 1, calls)]
}

/**
 * Warm, as a process is that has worked for a while. No collection is forced before measuring: that throws compiled code and what the engine
 * has learnt away, and every row, the other systems' too, is measured at up to twice its cost.
 */
async function warmed(batch: Batch, size: number, turns: number): Promise<Run> {
  const warm = Math.min(turns, 100)
  const run = await batch(size, turns + warm)
  await repeat(run, warm)
  return run
}

async function repeat(run: Run, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await run()
}

/** KB that one call allocates on the heap, what is collected again included. */
async function kilobytes(batch: Batch, size: number, calls: CallCount): Promise<number> {
  const turns = Math.max(1, Math.floor(calls(size) / size))
  const run = await warmed(batch, size, turns)
  const inspector = new Inspector()
  inspector.connect()
  const options = { samplingInterval: 4_096, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  await inspector.post('HeapProfiler.startSampling', options)
  await repeat(run, turns)
  const { profile } = await inspector.post('HeapProfiler.stopSampling')
  inspector.disconnect()
  await run.close?.()
  return sizeOf(profile.head) / (turns * size) / 1_024
}

interface HeapNode {
  readonly selfSize: number
  readonly children: readonly HeapNode[]
}

function sizeOf({ selfSize, children }: HeapNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize)
}

/** The bare work on the bytes and files of a batch, with nothing that decides or remembers. */
function floor(root: string): Batch {
  return async (size) => {
    const log = openSync(join(root, 'floor'), 'a')
    const text = 'x'.repeat(HASHED_BYTES - 15)
    let number = 0
    const run = async (): Promise<void> => {
      realpathSync.native(join(root, 'src'))
      let lines = ''
      for (let call = 0; call < size; call += 1) {
        lstatSync(join(root, 'src', `file-${call % FILES}.ts`), { throwIfNoEntry: false })
        number += 1
        const line = `${text}${String(number).padStart(15)}`
        hash('sha256', line)
        lines += line + HASH_MEMBER
      }
      fstatSync(log)
      writeSync(log, lines)
    }
    return Object.assign(run, { close: async () => closeSync(log) })
  }
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

function player(session: Session, all: readonly (readonly ToolCall[])[]): Run {
  let next = 0
  const run = async (): Promise<void> => {
    const results = await session.execute(all[next] ?? [])
    next += 1
    const bad = results.find((result) => result.outcome !== 'ok')
    if (bad !== undefined) throw new Error(`${bad.text}`)
  }
  return Object.assign(run, { close: () => session.close() })
}
