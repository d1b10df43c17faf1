/**
 * Owns the boxes of sessions: one for the programs of the system (bash and Python see the same files), one for JavaScript. A box is opened when it is
 * first needed, used by one call at a time, and closed when nobody used it for a while, when its session ends, or when it broke.
 * Never shared between sessions. Where there are too many, the one that rests the longest goes, and the new one is opened when that is gone; where
 * none rests, the call waits its turn, and is refused where too many wait already.
 */
import { AdjutantError, type Clock, type Sandbox, type SandboxLanguage, type SandboxSpec, type SessionId } from '@adjutant/core/contract'
import { KeyedLock } from '../workspace/keyed-lock.ts'

/** Whoever opens boxes: `openSandboxes` of `@adjutant/sandbox`. */
export interface OpensSandboxes {
  /** @throws AdjutantError SANDBOX_UNAVAILABLE, SANDBOX_TOO_WEAK */
  open(spec: SandboxSpec, lang: SandboxLanguage): Promise<Sandbox>
}

/** A process that goes on in a box after the call that started it. */
export interface Job {
  readonly id: string
  readonly command: string
  /** In the box; also the number of its process group. */
  readonly pid: number
  stopped: boolean
}

/** What is known of an open box beside the box. */
export interface OpenBox {
  readonly sandbox: Sandbox
  readonly jobs: Map<string, Job>
  /** Files as they were after the last run: path → what changes with the content. Undefined: not known. */
  files: ReadonlyMap<string, string> | undefined
  /** False once there were too many to look at after each call. */
  watchesFiles: boolean
  /** The session had a box before, and what only that one held is gone. Said once. */
  replaced: boolean
  /** Languages whose last result said that what was kept is lost: the next one, which has a new shell, need not say it again. */
  readonly toldLost: Set<SandboxLanguage>
  /** False once the backend said that nothing stays between runs. */
  keepsState: boolean
  /** Read-only folders of the host are there. */
  readonly mounted: boolean
}

export interface SessionBoxesOptions {
  readonly sandboxes: OpensSandboxes
  readonly clock: Clock
  /** Of the next box for this language. Asked each time: what is mounted may change. */
  readonly spec: (lang: SandboxLanguage) => Promise<SandboxSpec>
  /** Milliseconds. */
  readonly idleMs: number
  readonly maxBoxes: number
  /** Calls that wait for a box of any session to rest. */
  readonly maxWaiting: number
}

interface Waiter {
  enter(): void
  refuse(reason: AdjutantError): void
}

interface Entry {
  readonly openedFor: SandboxLanguage
  readonly opening: Promise<OpenBox>
  users: number
  /** Grows with each use of any box. */
  used: number
  stopIdle: () => void
}

/** Sessions whose box was closed and of which the next call is told. */
const MOST_REMEMBERED = 10_000

export class SessionBoxes {
  readonly #options: SessionBoxesOptions
  readonly #entries = new Map<string, Entry>()
  readonly #turns = new KeyedLock()
  readonly #gone = new Set<string>()
  readonly #closing = new Set<Promise<void>>()
  readonly #waiting: Waiter[] = []
  /** Rooms that were given to whoever waited and are not taken yet. */
  #given = 0
  #uses = 0
  #closed = false

  constructor(options: SessionBoxesOptions) {
    this.#options = options
  }

  /** Boxes that are open. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Works in the session's box for this language, alone.
   *
   * @throws AdjutantError SANDBOX_UNAVAILABLE, SANDBOX_TOO_WEAK, OVERLOADED, and what `work` throws
   */
  async use<T>(
    session: { readonly sessionId: SessionId; readonly signal: AbortSignal },
    lang: SandboxLanguage,
    work: (box: OpenBox) => Promise<T>,
  ): Promise<T> {
    const own = `${session.sessionId} ${lang}`
    const shared = `${session.sessionId} ${lang === 'js' ? 'js' : 'system'}`
    const key = this.#entries.has(own) ? own : shared
    try {
      return await this.#turns.run(key, () => this.#useEntry(key, lang, work, session.signal), session.signal)
    } catch (error) {
      // The box was opened for another language and does not run this one: it gets a box of its own.
      const other = this.#entries.get(key)
      const elsewhere = AdjutantError.isInstance(error) && error.code === 'UNSUPPORTED' && other !== undefined && other.openedFor !== lang
      if (!elsewhere || key === own) throw error
      return this.#turns.run(own, () => this.#useEntry(own, lang, work, session.signal), session.signal)
    }
  }

