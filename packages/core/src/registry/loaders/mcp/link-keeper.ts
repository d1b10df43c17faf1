import { AdjutantError, type Clock, type Logger } from '../../../contract/index.ts'
import { serverGone } from './call-error.ts'
import type { Link } from './link.ts'
import type { Listing } from './list-tools.ts'

export interface Opened {
  readonly link: Link
  readonly listing: Listing
}

export interface LinkKeeperOptions {
  readonly server: string
  readonly clock: Clock
  readonly logger?: Logger | undefined
  /** Connects and lists. @throws AdjutantError; nothing is left running then */
  open(signal: AbortSignal): Promise<Opened>
  /** Lists again over a link that is up. */
  list(link: Link, signal: AbortSignal): Promise<Listing>
  /** Told each list, the first one too. */
  listed(link: Link, listing: Listing): void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000
/** After so many failures in a row it is not tried any more until somebody calls. */
const MAX_ATTEMPTS = 10
/** A connection that lived so long was a good one: what comes after it starts from the beginning. */
const GOOD_MS = 30_000
/** Changes that come together are listed once. */
const GATHER_MS = 100
const LONGEST_GATHER_MS = 30_000
const LIST_TRIES = 3

/**
 * Owns the one link to a server. A link that is lost is opened anew: at once when somebody wants to call, else after a wait that
 * doubles with each failure. Never sends a call. A server that says its tools changed is asked for them again; one that says so all the
 * time is asked less and less often. Nothing happens after `close`.
 */
export class LinkKeeper {
  readonly #options: LinkKeeperOptions
  readonly #end = new AbortController()
  #link: Link | undefined
  /** A link whose session the server forgot: it looks alive and is not. */
  #forgotten: Link | undefined
  /** How many calls are on a link, and the links that are closed when theirs are done: each learns by itself what became of it. */
  readonly #users = new Map<Link, number>()
  readonly #retired = new Set<Link>()
  #opening: Promise<Link> | undefined
  #openedAt = 0
  #attempts = 0
  #cancelWait = (): void => {}
  #cancelGather = (): void => {}
  #cancelListen = (): void => {}
  #gathering = false
  #relisting: Promise<void> = Promise.resolve()
  #relists = 0
  #relistedAt = Number.NEGATIVE_INFINITY

  constructor(options: LinkKeeperOptions) {
    this.#options = options
  }

  get closed(): boolean {
    return this.#end.signal.aborted
  }

  /** Takes a link that was opened outside. */
  adopt({ link, listing }: Opened): void {
    this.#take(link, listing)
  }

