/**
 * Owns what sessions hide and what is a leak: a pearl is a word that nobody can know or guess, of one session and one hiding place. Everything that a
 * session is told goes through `seen`: a pearl of another session in it is a leak, and is told with where it was hidden and how it was found.
 */
import { randomBytes } from 'node:crypto'

/** Where a session hides one. */
export const HIDING_PLACES = [
  /** A file of the workspace, and one that the tools for files wrote. */
  'file',
  'note',
  'tmp',
  'shared-memory-file',
  /** System V. */
  'shared-memory',
  'environment',
  /** The arguments of a process in the background. */
  'argument',
  /** What that process prints. */
  'job-output',
  /** What answers on a socket that has a name without a file, on one with a file, and on a port of the loopback. */
  'abstract-socket',
  'socket',
  'port',
  'python-variable',
  'javascript-variable',
  'javascript-file',
  /** In the middle of a result that was too long and was kept. */
  'kept-result',
  'cached-result',
  'database',
] as const

export type HidingPlace = (typeof HIDING_PLACES)[number]

interface Leak {
  readonly owner: number
  readonly place: HidingPlace
  readonly by: number
  readonly how: string
}

/** As programs in boxes look for them. */
export const PEARL_PATTERN = 'pearl_[0-9a-f]{26}'

export class Pearls {
  readonly #made = new Map<string, { readonly owner: number; readonly place: HidingPlace }>()
  readonly #found = new Set<string>()
  readonly #leaks = new Map<string, Leak>()

  make(owner: number, place: HidingPlace): string {
    const pearl = `pearl_${randomBytes(13).toString('hex')}`
    this.#made.set(pearl, { owner, place })
    return pearl
  }

  /** @param how what the session did to be told this; absent: nothing that counts as finding (it has just hidden something) */
  seen(by: number, text: string, how?: string): void {
    for (const pearl of text.match(new RegExp(PEARL_PATTERN, 'g')) ?? []) {
      const made = this.#made.get(pearl)
      if (made === undefined) continue
      if (made.owner !== by) this.#leaks.set(`${by} ${pearl}`, { ...made, by, how: how ?? 'while it hid its own' })
      else if (how !== undefined) this.#found.add(pearl)
    }
  }

  get leaks(): readonly Leak[] {
    return [...this.#leaks.values()]
  }

  /** Forgets what was found: what is found from here on is there from here on. */
  startAgain(): void {
    this.#found.clear()
  }

  /** Places where the session hid something that it did not find since. */
  missed(owner: number, places: readonly HidingPlace[]): readonly HidingPlace[] {
    const missed = [...this.#made].filter(([pearl, made]) => made.owner === owner && !this.#found.has(pearl))
    return missed.map(([, { place }]) => place).filter((place) => places.includes(place))
  }

  /** How many were hidden at each place. */
  get hidden(): Readonly<Partial<Record<HidingPlace, number>>> {
    const counts: Partial<Record<HidingPlace, number>> = {}
    for (const { place } of this.#made.values()) counts[place] = (counts[place] ?? 0) + 1
    return counts
  }
}
