/**
 * Owns one process's part in the work: its signs of life, and its leaving. Drained, it takes nothing new, leaves sessions that wait for a person to others,
 * waits a while for what runs, and lets the rest go.
 */
import type { Clock } from '@adjutant/core/contract'

/** Something of a process that takes work: jobs, deliveries, a session. */
export interface NodeMember {
  /** Leaves what only waits, e.g. for a person. Must not throw. */
  leave?(): void
  /** Takes nothing more, waits for what runs at most `graceMs`, then ends it. */
  stop?(options: { readonly graceMs: number }): Promise<void>
}

export interface DrainReport {
  /** What did not end as it should, in words. */
  readonly problems: readonly string[]
}

export interface WorkNodeParts {
  readonly id: string
  readonly clock: Clock
  readonly signMs: number
  readonly sign: () => Promise<void>
  readonly left: () => Promise<void>
  readonly warn: (message: string) => void
}

export class WorkNode implements AsyncDisposable {
  readonly id: string
  readonly #cx: WorkNodeParts
  readonly #members = new Set<NodeMember>()
  readonly #leaving = new AbortController()
  #disarm: () => void = () => {}
  #signing: Promise<void> = Promise.resolve()
  #drained: Promise<DrainReport> | undefined

  constructor(parts: WorkNodeParts) {
    this.#cx = parts
    this.id = parts.id
    this.#arm()
  }

  /** Aborts when it begins to leave: whoever takes work looks at it first. */
  get leaving(): AbortSignal {
    return this.#leaving.signal
  }

  /** Takes part in draining from now on. One that comes while it drains is told to leave at once. @returns takes it out again */
  add(member: NodeMember): () => void {
    this.#members.add(member)
    if (this.#leaving.signal.aborted) member.leave?.()
    return () => void this.#members.delete(member)
  }

  /** Safe to call twice: the second call waits for the first. Never throws. @param graceMs how long what runs is waited for. Default 10 000 */
  drain({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<DrainReport> {
    this.#drained ??= this.#drain(graceMs)
    return this.#drained
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain()
  }

  async #drain(graceMs: number): Promise<DrainReport> {
    this.#leaving.abort(new DOMException('this process leaves', 'AbortError'))
    const problems: string[] = []
    const failed = (error: unknown): void => void problems.push(error instanceof Error ? error.message : String(error))
    // Who only waits first: it may be what a worker waits for.
    for (const member of [...this.#members]) {
      try {
        member.leave?.()
      } catch (error) {
        failed(error)
      }
    }
    await Promise.all([...this.#members].map((member) => member.stop?.({ graceMs }).catch(failed)))
    // To the very end it gives signs of life: what it still does is in the hands of somebody who lives.
    this.#disarm()
    await this.#signing
    await this.#cx.left().catch(failed)
    for (const problem of problems) this.#cx.warn(`leaving: ${problem}`)
    return { problems }
  }

  #arm(): void {
    this.#disarm = this.#cx.clock.after(this.#cx.signMs, () => {
      this.#signing = this.#sign()
    })
  }

  async #sign(): Promise<void> {
    // Before it is written: while the store does not answer, there is still a next one.
    this.#arm()
    await this.#cx
      .sign()
      .catch((error: unknown) => this.#cx.warn(`no sign of life could be given: ${error instanceof Error ? error.message : error}`))
  }
}