  /** A link that is up, opened now when there is none. @throws AdjutantError: the server is not there, nothing was sent */
  async up(signal?: AbortSignal): Promise<Link> {
    const { server } = this.#options
    if (this.closed) throw serverGone(server, 'is closed')
    const link = this.#link
    if (link !== undefined && link !== this.#forgotten && link.death() === undefined) return link
    const opening = this.#reopen()
    try {
      return await (signal === undefined ? opening : orAborted(opening, signal))
    } catch (error) {
      if (this.closed) throw serverGone(server, 'is closed')
      if (signal?.aborted === true) throw error
      const failure = AdjutantError.from(error, 'MCP_SERVER_UNAVAILABLE')
      if (link === undefined) throw failure
      const { grade, hint } = failure
      const message = `MCP server "${server}" ${link.death() ?? 'lost the session'} and could not be connected again; the call was not run: ${failure.message}`
      throw new AdjutantError('MCP_SERVER_UNAVAILABLE', message, { outcome: 'not-run', grade, hint, cause: failure })
    }
  }

  /** Keeps a link that is replaced meanwhile open until the work is done. */
  async use<T>(link: Link, work: () => Promise<T>): Promise<T> {
    this.#users.set(link, (this.#users.get(link) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (this.#users.get(link) ?? 1) - 1
      if (left > 0) this.#users.set(link, left)
      else {
        this.#users.delete(link)
        if (this.#retired.delete(link)) void link.close()
      }
    }
  }

  /** The server forgot this link's session: it is of no more use. Gives the failure to open another, if it failed. */
  async renew(lost: Link): Promise<AdjutantError | undefined> {
    if (this.closed) return serverGone(this.#options.server, 'is closed')
    if (this.#link !== lost) return undefined
    this.#forgotten = lost
    try {
      await this.#reopen()
      return undefined
    } catch (error) {
      this.#later()
      return AdjutantError.from(error, 'MCP_SERVER_UNAVAILABLE')
    }
  }

  async close(): Promise<void> {
    this.#end.abort(new AdjutantError('CANCELLED', 'the connection was closed'))
    this.#cancelWait()
    this.#cancelGather()
    this.#cancelListen()
    await Promise.all([this.#link, ...this.#retired].map((link) => link?.close()))
    // One that was being opened meanwhile is closed by whoever opens it.
    await this.#opening?.catch(() => {})
    await this.#relisting
  }

  #reopen(): Promise<Link> {
    this.#cancelWait()
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<Link> {
    const lost = this.#link
    try {
      const opened = await this.#options.open(this.#end.signal)
      if (this.closed) {
        await opened.link.close()
        throw serverGone(this.#options.server, 'is closed')
      }
      this.#take(opened.link, opened.listing)
      return opened.link
    } finally {
      if (lost !== undefined) await this.#retire(lost)
    }
  }

  async #retire(lost: Link): Promise<void> {
    if (this.#users.has(lost)) this.#retired.add(lost)
    else await lost.close()
  }

  #take(link: Link, listing: Listing): void {
    const { clock, server, logger } = this.#options
    this.#link = link
    this.#openedAt = clock.monotonic()
    link.client.onclose = () => {
      if (this.closed || this.#link !== link) return
      logger?.warn(`MCP server "${server}" ${link.death() ?? 'closed its connection'}`, { lastWords: link.lastWords() })
      if (clock.monotonic() - this.#openedAt >= GOOD_MS) this.#attempts = 0
      this.#later()
    }
    this.#options.listed(link, listing)
    link.watchTools(() => this.#changed(link))
    void this.#listen(link)
  }

  /**
   * In the newer protocol changes are told to those who asked to be told. When the server ends that, it is asked again, and what was
   * missed meanwhile is listed.
   */
  async #listen(link: Link, attempt = 0): Promise<void> {
    const { client } = link
    if (client.getProtocolEra() !== 'modern' || client.getServerCapabilities()?.tools?.listChanged !== true) return
    const { clock, server, logger } = this.#options
    try {
      const { closed } = await client.listen({ toolsListChanged: true })
      const since = clock.monotonic()
      if (attempt > 0) this.#changed(link)
      if ((await closed) === 'local' || this.closed || this.#link !== link || link.death() !== undefined) return
      const next = clock.monotonic() - since >= GOOD_MS ? 1 : attempt + 1
      if (next > MAX_ATTEMPTS) return
      this.#cancelListen = clock.after(waitAfter(next), () => {
        if (this.#link === link) void this.#listen(link, next)
      })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      logger?.debug(`MCP server "${server}" does not tell when its tools change: ${why.slice(0, 300)}`)
    }
  }

  #later(): void {
    const { clock, server, logger } = this.#options
    this.#cancelWait()
    if (this.closed) return
    if (this.#attempts >= MAX_ATTEMPTS) {
      logger?.warn(`MCP server "${server}" is not started again by itself: ${this.#attempts} attempts failed. The next call tries it.`)
      return
    }
    this.#cancelWait = clock.after(waitAfter(++this.#attempts), () => {
      this.#reopen().then(
        () => logger?.info(`MCP server "${server}" is connected again`),
        (error: unknown) => {
          if (this.closed) return
          logger?.warn(`MCP server "${server}" could not be connected again: ${error instanceof Error ? error.message : String(error)}`)
          this.#later()
        },
      )
    })
  }

  #changed(link: Link): void {
    if (this.#gathering || this.closed || this.#link !== link) return
    this.#gathering = true
    const { clock } = this.#options
    // A minute of quiet, and it is listened to as at first.
    if (clock.monotonic() - this.#relistedAt > 60_000) this.#relists = 0
    const wait = Math.min(GATHER_MS * 2 ** Math.min(this.#relists++, 20), LONGEST_GATHER_MS)
    this.#cancelGather = clock.after(wait, () => {
      this.#gathering = false
      this.#relistedAt = clock.monotonic()
      this.#relisting = this.#relisting.then(() => this.#relist(link))
    })
  }

  async #relist(link: Link): Promise<void> {
    const { server, logger, list, listed } = this.#options
    for (let attempt = 1; attempt <= LIST_TRIES; attempt++) {
      // A link that is gone is listed anew with the next one.
      if (this.closed || this.#link !== link || link.death() !== undefined) return
      try {
        const listing = await list(link, this.#end.signal)
        if (!this.closed && this.#link === link) listed(link, listing)
        return
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        logger?.warn(
          `MCP server "${server}" said that its tools changed, and could not be asked for them (attempt ${attempt}): ${why.slice(0, 500)}`,
        )
      }
    }
  }
}

/** The first failure is waited after for half a second, each further one for twice as long. */
function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => {})
  const onAbort = (): void => stopped.reject(new AdjutantError('CANCELLED', 'stopped before it was sent', { outcome: 'not-run' }))
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
