/**
 * Runs in boxes beside a plain start of the same program, a wrapper around the same tool of the system, and a container for each run. All take
 * turns in the same minutes, so that whatever else the machine does hits all alike. Ratios are what counts.
 */
import { randomIds, systemClock } from '@adjutant/core'
import type { SandboxBackend, SandboxLanguage } from '@adjutant/core/contract'
import { bubblewrapBackend } from '@adjutant/sandbox'
import { type Beside, openBeside } from './sandbox-beside-client.ts'
import { boxed, type Contender, HELLO, PLAIN, plain, plainBySmallProcess, type Sample, spawnOnce } from './sandbox-contenders.ts'
import { takenByBoxes } from './sandbox-memory.ts'
import { measureThroughput, rated, type Worker } from './sandbox-throughput.ts'
import { printTable, type Row } from './table.ts'

/** Measured rounds; two more come first and are thrown away. */
const ROUNDS = Number(process.env.ADJUTANT_BENCH_ROUNDS ?? 40)
/** Tries until a run was what is to be measured. */
const TRIES = 8
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
  const probe = await pooled.probe()
  process.stdout.write(`bubblewrap: ${probe.detail}\n`)
  if (!probe.ok) return
  process.stderr.write('  opening what is measured beside …\n')
  const beside = await openBeside()
  for (const note of beside.notes) process.stdout.write(`${note}\n`)
  const contenders = [...ours({ pooled, placed, bare }), ...beside.contenders]
  try {
    const samples = await takeTurns(contenders)
    for (const [group, title] of Object.entries(GROUPS)) printGroup(group, title, contenders, samples)
    await Promise.all(contenders.map((contender) => contender.close()))
    await throughput(pooled, beside)
    await memory(bare, beside)
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()))
    await beside.close()
  }
}

interface Backends {
  readonly pooled: SandboxBackend
  readonly placed: SandboxBackend
  readonly bare: SandboxBackend
}

function ours({ pooled, placed, bare }: Backends): readonly Contender[] {
  const once = (lang: 'bash' | 'python' | 'js', settleMs: number, goalMs: number): readonly Contender[] => {
    const common = { group: lang, lang, code: HELLO[lang] }
    return [
      plain(lang, PLAIN[lang]),
      plainBySmallProcess(lang, PLAIN[lang]),
      boxed(pooled, { ...common, name: 'bubblewrap, warm', mode: 'warm', settleMs, goalMs }),
      boxed(placed, { ...common, name: 'bubblewrap, cold', mode: 'cold', settleMs: 40, ...(lang === 'bash' ? { goalRatio: 2.5 } : {}) }),
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
    plain('ls', PLAIN.ls),
    plainBySmallProcess('ls', PLAIN.ls),
    boxed(pooled, { ...stays, name: 'bubblewrap, session', group: 'ls', lang: 'bash', code: 'ls /', goalRatio: 1.5 }),
    plain('sql', PLAIN.js),
  ]
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
  const firsts = (contender: Contender | undefined): readonly number[] =>
    contender === undefined ? [] : (samples.get(contender) ?? []).map(({ firstMs }) => firstMs)
  const baseFirst = firsts(base)
  const smallFirst = firsts(contenders.find(({ name }) => name.endsWith('by a small process')))
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
      median / part(smallFirst, 0.5),
      goal(contender, median, ratio),
    ]
  })
  printTable(
    `${title}: ms from being asked`,
    ['', 'runs', 'first p50', 'p95', 'end p50', 'p95', '× plain', '× (min)', '× small', 'goal'],
    rows,
  )
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

async function throughput(pooled: SandboxBackend, beside: Beside): Promise<void> {
  const inBox = (name: string, lang: SandboxLanguage, code: string, session: boolean): Worker => ({
    name: `bubblewrap, ${name}`,
    open: async () => {
      const box = await pooled.open({})
      return { run: () => box.run({ lang, code, session }), close: () => box.close() }
    },
  })
  await measureThroughput([
    rated({ name: 'plain spawn of bash', open: async () => ({ run: () => spawnOnce(PLAIN.bash), close: async () => {} }) }),
    rated(inBox('bash, a box each', 'bash', HELLO.bash, false)),
    rated(inBox('bash, session', 'bash', HELLO.bash, true)),
    rated(inBox('python, a box each', 'python', HELLO.python, false)),
    rated(inBox('js, a box each', 'js', HELLO.js, false)),
    ...beside.workers,
  ])
}

/** Of a backend that has nothing ready: what waits in advance is not a box's. */
async function memory(bare: SandboxBackend, beside: Beside): Promise<void> {
  const rows: Row[] = []
  for (const lang of ['bash', 'python'] as const) rows.push(await takenByBoxes({ backend: bare, lang, code: HELLO[lang] }))
  rows.push(...(await beside.memory()))
  printTable('Memory for each open box with a session in it, MB (PSS)', ['', 'its processes', 'this process'], rows)
}
