/**
 * Runs in boxes beside a plain start of the same program, a wrapper around the same tool of the system, and a container for each run. All take
 * turns in the same minutes, so that whatever else the machine does hits all alike. Ratios are what counts.
 */
import { randomIds, systemClock } from '@adjutant/core'
import type { Sandbox, SandboxBackend, SandboxLanguage } from '@adjutant/core/contract'
import { bubblewrapBackend, openSandboxes, quickJsBackend, sqlJsBackend } from '@adjutant/sandbox'
import { boxed, type Contender, HELLO, PLAIN, plain, plainBySmallProcess, runOnce, type Sample, spawnOnce } from './sandbox-contenders.ts'
import { measureMemory } from './sandbox-memory.ts'
import { type Peer, podman, sandboxRuntime } from './sandbox-peers.ts'
import { measureThroughput, type Worker } from './sandbox-throughput.ts'
import { printTable, type Row } from './table.ts'

/** Measured rounds; two more come first and are thrown away. */
const ROUNDS = Number(process.env.ADJUTANT_BENCH_ROUNDS ?? 40)
/** Tries until a run was what is to be measured. */
const TRIES = 8
const OTHERS = ['container', 'landlock'] as const
const SQL = 'select 6 * 7'
const GROUPS: Readonly<Record<string, string>> = {
  bash: 'echo in bash',
  python: 'print in Python',
  js: 'print in JavaScript',
  ls: 'a command in a shell that stays: ls /',
  sql: 'one query of SQL; beside it a plain start of Node',
}

export async function benchSandbox(): Promise<void> {
  const tools = { clock: systemClock, ids: randomIds }
  // As much as all of the rows together want.
  await using pooled = bubblewrapBackend({ ...tools, pool: { number: 100, memoryMB: 1_000 } })
  // Room for the place of the next box and for nothing that is a box already.
  await using placed = bubblewrapBackend({ ...tools, pool: { memoryMB: 0.5 } })
  await using bare = bubblewrapBackend({ ...tools, pool: { number: 0 } })
  await using quick = quickJsBackend({ clock: systemClock })
  await using sql = sqlJsBackend({ clock: systemClock })
  const probe = await pooled.probe()
  process.stdout.write(`bubblewrap: ${probe.detail}\n`)
  if (!probe.ok) return
  const peers = await openPeers()
  await using others = openSandboxes({ ...tools, requires: [] })
  const other = await otherContenders(others)
  const contenders = [...ours({ pooled, placed, bare, quick, sql }), ...other.contenders, ...peers.flatMap((peer) => peer.contenders)]
  try {
    const samples = await takeTurns(contenders)
    for (const [group, title] of Object.entries(GROUPS)) printGroup(group, title, contenders, samples)
    await Promise.all(contenders.map((contender) => contender.close()))
    await throughput({ pooled, quick, sql }, peers)
    await memory(other.backends)
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()))
    for (const peer of peers) await peer.close()
  }
}

interface Backends {
  readonly pooled: SandboxBackend
  readonly placed: SandboxBackend
  readonly bare: SandboxBackend
  readonly quick: SandboxBackend
  readonly sql: SandboxBackend
}

