import { join } from 'node:path'
import { randomIds } from '@adjutant/core'
import {
  approvalId,
  callId,
  type DurableStore,
  digest,
  type JsonObject,
  type SessionHold,
  type StepRecord,
  sessionId,
  traceId,
} from '@adjutant/core/contract'
import { postgresMissing } from '@adjutant/testkit'
import { HandSession } from './durable-hand.ts'
import { postgresSaver, type Saver, sqliteSaver } from './durable-peers.ts'
import { inTurns, median, type Place, postgresPlace, sqlitePlace, sum } from './durable-places.ts'
import { printTable, type Row } from './table.ts'

/** `BENCH_STEPS=200` looks quickly. */
const STEPS = Number(process.env.BENCH_STEPS ?? 800)
const STEP_BYTES = 2_048
const PENDING = STEPS < 800 ? 1_000 : 10_000
const TURNS = STEPS < 800 ? 40 : 200
const TENANT = 'local'
const MODES = [
  ['durable', true],
  ['written', false],
] as const
const BINDING = {
  arguments: digest(`sha256:${'a'.repeat(64)}`),
  tool: digest(`sha256:${'b'.repeat(64)}`),
  principal: digest(`sha256:${'c'.repeat(64)}`),
}

/** What keeping a session costs, beside the same rows by hand and beside savers that keep the whole state with each step. */
export async function benchDurable(): Promise<void> {
  const openings = [sqlitePlace, ...(postgresMissing() === undefined ? [postgresPlace] : [])]
  if (openings.length === 1) process.stdout.write(`PostgreSQL: not measured: ${postgresMissing()}\n`)
  for (const open of openings) {
    await using place = await open()
    const saver = await openSaver(place)
    if (typeof saver === 'string') process.stdout.write(`${saver}\n`)
    const peer = typeof saver === 'string' ? undefined : saver
    try {
      await benchSteps(place, peer)
      await benchSizes(place, peer)
      await benchApprovals(place)
      await benchPages(place)
      await benchJobs(place)
    } finally {
      await peer?.close()
    }
  }
}

async function openSaver({ name, folder, url }: Place): Promise<Saver | string> {
  return name === 'SQLite' ? await sqliteSaver(join(folder, 'peer.db')) : await postgresSaver(url ?? '')
}

/** A conversation: each step kept in a transaction of its own, then the whole is loaded. */
async function benchSteps(place: Place, peer: Saver | undefined): Promise<void> {
  const rows: Row[] = []
  const growth: Row[] = []
  for (const [mode, durable] of MODES) {
    const hold = await take(place.store.sessions, `steps-${mode}`)
    const hand = await HandSession.make(place.hand, `steps-${mode}`)
    const before = await place.bytes()
    let made = 0
    const ways = {
      hand: () => hand.append(answer(made), durable),
      ours: () => {
        made += 1
        return hold.keep([answer(made)], { safety: mode })
      },
    }
    const { ours = [], hand: byHand = [] } = await inTurns(STEPS, ways, 0)
    const bytes = (await place.bytes()) - before
    const loads = await inTurns(TURNS, { bytes: () => hand.read(), hand: () => hand.load(), ours: () => hold.load() })
    const more = await inTurns(STEPS, ways, 0)
    await hold.close()
    const load = median(loads.ours)
    rows.push([
      `Adjutant, ${mode}`,
      sum(ours),
      median(ours),
      median(ours) / median(byHand),
      bytes / 1e6,
      load,
      load / median(loads.hand),
      load / median(loads.bytes),
    ])
    growth.push(
      [`Adjutant, ${mode}`, ...grown([...ours, ...(more.ours ?? [])])],
      [`by hand, ${mode}`, ...grown([...byHand, ...(more.hand ?? [])])],
    )
    rows.push([`by hand, ${mode}`, sum(byHand), median(byHand), 1, '', median(loads.hand), 1, median(loads.hand) / median(loads.bytes)])
  }
  if (peer !== undefined) {
    const { times, bytes, load } = await converse(place, peer)
    // As durable as that saver is: on SQLite it does not wait for the disk. Its steps grow, so all of them count.
    const alike = rows[place.name === 'SQLite' ? 3 : 1]
    rows.push([
      peer.name,
      sum(times),
      median(times),
      sum(times) / (STEPS * Number(alike?.[2])),
      bytes / 1e6,
      load,
      load / Number(alike?.[5]),
      '',
    ])
    growth.push([peer.name, ...grown(times)])
  }
  printTable(
    `${place.name}: a conversation of ${STEPS} steps of 2 KB`,
    ['', 'ms in all', 'ms a step', '× by hand', 'MB on disk', 'load of the latest ms', '× by hand', '× its bytes alone'],
    rows,
  )
  const marks = [STEPS / 4, STEPS / 2, STEPS, 2 * STEPS]
  printTable(`${place.name}: ms for a step after so many`, ['', ...marks.map(String)], growth)
}

