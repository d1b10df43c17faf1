/**
 * Thousands of runs in all ways that there are: cold, warm, in sessions, stopped, out of time, with processes killed from outside at any moment,
 * with boxes closed in the middle. Then nothing may be left: no process, mount, control group, file, user or descriptor.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type Sandbox, type SandboxBackend, type SandboxRun } from '@adjutant/core/contract'
import { bubblewrapBackend, quickJsBackend } from '@adjutant/sandbox'
import { wait } from './sandbox-contenders.ts'
import { descendants, leftovers } from './sandbox-leftovers.ts'
import { printTable } from './table.ts'

const RUNS = Number(process.env.ADJUTANT_SOAK_RUNS ?? 2_000)
const LANES = 8
/** Runs of one sandbox before the next is opened. */
const RUNS_EACH = 12
/** Until the kernel has let go of what just ended. */
const SETTLE_MS = 10_000

interface Kind {
  readonly name: string
  /** How often, among all. */
  readonly weight: number
  run(box: Sandbox, random: () => number): Promise<string>
}

export async function soakSandbox(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'soak-'))
  // The users of boxes pass through.
  chmodSync(root, 0o711)
  const mark = join(root, 'boxes')
  // What Node itself opens at the first use of anything stays open.
  await someRuns(`${root}/first`)
  const before = await settled(mark)
  const outcomes = new Map<string, number>()
  const tools = { clock: systemClock, ids: randomIds }
  let begun = 0
  const began = performance.now()
  const boxes = bubblewrapBackend({ ...tools, stateRoot: mark })
  const quick = quickJsBackend({ clock: systemClock })
  const random = seeded(20_261_130)
  const lane = async (backend: SandboxBackend, kinds: readonly Kind[]): Promise<void> => {
    while (begun < RUNS) {
      const box = await backend.open({ limits: { wallMs: 20_000 } }).catch(said)
      if (typeof box === 'string') {
        count(outcomes, `open: ${box}`)
        continue
      }
      for (let run = 0; run < RUNS_EACH && begun < RUNS; run += 1) {
        begun += 1
        if (begun % 50 === 0) process.stderr.write(`\r  ${begun} of ${RUNS} runs `)
        const kind = pick(kinds, random)
        const outcome = await kind.run(box, random)
        count(outcomes, `${kind.name}: ${outcome}`)
        // It is closed, or what held its files was killed.
        if (outcome === 'SANDBOX_FAILED') break
      }
      await box.close()
    }
  }
  try {
    await Promise.all([...Array.from({ length: LANES - 1 }, () => lane(boxes, IN_BOXES)), lane(quick, IN_WORKERS)])
  } finally {
    await boxes[Symbol.asyncDispose]()
    await quick[Symbol.asyncDispose]()
  }
  process.stderr.write('\n')
  const seconds = (performance.now() - began) / 1_000
  const after = await settled(mark)
  printTable(`${begun} runs, ${LANES} at once, in ${Math.round(seconds)} s: what became of them`, ['', 'runs'], [...outcomes].sort())
  printTable(
    'Left behind',
    ['', 'before', 'after'],
    Object.entries(after).map(([what, all]) => [what, before[what]?.length ?? 0, all.length]),
  )
  const left = Object.entries(after).flatMap(([what, all]) =>
    all.length > (before[what]?.length ?? 0) ? all.map((one) => `${what} ${one}`) : [],
  )
  for (const one of left.slice(0, 20)) process.stdout.write(`left: ${one}\n`)
  rmSync(root, { recursive: true, force: true })
  if (left.length > 0) process.exitCode = 1
}

/** What is there when the kernel and init have let go of what just ended. */
async function settled(mark: string): Promise<ReturnType<typeof leftovers>> {
  const until = performance.now() + SETTLE_MS
  let now = leftovers(mark, NAP)
  while (performance.now() < until && Object.entries(now).some(([what, all]) => what !== 'descriptors' && all.length > 0)) {
    await wait(100)
    now = leftovers(mark, NAP)
  }
  return now
}

async function someRuns(stateRoot: string): Promise<void> {
  await using boxes = bubblewrapBackend({ clock: systemClock, ids: randomIds, stateRoot })
  await using quick = quickJsBackend({ clock: systemClock })
  for (const [backend, lang] of [[boxes, 'bash'] as const, [quick, 'js'] as const]) {
    await using box = await backend.open({})
    for (const session of [true, false]) await tell(box, { lang, session, code: '1' })
  }
}

