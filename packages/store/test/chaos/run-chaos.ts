/**
 * Owns one chaos run: workers that carry sessions on while they are killed, put to sleep and kill themselves at drawn steps; two approvers in processes of
 * their own that race for every question; where it is given, a restart of the database under load. Ends when every call has its result, or when its time is
 * over; then looks at what was kept.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@adjutant/core'
import type { ApprovalId } from '@adjutant/core/contract'
import { type ChaosEnd, ChaosProcess, ProcessHerd, StartBook, seededRandom } from '@adjutant/testkit'
import { openStore, type Store } from '../../src/open-store.ts'
import { auditRun, type RunAudit } from './audit-run.ts'
import { type ChaosPlan, chaosPlan } from './plan.ts'

export interface ChaosOptions {
  readonly url: string
  readonly seed: number
  readonly checkpoints: number
  readonly workers: number
  /** Milliseconds between two SIGKILLs from outside. */
  readonly killEveryMs: number
  /** Milliseconds that the body of a tool takes at most: long enough to be killed in it now and then. */
  readonly bodyMs: number
  /** Milliseconds for the whole run. */
  readonly limitMs: number
  /** A crash of the database under load. Called once, when about a third is done. */
  readonly restart?: () => Promise<void>
  /** One line about how far it is. */
  readonly progress?: (line: string) => void
}

export interface ChaosReport extends RunAudit {
  readonly sessions: number
  readonly checkpoints: number
  /** Decisions that were tried, how many of them were first, second, neither. */
  readonly attempts: number
  readonly won: number
  readonly conflicts: number
  readonly undecided: number
  readonly workersStarted: number
  readonly killed: number
  readonly killedThemselves: number
  readonly slept: number
  readonly restarts: number
  /** Ends of workers and approvers that nobody had asked for. */
  readonly faults: readonly ChaosEnd[]
  /** What workers met and got over, by code. */
  readonly met: Readonly<Record<string, number>>
  readonly ms: number
}