/** Median of the last steps before each mark: the same at each, when a step costs what is new. */
function grown(times: readonly number[]): readonly (number | string)[] {
  return [STEPS / 4, STEPS / 2, STEPS, 2 * STEPS].map((mark) => (times.length < mark ? '' : median(times.slice(mark - STEPS / 8, mark))))
}

async function converse(place: Place, peer: Saver) {
  const times: number[] = []
  const messages: JsonObject[] = []
  const before = await place.peerBytes()
  for (let step = 0; step < STEPS; step += 1) {
    messages.push({ role: 'assistant', content: text(step) })
    const begun = performance.now()
    await peer.put('conversation', { messages })
    times.push(performance.now() - begun)
  }
  const bytes = (await place.peerBytes()) - before
  const loads = await inTurns(7, { get: () => peer.get('conversation') }, 1)
  return { times, bytes, load: median(loads.get) }
}

/** A pause: one step and a checkpoint of this size, then loaded. */
async function benchSizes(place: Place, peer: Saver | undefined): Promise<void> {
  const rows: Row[] = []
  for (const [size, bytes, turns] of [
    ['10 KB', 10_000, TURNS],
    ['1 MB', 1_000_000, Math.ceil(TURNS / 8)],
  ] as const) {
    const id = `size-${bytes}`
    const hold = await take(place.store.sessions, id)
    const hand = await HandSession.make(place.hand, id)
    const paused: StepRecord = { version: 1, type: 'paused', time: 1, waiting: [] }
    const body: JsonObject = { messages: Array.from({ length: bytes / 1_000 }, (_, index) => ({ content: text(index).slice(0, 970) })) }
    const put = await inTurns(turns, {
      hand: () => hand.checkpoint(paused, body),
      ours: () => hold.keep([paused], { checkpoint: body }),
      ...(peer === undefined ? {} : { peer: () => peer.put(id, body) }),
    })
    const get = await inTurns(turns, {
      hand: () => hand.load(),
      ours: () => hold.load(),
      ...(peer === undefined ? {} : { peer: () => peer.get(id) }),
    })
    await hold.close()
    for (const [what, times] of [
      ['save', put],
      ['load', get],
    ] as const) {
      const byHand = median(times.hand)
      const other = median(times.peer)
      rows.push([`${what} ${size}`, median(times.ours), byHand, median(times.ours) / byHand, other, other / byHand])
    }
  }
  printTable(`${place.name}: a checkpoint`, ['', 'Adjutant ms', 'by hand ms', '× by hand', peer?.name ?? 'peer', '× by hand'], rows)
}

/** Asked, decided by somebody else, taken: three durable transactions. And a call that changes something: begun, ended. */
async function benchApprovals(place: Place): Promise<void> {
  const hold = await take(place.store.sessions, 'cycle')
  const hand = await HandSession.make(place.hand, 'cycle')
  let cycle = 0
  const times = await inTurns(TURNS, {
    hand: () => hand.approval(asked(cycle), answered(cycle)),
    ours: async () => {
      const [question, taken] = [asked(cycle), answered(cycle)]
      cycle += 1
      await hold.keep([question])
      await place.store.sessions.approvals.decide(TENANT, question.approval.id, { decision: { type: 'approve', scope: 'once' }, by: 'eve' })
      await hold.keep([taken])
    },
  })
  await hold.close()
  const [ours, byHand] = [median(times.ours), median(times.hand)]
  printTable(
    `${place.name}: ask, decide, take`,
    ['', 'Adjutant ms', 'by hand ms', '× by hand'],
    [['one approval', ours, byHand, ours / byHand]],
  )
}