function ours({ pooled, placed, bare, quick, sql }: Backends): readonly Contender[] {
  const once = (lang: 'bash' | 'python' | 'js', settleMs: number, goalMs: number): readonly Contender[] => {
    const common = { group: lang, lang, code: HELLO[lang] }
    return [
      plain(lang, PLAIN[lang]),
      plainBySmallProcess(lang, PLAIN[lang]),
      boxed(pooled, { ...common, name: 'bubblewrap, warm', mode: 'warm', settleMs, goalMs }),
      boxed(placed, { ...common, name: 'bubblewrap, cold', mode: 'cold', settleMs: 25, ...(lang === 'bash' ? { goalRatio: 2.5 } : {}) }),
      boxed(bare, { ...common, name: 'bubblewrap, cold, nothing ready', mode: 'cold', settleMs: 5 }),
    ]
  }
  const stays = { mode: 'session', session: true, settleMs: 2 } as const
  return [
    ...once('bash', 60, 5),
    boxed(pooled, { ...stays, name: 'bubblewrap, session', group: 'bash', lang: 'bash', code: HELLO.bash, goalMs: 1 }),
    ...once('python', 120, 15),
    boxed(pooled, { ...stays, name: 'bubblewrap, session', group: 'python', lang: 'python', code: HELLO.python }),
    ...once('js', 200, 15),
    boxed(quick, { name: 'quickjs, warm', group: 'js', lang: 'js', code: HELLO.js, mode: 'warm', settleMs: 30, goalMs: 3 }),
    boxed(quick, { ...stays, name: 'quickjs, session', group: 'js', lang: 'js', code: HELLO.js }),
    plain('ls', PLAIN.ls),
    plainBySmallProcess('ls', PLAIN.ls),
    boxed(pooled, { ...stays, name: 'bubblewrap, session', group: 'ls', lang: 'bash', code: 'ls /', goalRatio: 1.5 }),
    plain('sql', PLAIN.js),
    boxed(sql, { name: 'sqljs, warm', group: 'sql', lang: 'sql', code: SQL, mode: 'warm', settleMs: 30 }),
  ]
}

/** Backends that are there on some machines. */
async function otherContenders(all: ReturnType<typeof openSandboxes>): Promise<{
  readonly contenders: readonly Contender[]
  readonly backends: readonly (Pick<SandboxBackend, 'open' | 'name'> & { readonly lang: SandboxLanguage })[]
}> {
  const described = await all.describe()
  const backends = OTHERS.flatMap((name) => {
    const found = described.find((one) => one.name === name)
    if (found?.ok === true && found.languages.includes('bash'))
      return [
        {
          name,
          lang: 'bash' as const,
          open: (spec: Parameters<SandboxBackend['open']>[0]): Promise<Sandbox> => only(name).open(spec, 'bash'),
        },
      ]
    process.stdout.write(`${name}: left out, ${found?.detail ?? 'it is not there'}\n`)
    return []
  })
  const chosen = new Map<string, ReturnType<typeof openSandboxes>>()
  const only = (name: string): ReturnType<typeof openSandboxes> => {
    const there = chosen.get(name) ?? openSandboxes({ clock: systemClock, ids: randomIds, order: [name], requires: [] })
    chosen.set(name, there)
    return there
  }
  const contenders = backends.flatMap((backend): readonly Contender[] => [
    { ...anyMode(backend, false), name: `${backend.name}, once`, every: 3 },
    { ...anyMode(backend, true), name: `${backend.name}, session` },
  ])
  const last: Contender = {
    name: 'closing',
    group: '',
    sample: async () => undefined,
    every: Number.POSITIVE_INFINITY,
    close: async () => {
      for (const one of chosen.values()) await one.close()
    },
  }
  return { contenders: [...contenders, last], backends }
}

function anyMode(backend: Pick<SandboxBackend, 'open' | 'name'>, session: boolean): Contender {
  let box: Sandbox | undefined
  return {
    name: backend.name,
    group: 'bash',
    async sample() {
      box ??= await backend.open({})
      return (await runOnce(box, 'bash', HELLO.bash, session)).sample
    },
    close: async () => box?.close(),
  }
}

async function openPeers(): Promise<readonly Peer[]> {
  const peers: Peer[] = []
  for (const [name, open] of [
    ['@anthropic-ai/sandbox-runtime', sandboxRuntime],
    ['Podman', podman],
  ] as const) {
    process.stderr.write(`  opening ${name} …\n`)
    try {
      peers.push(await open())
    } catch (error) {
      process.stdout.write(`${name}: left out, ${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`)
    }
  }
  return peers
}

async function takeTurns(contenders: readonly Contender[]): Promise<ReadonlyMap<Contender, readonly Sample[]>> {
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]))
  for (let round = -2; round < ROUNDS; round += 1) {
    process.stderr.write(`\r  round ${round + 1} of ${ROUNDS} `)
    for (const contender of contenders) {
      if (round % (contender.every ?? 1) !== 0) continue
      const sample = await taken(contender)
      if (round >= 0 && sample !== undefined) samples.get(contender)?.push(sample)
    }
  }
  process.stderr.write('\n')
  return samples
}