  /** Ends the session's boxes and what runs in them. Safe for a session that has none. */
  async closeSession(sessionId: SessionId): Promise<void> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(`${sessionId} `))
    await Promise.all(keys.map((key) => this.#closeEntry(key)))
    for (const key of this.#gone) if (key.startsWith(`${sessionId} `)) this.#gone.delete(key)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(closedError())
    const ends = await Promise.allSettled([...[...this.#entries.keys()].map((key) => this.#closeEntry(key)), ...this.#closing])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async #useEntry<T>(key: string, lang: SandboxLanguage, work: (box: OpenBox) => Promise<T>, signal: AbortSignal): Promise<T> {
    const there = this.#entries.get(key)
    if (there !== undefined) there.users += 1
    const entry = there ?? (await this.#openInTurn(key, lang, signal))
    entry.used = ++this.#uses
    entry.stopIdle()
    try {
      return await work(await entry.opening)
    } catch (error) {
      // Whatever it was, the next call shall not meet it again.
      if (AdjutantError.isInstance(error) && error.code === 'SANDBOX_FAILED' && this.#entries.get(key) === entry) this.#closeQuietly(key)
      throw error
    } finally {
      entry.users -= 1
      if (entry.users === 0 && this.#entries.get(key) === entry) {
        entry.stopIdle = this.#options.clock.after(this.#options.idleMs, () => this.#closeQuietly(key))
        this.#letIn()
      }
    }
  }

  async #openInTurn(key: string, lang: SandboxLanguage, signal: AbortSignal): Promise<Entry> {
    await this.#room(signal)
    try {
      if (signal.aborted) throw signal.reason
      return this.#openEntry(key, lang)
    } finally {
      this.#given -= 1
      this.#letIn()
    }
  }

  /** For whoever asked: it is in use from the start. */
  #openEntry(key: string, lang: SandboxLanguage): Entry {
    if (this.#closed) throw closedError()
    const entry: Entry = { openedFor: lang, opening: this.#open(key, lang), users: 1, used: 0, stopIdle: () => {} }
    this.#entries.set(key, entry)
    entry.opening.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      this.#letIn()
    })
    return entry
  }

  async #open(key: string, lang: SandboxLanguage): Promise<OpenBox> {
    const spec = await this.#options.spec(lang)
    const { sandbox, mounted } = await this.#openSandbox(spec, lang)
    const replaced = this.#gone.delete(key)
    // Nobody else writes in a box's own folder; one of the host is looked at before each run.
    return {
      sandbox,
      jobs: new Map(),
      files: spec.workspace === undefined ? new Map() : undefined,
      watchesFiles: true,
      replaced,
      toldLost: new Set(),
      keepsState: true,
      mounted,
    }
  }

  /** Code is not to be refused because the files of skills cannot be had. */
  async #openSandbox(spec: SandboxSpec, lang: SandboxLanguage): Promise<{ readonly sandbox: Sandbox; readonly mounted: boolean }> {
    const { sandboxes } = this.#options
    try {
      return { sandbox: await sandboxes.open(spec, lang), mounted: true }
    } catch (error) {
      if (spec.mounts === undefined || !AdjutantError.isInstance(error) || !error.code.startsWith('SANDBOX_')) throw error
      const { mounts: _mounts, ...rest } = spec
      return { sandbox: await sandboxes.open(rest, lang), mounted: false }
    }
  }

  /**
   * Comes back when one more box may be opened, which is counted in `#given` until it is.
   *
   * @throws AdjutantError OVERLOADED, SANDBOX_UNAVAILABLE; the signal's reason
   */
  async #room(signal: AbortSignal): Promise<void> {
    if (this.#closed) throw closedError()
    const { maxBoxes, maxWaiting } = this.#options
    if (this.#taken < maxBoxes && this.#waiting.length === 0) {
      this.#given += 1
      return
    }
    if (this.#waiting.length >= maxWaiting && this.#longestResting() === undefined)
      throw new AdjutantError(
        'OVERLOADED',
        `all ${maxBoxes} boxes are running code of other sessions, and ${this.#waiting.length} calls wait`,
        {
          hint: 'Try again when one of them has ended.',
          outcome: 'not-run',
        },
      )
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { enter: resolve, refuse: reject }
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiter)
      if (at !== -1) this.#waiting.splice(at, 1)
      reject(signal.reason)
    }
    this.#waiting.push(waiter)
    signal.addEventListener('abort', leave, { once: true })
    try {
      this.#letIn()
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Boxes that are there, are going, or are promised. */
  get #taken(): number {
    return this.#entries.size + this.#closing.size + this.#given
  }

  /** First come, first served: whoever waits gets what is free; for the others boxes that rest make room. */
  #letIn(): void {
    while (this.#waiting.length > 0 && this.#taken < this.#options.maxBoxes) {
      this.#given += 1
      this.#waiting.shift()?.enter()
    }
    for (let wanted = this.#waiting.length - this.#closing.size; wanted > 0; wanted -= 1) {
      const key = this.#longestResting()
      if (key === undefined) return
      this.#closeQuietly(key)
    }
  }

  #longestResting(): string | undefined {
    let longest: readonly [string, Entry] | undefined
    for (const one of this.#entries) if (one[1].users === 0 && (longest === undefined || one[1].used < longest[1].used)) longest = one
    return longest?.[0]
  }

  async #closeEntry(key: string): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    entry.stopIdle()
    this.#remember(key)
    const closing = entry.opening.then(
      ({ sandbox }) => sandbox.close(),
      () => {},
    )
    this.#closing.add(closing)
    await closing.finally(() => {
      this.#closing.delete(closing)
      this.#letIn()
    })
  }

  /** Nobody waits for it, so nobody is told that it went wrong; the backend ends whatever is left when it is closed. */
  #closeQuietly(key: string): void {
    this.#closeEntry(key).catch(() => {})
  }

  #remember(key: string): void {
    this.#gone.add(key)
    const [oldest] = this.#gone
    if (this.#gone.size > MOST_REMEMBERED && oldest !== undefined) this.#gone.delete(oldest)
  }
}

function closedError(): AdjutantError {
  return new AdjutantError('SANDBOX_UNAVAILABLE', 'the boxes of this process are closed')
}
