/**
 * Owns a number of worker processes that are to be killed all the time: whoever ends is replaced at once, until the herd is sent home. Who ended without
 * having been killed is remembered: a worker that falls over by itself is a fault of what is tested.
 */
import type { Clock } from '@adjutant/core/contract'
import type { ChaosEnd, ChaosProcess } from './chaos-process.ts'

export interface ProcessHerdOptions {
  readonly clock: Clock
  readonly size: number
  /** Starts one; `number` counts from 1 and never comes twice. */
  readonly start: (number: number) => ChaosProcess
  /** An end that is no fault, besides being killed by the herd: e.g. by its own SIGKILL at the n-th step. Default: none. */
  readonly expected?: (end: ChaosEnd) => boolean
  /** From 0 up to 1. */
  readonly random: () => number
}

/** How long a dead one is missing. A crash at the start would otherwise be a storm of processes. */
const REPLACE_AFTER_MS = 50

export class ProcessHerd {
  readonly #options: ProcessHerdOptions
  readonly #members = new Set<ChaosProcess>()
  readonly #faults: ChaosEnd[] = []
  readonly #disarm = new Set<() => void>()
  readonly #asleep = new Set<ChaosProcess>()
  #started = 0
  #killed = 0
  #own = 0
  #slept = 0
  #home = false

  constructor(options: ProcessHerdOptions) {
    this.#options = options
    for (let index = 0; index < options.size; index += 1) this.#add()
  }

  /** Processes started in all. */
  get started(): number {
    return this.#started
  }
  /** Killed from outside. */
  get killed(): number {
    return this.#killed
  }
  /** Ended as they were expected to, by themselves. */
  get diedByThemselves(): number {
    return this.#own
  }
  get slept(): number {
    return this.#slept
  }
  /** Ends that nobody had asked for. */
  get faults(): readonly ChaosEnd[] {
    return this.#faults
  }

  /** SIGKILL to a random one of those that are awake and have spoken: who is still starting has nothing to lose, and on a busy machine nobody would get further. */
  killOne(): void {
    const victim = this.#any(this.#awake())
    if (victim === undefined) return
    this.#killed += 1
    victim.kill()
  }

  /** SIGSTOP to a random one of those that have spoken, SIGCONT after `ms`. */
  sleepOne(ms: number): void {
    const victim = this.#any(this.#awake())
    if (victim === undefined) return
    this.#slept += 1
    this.#asleep.add(victim)
    victim.sleep()
    this.#after(ms, () => {
      this.#asleep.delete(victim)
      victim.wake()
    })
  }

  /** Nobody is replaced any more; all are killed. Resolves when they are gone. */
  async sendHome(): Promise<void> {
    this.#home = true
    for (const disarm of this.#disarm) disarm()
    const members = [...this.#members]
    for (const member of members) member.kill()
    await Promise.all(members.map((member) => member.ended))
  }

  #awake(): readonly ChaosProcess[] {
    return [...this.#members].filter((each) => each.running && each.spoke && !this.#asleep.has(each))
  }

  #any<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#options.random() * all.length)]
  }

  #after(ms: number, run: () => void): void {
    const disarm = this.#options.clock.after(ms, () => {
      this.#disarm.delete(disarm)
      run()
    })
    this.#disarm.add(disarm)
  }

  #add(): void {
    if (this.#home) return
    this.#started += 1
    const member = this.#options.start(this.#started)
    this.#members.add(member)
    void member.ended.then((end) => {
      this.#members.delete(member)
      this.#asleep.delete(member)
      if (this.#home) return
      if (!end.killed && this.#options.expected?.(end) === true) this.#own += 1
      else if (!end.killed) this.#faults.push(end)
      this.#after(REPLACE_AFTER_MS, () => this.#add())
    })
  }
}