const LEASE_MS = 1_500
/** Workers that fall over by themselves: after so many it is known, and the rest would only be more of it. */
const MOST_FAULTS = 10
const LOOK_MS = 150
/** One in so many questions is answered differently by the two. */
const QUARRELS = 8
const APPROVERS = ['ada', 'ben'] as const

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-chaos-'))
  try {
    await using store = await openStore(options.url, { retryLimitMs: 20_000 })
    return await new ChaosRun(options, store, folder).run()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

class ChaosRun {
  readonly #options: ChaosOptions
  readonly #store: Store
  readonly #folder: string
  readonly #book: string
  readonly #plan: ChaosPlan
  readonly #random: () => number
  readonly #told = new Set<ApprovalId>()
  readonly #denied = new Set<ApprovalId>()
  readonly #quarrels = new Map<string, readonly ['yes' | 'no', 'yes' | 'no']>()
  readonly #ends = { won: 0, lost: 0, failed: 0 }
  readonly #met: Record<string, number> = {}
  #restarts = 0

  constructor(options: ChaosOptions, store: Store, folder: string) {
    this.#options = options
    this.#store = store
    this.#folder = folder
    this.#book = join(folder, 'book')
    this.#plan = chaosPlan(options.seed, options.checkpoints)
    this.#random = seededRandom(options.seed + 1)
  }

  async run(): Promise<ChaosReport> {
    const begun = systemClock.monotonic()
    const approvers = await Promise.all(APPROVERS.map((name, index) => this.#approver(name, index)))
    const herd = new ProcessHerd({
      clock: systemClock,
      size: this.#options.workers,
      random: this.#random,
      expected: (end) => end.signal === 'SIGKILL',
      start: (number) => this.#worker(number),
    })
    try {
      await this.#until(begun + this.#options.limitMs, herd, approvers)
    } finally {
      await herd.sendHome()
      for (const approver of approvers) approver.tellNoMore()
    }
    const ended = await Promise.all(approvers.map((approver) => approver.ended))
    const audit = await auditRun(this.#plan, this.#store.sessions, new StartBook(this.#book).read(), this.#denied)
    return {
      ...audit,
      sessions: this.#plan.sessions.length,
      checkpoints: this.#plan.held,
      attempts: this.#ends.won + this.#ends.lost + this.#ends.failed,
      won: this.#ends.won,
      conflicts: this.#ends.lost,
      undecided: this.#ends.failed,
      workersStarted: herd.started,
      killed: herd.killed,
      killedThemselves: herd.diedByThemselves,
      slept: herd.slept,
      restarts: this.#restarts,
      faults: [...herd.faults, ...ended.filter(({ code }) => code !== 0)],
      met: this.#met,
      ms: systemClock.monotonic() - begun,
    }
  }

  /** Looks, tells the approvers of what is new, hurts somebody when it is time; until all is done. */
  async #until(deadline: number, herd: ProcessHerd, approvers: readonly ChaosProcess[]): Promise<void> {
    const { killEveryMs, restart, progress } = this.#options
    let kill = systemClock.monotonic() + killEveryMs
    let turn = 0
    let restarting: Promise<void> | undefined
    for (;;) {
      const now = systemClock.monotonic()
      if (now >= kill) {
        kill = now + killEveryMs
        turn += 1
        // Every other time one is put to sleep for longer than its lease: it wakes up as a stranger.
        if (turn % 2 === 0) herd.sleepOne(LEASE_MS * 2)
        else herd.killOne()
      }
      const done = await this.#look(approvers).catch(() => undefined)
      if (done !== undefined)
        progress?.(`${this.#told.size} asked, ${done} of ${this.#plan.sessions.length} sessions done, ${herd.started} workers`)
      if (restart !== undefined && restarting === undefined && this.#told.size >= this.#plan.held / 3) {
        restarting = restart().then(() => {
          this.#restarts += 1
        })
      }
      if (done === this.#plan.sessions.length || now >= deadline || herd.faults.length >= MOST_FAULTS) break
      await new Promise<void>((resolve) => void systemClock.after(LOOK_MS, resolve))
    }
    await restarting
  }

  /** @returns sessions whose work is done */
  async #look(approvers: readonly ChaosProcess[]): Promise<number> {
    const { sessions } = this.#store
    const pending = await sessions.approvals.list('local', { state: 'pending', limit: 1_000 })
    for (const { id } of pending.items) {
      if (this.#told.has(id)) continue
      this.#told.add(id)
      const first = this.#random() < 0.5 ? 'yes' : 'no'
      const answers = this.#random() * QUARRELS < 1 ? ([first, first === 'yes' ? 'no' : 'yes'] as const) : (['yes', 'yes'] as const)
      this.#quarrels.set(id, answers)
      for (const [index, approver] of approvers.entries()) approver.tell(`${id} ${answers[index]}`)
    }
    const kept = await sessions.list('local', { state: 'idle', limit: 1_000 })
    return kept.items.filter(({ steps }) => steps > 0).length
  }

  async #approver(name: string, index: number): Promise<ChaosProcess> {
    const ready = Promise.withResolvers<void>()
    const approver = new ChaosProcess({
      script: fileURLToPath(new URL('./approver.ts', import.meta.url)),
      args: [this.#options.url, name],
      nodeArgs: NODE_ARGS,
      env: { NODE_COMPILE_CACHE: join(this.#folder, 'code') },
      onLine: (line) => {
        if (line === 'ready') ready.resolve()
        else this.#heard(line, index)
      },
    })
    void approver.ended.then(({ said }) => ready.reject(new Error(`an approver did not start: ${said}`)))
    await ready.promise
    return approver
  }

  #heard(line: string, index: number): void {
    const [id = '', end = ''] = line.split(' ')
    if (end === 'won') this.#ends.won += 1
    else if (end === 'lost') this.#ends.lost += 1
    else this.#ends.failed += 1
    const told = [...this.#told].find((each) => each === id)
    if (end === 'won' && told !== undefined && this.#quarrels.get(id)?.[index] === 'no') this.#denied.add(told)
  }

  #worker(number: number): ChaosProcess {
    const { url, seed, checkpoints, bodyMs } = this.#options
    // Most of them die at a step of their own; the others live until somebody kills them.
    const dieAt = this.#random() < 0.7 ? 3 + Math.floor(this.#random() * 40) : 1_000_000
    return new ChaosProcess({
      script: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      args: [url, this.#book, this.#folder, ...[seed, checkpoints, number, dieAt, LEASE_MS, bodyMs].map(String)],
      nodeArgs: NODE_ARGS,
      env: { NODE_COMPILE_CACHE: join(this.#folder, 'code') },
      onLine: (line) => {
        if (line === 'ready') return
        this.#met[line] = (this.#met[line] ?? 0) + 1
      },
    })
  }
}

const NODE_ARGS = ['--conditions=adjutant-source', '--disable-warning=ExperimentalWarning']