/** Seconds, as no other process sleeps. */
const NAP = `9${process.pid}.25`
const BACKGROUND = `trap "" TERM HUP; (setsid sleep ${NAP} &); (sleep ${NAP} &)`

const IN_BOXES: readonly Kind[] = [
  { name: 'bash once', weight: 6, run: (box) => tell(box, { lang: 'bash', code: `${BACKGROUND}; echo $((20 + 1)) > file; cat file` }) },
  {
    name: 'bash session',
    weight: 6,
    run: (box) => tell(box, { lang: 'bash', session: true, code: `${BACKGROUND}; n=$((n + 1)); echo $n` }),
  },
  {
    name: 'python once',
    weight: 2,
    run: (box) =>
      tell(box, {
        lang: 'python',
        code: `import os\nif os.fork() == 0:\n  os.setsid()\n  os.execv("/usr/bin/sleep", ["sleep", "${NAP}"])\nprint(1)`,
      }),
  },
  { name: 'python session', weight: 2, run: (box) => tell(box, { lang: 'python', session: true, code: 'print(1)' }) },
  { name: 'js once', weight: 1, run: (box) => tell(box, { lang: 'js', code: 'console.log(1)' }) },
  {
    name: 'out of time',
    weight: 2,
    run: (box, random) => tell(box, { lang: 'bash', session: random() < 0.5, code: `${BACKGROUND}; sleep ${NAP}`, limits: { wallMs: 40 } }),
  },
  { name: 'too much output', weight: 1, run: (box) => tell(box, { lang: 'bash', code: 'yes', limits: { outputBytes: 100_000 } }) },
  { name: 'stopped', weight: 3, run: (box, random) => stopped(box, random() < 0.5, random() * 25) },
  { name: 'a process killed', weight: 3, run: (box, random) => killed(box, random) },
  { name: 'session ended itself', weight: 1, run: (box) => tell(box, { lang: 'bash', session: true, code: 'kill -9 $$' }) },
  { name: 'closed meanwhile', weight: 1, run: (box, random) => closed(box, random() * 25) },
]

const IN_WORKERS: readonly Kind[] = [
  { name: 'quickjs once', weight: 4, run: (box) => tell(box, { lang: 'js', code: 'console.log(1)' }) },
  { name: 'quickjs session', weight: 2, run: (box) => tell(box, { lang: 'js', session: true, code: 'console.log(1)' }) },
  { name: 'quickjs out of time', weight: 1, run: (box) => tell(box, { lang: 'js', code: 'for (;;);', limits: { wallMs: 30 } }) },
]

async function tell(box: Sandbox, run: SandboxRun): Promise<string> {
  try {
    const { mode, limit, exitCode, signal } = await box.run(run)
    return `${mode}, ${limit === undefined ? `ended with ${exitCode ?? signal}` : `${limit} limit`}`
  } catch (error) {
    return said(error)
  }
}

function stopped(box: Sandbox, session: boolean, afterMs: number): Promise<string> {
  const stop = new AbortController()
  const forget = systemClock.after(afterMs, () => stop.abort())
  return tell(box, { lang: 'bash', session, code: `${BACKGROUND}; sleep ${NAP}`, signal: stop.signal }).finally(forget)
}

/** Anything of ours: a shell that waits, bubblewrap, the first process of a box, what holds its files. */
async function killed(box: Sandbox, random: () => number): Promise<string> {
  const running = tell(box, { lang: 'bash', session: random() < 0.5, code: 'sleep 0.05; echo 1', limits: { wallMs: 5_000 } })
  await wait(random() * 30)
  const all = descendants()
  const pid = all[Math.floor(random() * all.length)]
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
  return running
}

async function closed(box: Sandbox, afterMs: number): Promise<string> {
  const running = tell(box, { lang: 'bash', code: `${BACKGROUND}; sleep ${NAP}` })
  await wait(afterMs)
  await box.close()
  return running
}

function said(error: unknown): string {
  if (!AdjutantError.isInstance(error)) throw error
  return error.code
}

function pick(kinds: readonly Kind[], random: () => number): Kind {
  let at = random() * kinds.reduce((sum, { weight }) => sum + weight, 0)
  const found = kinds.find(({ weight }) => {
    at -= weight
    return at < 0
  })
  if (found === undefined) throw new Error('no kind')
  return found
}

function count(all: Map<string, number>, what: string): void {
  all.set(what, (all.get(what) ?? 0) + 1)
}

/** The same numbers each time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
