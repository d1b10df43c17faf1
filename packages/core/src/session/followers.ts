import type { EventSink, SessionEvent } from '../contract/events.ts'
import type { ObservedSession, SessionFollower, SessionObserver } from '../contract/observe.ts'

/**
 * Owns who hears a session's events. Everybody hears them in order; one that throws breaks its promise and is told of in the log, the
 * others go on.
 */
export class Followers {
  readonly #sink: EventSink | undefined
  readonly #followers: readonly SessionFollower[]
  /** Undefined when nobody listens: then nobody makes events. */
  readonly emit: EventSink | undefined

  constructor(sink: EventSink | undefined, observers: readonly SessionObserver[], session: ObservedSession) {
    this.#sink = sink
    this.#followers = observers.map((observer) => observer.follow(session))
    this.emit = this.#followers.length === 0 ? sink : (event) => this.#tell(event)
  }

  /** All that was told is as safe as each observer makes it. @throws the first observer's error */
  async flush(): Promise<void> {
    if (this.#followers.length > 0) await Promise.all(this.#followers.map((follower) => follower.flush?.()))
  }

  async close(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.close?.()))
  }

  #tell(event: SessionEvent): void {
    this.#sink?.(event)
    for (const follower of this.#followers) {
      try {
        follower.event(event)
      } catch (error) {
        const message = `an observer failed: ${error instanceof Error ? error.message : String(error)}`
        this.#sink?.({ type: 'log', level: 'error', message, at: event.at })
      }
    }
  }
}