async function benchPages(place: Place): Promise<void> {
  const hold = await take(place.store.sessions, 'pages')
  const hand = await HandSession.make(place.hand, 'pages')
  for (let from = 0; from < PENDING; from += 500) {
    const some = Array.from({ length: 500 }, (_, index) => asked(1_000_000 + from + index))
    await hold.keep(some)
    await hand.ask(some)
  }
  await hold.close()
  const { approvals } = place.store.sessions
  let after: string | undefined
  let from: readonly [number, string] = [0, '']
  for (const limit of Array.from({ length: PENDING / 500 }, (_, index) => (index === 0 ? 400 : 500))) {
    after = (await approvals.list(TENANT, { state: 'pending', limit, ...(after === undefined ? {} : { after }) })).next
    from = await hand.page(from, limit)
  }
  const last = after ?? ''
  const times = await inTurns(TURNS, {
    handFirst: () => hand.page([0, ''], 101),
    first: () => approvals.list(TENANT, { state: 'pending' }),
    handLast: () => hand.page(from, 101),
    last: () => approvals.list(TENANT, { state: 'pending', after: last }),
  })
  const [first, handFirst, end, handEnd] = [times.first, times.handFirst, times.last, times.handLast].map((each) => median(each))
  printTable(
    `${place.name}: 100 of ${PENDING} pending approvals`,
    ['', 'Adjutant ms', 'by hand ms', '× by hand'],
    [
      ['the first page', first ?? 0, handFirst ?? 0, (first ?? 0) / (handFirst ?? 0)],
      ['the last page', end ?? 0, handEnd ?? 0, (end ?? 0) / (handEnd ?? 0)],
    ],
  )
}

/** From `enqueue` to the handler, one after the other; then many at once. The handlers do nothing. By hand there is no such thing: what a queue is. */
async function benchJobs(place: Place): Promise<void> {
  const { jobs } = place.store
  const many = TURNS * 5
  let begun = Promise.withResolvers<void>()
  let done = 0
  const all = Promise.withResolvers<void>()
  await using _ = jobs.work(
    {
      one: async () => void begun.resolve(),
      many: async () => {
        done += 1
        if (done === many) all.resolve()
        return undefined
      },
    },
    { concurrency: 20 },
  )
  const times = await inTurns(TURNS, {
    one: async () => {
      begun = Promise.withResolvers()
      await jobs.enqueue({ tenantId: TENANT, kind: 'one', payload: {} })
      await begun.promise
    },
  })
  const from = performance.now()
  await Promise.all(Array.from({ length: many }, () => jobs.enqueue({ tenantId: TENANT, kind: 'many', payload: {} })))
  await all.promise
  const perSecond = (1_000 * many) / (performance.now() - from)
  const sorted = [...(times.one ?? [])].sort((a, b) => a - b)
  printTable(
    `${place.name}: jobs`,
    ['', 'to the start, median ms', '95 of 100 ms', 'each second, begun to end'],
    [['one after the other, and many at once', median(sorted), sorted[Math.floor(0.95 * sorted.length)] ?? 0, perSecond]],
  )
}

function take(sessions: DurableStore, id: string): Promise<SessionHold> {
  return sessions.hold(
    { tenantId: TENANT, sessionId: sessionId(id) },
    { principal: { tenantId: TENANT, userId: 'user', roles: [] }, traceId: traceId(randomIds.traceId()), node: 'bench', leaseMs: 600_000 },
  )
}

/** Text that no database can make small. */
function text(seed: number): string {
  let state = seed + 1
  let made = ''
  while (made.length < STEP_BYTES - 150) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    made += state.toString(36)
  }
  return made
}

function answer(round: number): StepRecord {
  const usage = { inputTokens: 1, outputTokens: 1 }
  return { version: 2, type: 'model', at: 1, endedAt: 2, round, text: text(round), calls: [], providerBlocks: [], usage }
}

function asked(number: number): Extract<StepRecord, { type: 'asked' }> {
  const id = String(number).padStart(8, '0')
  return {
    version: 1,
    type: 'asked',
    time: 1,
    approval: {
      id: approvalId(`approval_${id}`),
      batch: 1,
      callId: callId(`call_${id}`),
      tool: 'write_file',
      effect: 'write',
      shown: { path: `src/file-${number}.ts`, content: text(number).slice(0, 600) },
      reason: 'it writes',
      rule: 'mode/ask',
      binding: BINDING,
      createdAt: 1_700_000_000_000 + number,
    },
  }
}

function answered(number: number): StepRecord {
  const { id } = asked(number).approval
  return { version: 1, type: 'answered', time: 2, approvalId: id, decision: { type: 'approve', scope: 'once' }, by: 'eve', grants: [] }
}
