/**
 * Owns how one attempt is made and judged: in a box that is shared until something disturbs it, against planted targets, with a proof that
 * it works where nothing holds it. Gives no attempt to a box that does not claim to hold it. One attempt at a time.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AdjutantError, type Sandbox, type SandboxBackend, type SandboxReport, type SandboxSpec } from '@adjutant/core/contract'
import { ATTACK_LIMITS, type AttemptEvidence, type Canaries, ranMark, type SandboxAttempt } from './attempt.ts'
import { processesNamed } from './host-processes.ts'
import { leakyBackend, weakBoxBackend } from './open-box.ts'
import { type PlantedCanaries, plantCanaries } from './plant-canaries.ts'

/** `broken`: the program never ran, so that nothing is known. */
export type AttackOutcome = 'held' | 'escaped' | 'declared-absent' | 'no-language' | 'broken'

export interface AttackResult {
  readonly attempt: SandboxAttempt
  readonly outcome: AttackOutcome
  /** How it was shown that the attempt works: absent when it was not, and {@link AttackResult.unproven} says why. */
  readonly provenBy?: 'user' | 'weak-box'
  readonly unproven?: string
  /** What the box said, cut short. */
  readonly detail: string
}

/** The suite makes its weak box with bubblewrap. */
export const NO_WEAK_BOX = 'there is no weakened box for this language here'

type Proof = Pick<AttackResult, 'provenBy' | 'unproven'>

/** Whether attempts work is a fact of the machine: each is proven once in a process. */
const proofs = new Map<string, Promise<Proof>>()

export interface AttackBenchOptions {
  /** For every box; {@link ATTACK_LIMITS} hold unless it says otherwise. */
  readonly spec?: SandboxSpec
  /** Boxes like the backend's own that hold nothing, for attempts that prove themselves in one. Default: {@link weakBoxBackend}. */
  readonly weakened?: () => SandboxBackend | undefined
}

export class AttackBench implements AsyncDisposable {
  readonly #backend: SandboxBackend
  readonly #spec: SandboxSpec
  readonly #planted: PlantedCanaries
  readonly #weakened: (() => SandboxBackend | undefined) | undefined
  #box: Sandbox | undefined
  #size = ''

  private constructor(backend: SandboxBackend, options: AttackBenchOptions, planted: PlantedCanaries) {
    this.#backend = backend
    this.#spec = { ...options.spec, limits: { ...ATTACK_LIMITS, ...options.spec?.limits } }
    this.#weakened = options.weakened
    this.#planted = planted
  }

  /** Plants the targets. @throws Error when the machine has no Python */
  static async open(backend: SandboxBackend, options: AttackBenchOptions = {}): Promise<AttackBench> {
    return new AttackBench(backend, options, await plantCanaries())
  }

  get canaries(): Canaries {
    return this.#planted.canaries
  }

  /** Tries it. Never throws for what the box did. @throws what the backend threw when no box could be opened */
  async attack(attempt: SandboxAttempt): Promise<AttackResult> {
    if (!this.#backend.languages.has(attempt.lang)) return { attempt, outcome: 'no-language', detail: `no ${attempt.lang}` }
    if (!this.#backend.enforces.has(attempt.guarantee))
      return { attempt, outcome: 'declared-absent', detail: `does not claim ${attempt.guarantee}` }
    const proof = await this.#prove(attempt)
    const box = await this.#openBox(attempt)
    const neighbour = (): Promise<Sandbox> => this.#backend.open({ ...this.#spec, limits: { ...this.#spec.limits, ...attempt.limits } })
    const tried = await tryIn(box, attempt, this.#planted, neighbour, async () => {
      if (attempt.disturbs !== true) return
      this.#box = undefined
      await box.close()
    })
    if (tried.lost) {
      this.#box = undefined
      await box.close().catch(() => undefined)
    }
    return { attempt, outcome: tried.outcome, ...proof, detail: tried.detail }
  }

  /** The box of the attempt before, when it is of the right size. */
  async #openBox(attempt: SandboxAttempt): Promise<Sandbox> {
    const size = JSON.stringify(attempt.limits ?? {})
    if (this.#box !== undefined && this.#size !== size) {
      await this.#box.close()
      this.#box = undefined
    }
    this.#size = size
    this.#box ??= await this.#backend.open({ ...this.#spec, limits: { ...this.#spec.limits, ...attempt.limits } })
    return this.#box
  }

  #prove(attempt: SandboxAttempt): Promise<Proof> {
    const weakened = this.#weakened
    if (weakened !== undefined) return prove(attempt, this.#planted, weakened)
    let proof = proofs.get(attempt.id)
    if (proof === undefined) {
      proof = prove(attempt, this.#planted, weakBoxBackend)
      proofs.set(attempt.id, proof)
    }
    return proof
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#box?.close()
    } finally {
      await this.#planted[Symbol.asyncDispose]()
    }
  }
}

