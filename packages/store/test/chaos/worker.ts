/**
 * A process that carries on whatever session needs it: begins those that nobody has begun, resumes those that were left or have an answer. It is killed,
 * put to sleep, or kills itself at a step that was drawn; nothing here prepares for that.
 *
 * Usage: node worker.ts URL BOOK FOLDER SEED CHECKPOINTS NUMBER DIE_AT LEASE_MS BODY_MS
 */
import { flushCompileCache } from 'node:module'
import { openDurableSession, Registry, randomIds, SessionPaused, systemClock } from '@adjutant/core'
import { AdjutantError, type AgentTool, type CallContext, type DurableStore, type StoredSession } from '@adjutant/core/contract'
import { dyingStore, StartBook, scriptedApprover, scriptedAsker, seededRandom } from '@adjutant/testkit'
import { openStore } from '../../src/open-store.ts'
import { type ChaosTool, chaosPlan, type PlannedSession } from './plan.ts'

const TENANT = 'local'
const IDLE_MS = 40

const [url = '', bookFile = '', folder = '', ...numbers] = process.argv.slice(2)
const [seed = 0, checkpoints = 0, number = 0, dieAt = 0, leaseMs = 0, bodyMs = 0] = numbers.map(Number)
const plan = chaosPlan(seed, checkpoints)
const random = seededRandom(seed * 1_000 + number)
const book = new StartBook(bookFile)
const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve))

const registry = new Registry()
registry.add([chaosTool('look'), chaosTool('change'), chaosTool('mend')], 'chaos')
const tools = registry.snapshot()

// The orphan of a run that was killed itself ends with it.
process.stdin.resume().once('end', () => process.exit(0))

await using store = await openStore(url, { retryLimitMs: 20_000 })
const dying = dyingStore(store.sessions, { at: dieAt, moment: random() < 0.5 ? 'before' : 'after' })
// Who is killed leaves no compiled code behind: it is written down now, so that the next ones start faster.
flushCompileCache()
process.stdout.write('ready\n')
for (;;) {
  const open = await needed(store.sessions).catch(ignoreStore)
  const next = open?.[Math.floor(random() * open.length)]
  if (next === undefined) await pause(IDLE_MS)
  else await carryOn(next).catch(ignoreStore)
}

function chaosTool(name: ChaosTool): AgentTool {
  return {
    name,
    description: `Use for the chaos run: ${name}.`,
    inputSchema: { type: 'object', properties: { session: { type: 'number' }, value: { type: 'number' } } },
    origin: { kind: 'function', from: 'chaos' },
    tier: 'core',
    lifetime: 'session',
    effect: name === 'look' ? 'read' : 'write',
    ...(name === 'mend' ? { repeatable: true } : {}),
    execute: async (input, cx: CallContext) => {
      const what = `${name} ${input.session}/${input.value}`
      book.started(cx.idempotencyKey, what)
      await pause(random() * bodyMs)
      book.ended(cx.idempotencyKey, what)
      return `${name} ${JSON.stringify(input)}`
    },
  }
}

/** Sessions that nobody has in hand and that can go on. */
async function needed(sessions: DurableStore): Promise<readonly PlannedSession[]> {
  const kept = new Map<string, StoredSession>()
  for (let after: string | undefined; ; ) {
    const page = await sessions.list(TENANT, { limit: 1_000, ...(after === undefined ? {} : { after }) })
    for (const session of page.items) kept.set(session.sessionId, session)
    if (page.next === undefined) break
    after = page.next
  }
  const answered = new Set<string>()
  for (const state of ['approved', 'denied'] as const) {
    const { items } = await sessions.approvals.list(TENANT, { state, limit: 1_000 })
    for (const approval of items) if (approval.consumedAt === undefined) answered.add(approval.sessionId)
  }
  return plan.sessions.filter(({ id }) => {
    const session = kept.get(id)
    if (session === undefined || session.steps === 0) return session?.holder === undefined
    if (session.holder !== undefined || session.state === 'idle' || session.state === 'ended') return false
    return session.state === 'open' || answered.has(id)
  })
}

async function carryOn({ id, calls }: PlannedSession): Promise<void> {
  const session = await openDurableSession({
    store: dying,
    id,
    tools,
    namespaceRoot: folder,
    mode: 'ask',
    approver: scriptedApprover(() => ({ type: 'deny', reason: 'nobody is here' })),
    asker: scriptedAsker(),
    ids: randomIds,
    defers: true,
    leaseMs,
    node: `worker-${number}`,
    redactor: false,
  })
  try {
    if (session.state?.open !== undefined) await session.resume()
    else if (session.state?.batches === 0) await session.execute(calls)
  } catch (error) {
    if (!(error instanceof SessionPaused)) throw error
  } finally {
    await session.close()
  }
}

/** Somebody else has it, the database is away, this process was asleep for too long: what is to be done is looked for again. */
function ignoreStore(error: unknown): undefined {
  const codes = ['SESSION_BUSY', 'SESSION_LOST', 'STORE_FAILED', 'CONFLICT', 'CANCELLED']
  if (!AdjutantError.isInstance(error) || !codes.includes(error.code)) throw error
  process.stdout.write(`${error.code}\n`)
  return undefined
}