async function taken(contender: Contender): Promise<Sample | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const sample = await contender.sample()
    if (sample !== undefined) return sample
  }
  return undefined
}

function printGroup(group: string, title: string, all: readonly Contender[], samples: ReadonlyMap<Contender, readonly Sample[]>): void {
  const contenders = all.filter((contender) => contender.group === group)
  const [base] = contenders
  const baseFirst = base === undefined ? [] : (samples.get(base) ?? []).map(({ firstMs }) => firstMs)
  const rows = contenders.map((contender): Row => {
    const taken = samples.get(contender) ?? []
    const first = taken.map(({ firstMs }) => firstMs)
    const end = taken.map(({ endMs }) => endMs)
    const [median, ratio] = [part(first, 0.5), part(first, 0.5) / part(baseFirst, 0.5)]
    return [
      contender.name,
      taken.length,
      median,
      part(first, 0.95),
      part(end, 0.5),
      part(end, 0.95),
      ratio,
      part(first, 0) / part(baseFirst, 0),
      goal(contender, median, ratio),
    ]
  })
  printTable(`${title}: ms from being asked`, ['', 'runs', 'first p50', 'p95', 'end p50', 'p95', '× plain', '× (min)', 'goal'], rows)
}

function goal({ goalMs, goalRatio }: Contender, median: number, ratio: number): string {
  if (goalMs !== undefined) return `≤ ${goalMs} ms: ${median <= goalMs ? 'yes' : 'NO'}`
  if (goalRatio !== undefined) return `≤ ${goalRatio} ×: ${ratio <= goalRatio ? 'yes' : 'NO'}`
  return ''
}

function part(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
}

async function throughput({ pooled, quick, sql }: Pick<Backends, 'pooled' | 'quick' | 'sql'>, peers: readonly Peer[]): Promise<void> {
  const inBox = (name: string, backend: SandboxBackend, lang: SandboxLanguage, code: string, session: boolean): Worker => ({
    name,
    open: async () => {
      const box = await backend.open({})
      return { run: () => box.run({ lang, code, session }), close: () => box.close() }
    },
  })
  const alone = (name: string, run: () => Promise<unknown>): Worker => ({ name, open: async () => ({ run, close: async () => {} }) })
  const runtimeNames = ['@anthropic-ai/sandbox-runtime', 'Podman']
  await measureThroughput([
    alone('plain spawn of bash', () => spawnOnce(PLAIN.bash)),
    inBox('bubblewrap, bash, a box each', pooled, 'bash', HELLO.bash, false),
    inBox('bubblewrap, bash, session', pooled, 'bash', HELLO.bash, true),
    inBox('bubblewrap, python, a box each', pooled, 'python', HELLO.python, false),
    inBox('bubblewrap, js, a box each', pooled, 'js', HELLO.js, false),
    inBox('quickjs', quick, 'js', HELLO.js, false),
    inBox('sqljs', sql, 'sql', SQL, false),
    ...peers.map((peer) => alone(runtimeNames.find((name) => peer.contenders[0]?.name.startsWith(name)) ?? '', () => peer.runBash())),
  ])
}

/** Of backends that have nothing ready: what waits in advance is not a box's. */
async function memory(others: readonly (Pick<SandboxBackend, 'open' | 'name'> & { readonly lang: SandboxLanguage })[]): Promise<void> {
  await using bare = bubblewrapBackend({ clock: systemClock, ids: randomIds, pool: { number: 0 } })
  await using quick = quickJsBackend({ clock: systemClock })
  await using sql = sqlJsBackend({ clock: systemClock })
  await measureMemory([
    { backend: bare, lang: 'bash', code: HELLO.bash },
    { backend: bare, lang: 'python', code: HELLO.python },
    { backend: quick, lang: 'js', code: HELLO.js },
    { backend: sql, lang: 'sql', code: SQL },
    ...others.map((backend) => ({ backend, lang: backend.lang, code: HELLO.bash })),
  ])
}
