import type { EventSink, SessionEvent } from '../contract/events.ts'
import type { ObservedSession, SessionFollower, SessionObserver } from '../contract/observe.ts'

type EventType = SessionEvent['type']

/** What followers of each sink want: undefined for a sink that wants all. */
const wanted = new WeakMap<EventSink, ReadonlySet<EventType>>()

/** The sink, when somebody behind it wants events of that type: for whoever makes so many that making them counts. */
export function sinkOf(emit: EventSink | undefined, type: EventType): EventSink | undefined {
  if (emit === undefined) return undefined
  return wanted.get(emit)?.has(type) === false ? undefined : emit
}

/**
 * Owns who hears a session's events. Everybody hears what he wants in order; one that throws breaks its promise and is told of in the log, the
 * others go on.
 */
export class Followers {
  readonly #sink: EventSink | undefined
  readonly #followers: readonly SessionFollower[]
  /** Who wants what: asked for each event. */
  readonly #hearers = new Map<EventType, readonly SessionFollower[]>()
  /** Undefined when nobody listens: then nobody makes events. */
  readonly emit: EventSink | undefined

  constructor(sink: EventSink | undefined, observers: readonly SessionObserver[], session: ObservedSession) {
    this.#sink = sink
    this.#followers = observers.map((observer) => observer.follow(session))
    this.emit = this.#followers.length === 0 ? sink : (event) => this.#tell(event)
    // A host's own sink hears everything.
    if (sink !== undefined || this.emit === undefined) return
    const all = new Set<EventType>()
    for (const { wants } of this.#followers) {
      if (wants === undefined) return
      for (const type of wants) all.add(type)
    }
    wanted.set(this.emit, all)
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
    for (const follower of this.#hearers.get(event.type) ?? this.#hearersOf(event.type)) {
      try {
        follower.event(event)
      } catch (error) {
        const message = `an observer failed: ${error instanceof Error ? error.message : String(error)}`
        this.#sink?.({ type: 'log', level: 'error', message, at: event.at })
      }
    }
  }

  #hearersOf(type: EventType): readonly SessionFollower[] {
    const hearers = this.#followers.filter(({ wants }) => wants === undefined || wants.has(type))
    this.#hearers.set(type, hearers)
    return hearers
  }
}