async function prove(attempt: SandboxAttempt, planted: PlantedCanaries, weakBox: () => SandboxBackend | undefined): Promise<Proof> {
  const { control } = attempt
  if (typeof control === 'object') return { unproven: control.none }
  const backend = control === 'user' ? leakyBackend() : weakBox()
  if (backend?.languages.has(attempt.lang) !== true) return { unproven: NO_WEAK_BOX }
  await using box = await backend.open({})
  const { outcome, detail } = await tryIn(
    box,
    attempt,
    planted,
    () => backend.open({}),
    async () => {},
  )
  return outcome === 'escaped' ? { provenBy: control } : { unproven: `it did not work where nothing of ours holds it: ${detail}` }
}

interface Tried {
  readonly outcome: 'held' | 'escaped' | 'broken'
  readonly detail: string
  /** The box cannot be used any more. */
  readonly lost: boolean
}

/**
 * @param openNeighbour another box of the same kind
 * @param settle closes the box first where the attempt asks for it
 */
async function tryIn(
  box: Sandbox,
  attempt: SandboxAttempt,
  planted: PlantedCanaries,
  openNeighbour: () => Promise<Sandbox>,
  settle: () => Promise<void>,
): Promise<Tried> {
  // Names of its own for each try: what a try before left behind is not taken for this one's.
  const canaries: Canaries = { ...planted.canaries, nonce: randomBytes(6).toString('hex') }
  const before = await planted.signals()
  let report: SandboxReport | undefined
  let text = ''
  let failed: string | undefined
  const beside = attempt.neighbour === undefined ? undefined : await openNeighbour()
  try {
    if (beside !== undefined) await attempt.neighbour?.(beside, canaries)
    report = await box.run({ lang: attempt.lang, code: attempt.code(canaries) })
    text = said(report)
    if (attempt.after !== undefined) text += await attempt.after(box, canaries).catch(refusal)
  } catch (error) {
    // A box that broke under an attempt is no escape; the code says only this much.
    if (!AdjutantError.isInstance(error) || error.code === 'INTERNAL') throw error
    failed = `${error.code}: ${error.message}`
  } finally {
    await beside?.close()
  }
  await settle()
  const evidence: AttemptEvidence = { report, text, signals: (await planted.signals()) - before, exists }
  const escaped = attempt.escaped(evidence, canaries)
  await clean(canaries)
  const ended = report !== undefined && (report.limit !== undefined || report.timedOut || report.oom)
  const ran = attempt.lang === 'sql' || ended || text.includes(ranMark(canaries)) || (failed !== undefined && attempt.disturbs === true)
  const outcome = escaped ? 'escaped' : ran ? 'held' : 'broken'
  const ending = `exit ${report?.exitCode ?? report?.signal ?? '?'}${report?.limit === undefined ? '' : ` limit ${report.limit}`}`
  const detail = `${failed ?? ending} ${tellable(text, outcome, attempt)}`.replaceAll(/\s+/g, ' ').slice(0, 400)
  return { outcome, detail, lost: failed !== undefined }
}

/** What came out of the host may hold real secrets: then only the suite's own words are shown, for this ends in logs. */
function tellable(text: string, outcome: Tried['outcome'], attempt: SandboxAttempt): string {
  const whole = outcome !== 'escaped' && attempt.guarantee !== 'environment' && attempt.guarantee !== 'processes'
  if (whole) return text
  const words = text.matchAll(/\b(?:ran|won)-[0-9a-f]{12}\b|\bcanary-[a-z-]{1,40}-[0-9a-f]{24}\b|^(?:got|answer) -?\d{1,15}$/gm)
  return Array.from(words, (match) => match[0]).join(' ')
}

function said(report: SandboxReport): string {
  const decoder = new TextDecoder('latin1')
  return `${decoder.decode(report.stdout)}\n${decoder.decode(report.stderr)}\n`
}

/** The host was refused, or found nothing: what must happen. Anything but an AdjutantError is the message of a careless box. */
function refusal(error: unknown): string {
  return `refused ${error instanceof Error ? error.message : String(error)}`
}

function exists(path: string): boolean {
  return path.startsWith('process:') ? processesNamed(path.slice('process:'.length)).length > 0 : existsSync(path)
}

/** Takes away what an attempt that succeeded made, so that the next is judged by its own. */
async function clean(canaries: Canaries): Promise<void> {
  for (const name of readdirSync(canaries.writable)) rmSync(join(canaries.writable, name), { recursive: true, force: true })
  for (const folder of ['/tmp', '/var/tmp', '/dev/shm']) rmSync(`${folder}/adjutant-${canaries.nonce}`, { force: true })
  const survivors = (): readonly number[] => processesNamed(`survivor-${canaries.nonce}`)
  // A killed process is seen until the system has come to it.
  for (let pids = survivors(); pids.length > 0; pids = survivors()) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
    await new Promise((turn) => setImmediate(turn))
  }
}
