/** Owns what one session of the test is: its tools by name, its place on the host, and what the others know of it. */
import type { Pearls } from './pearls.ts'

export interface Said {
  /** Everything that the session was told: results, errors, progress. */
  readonly text: string
  /** Under which a result was kept that was too long. */
  readonly kept?: string
}

/** Carries out one call in the session. Rejects when the session itself fails; a call that fails is an answer. */
type Call = (tool: string, input: Readonly<Record<string, unknown>>) => Promise<Said>

export interface Player {
  readonly index: number
  readonly call: Call
  /** Its folder on the host, of which its tools for files are. */
  readonly workspace: string
  /** Its boxes have that folder as their workspace. */
  readonly sharesWorkspace: boolean
  readonly tools: ReadonlySet<string>
  /** Absolute, where it has one. */
  readonly database?: string
  close(): Promise<void>
}

/** What everybody knows of a session: names and handles, nothing that was hidden. */
export interface Address {
  readonly index: number
  readonly workspace: string
  readonly database?: string
  /** Handles of kept results. */
  readonly kept: readonly string[]
  /** On the host. */
  readonly processes: readonly number[]
}

/** Does something in the session and looks at all that it is told. */
export async function told(
  player: Player,
  pearls: Pearls,
  how: string | undefined,
  [tool, input]: readonly [string, Readonly<Record<string, unknown>>],
): Promise<Said> {
  const said = await player.call(tool, input)
  pearls.seen(player.index, said.text, how)
  return said
}

/** One word for a shell. */
export function word(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Names by which a session's things can be called; others can guess them. */
export const namesOf = (index: number) => ({
  abstract: `harbour-${index}`,
  port: 20_000 + index,
  shared: `/dev/shm/harbour-${index}`,
  sharedKey: 7_000 + index,
  tmp: `/tmp/harbour-${index}`,
  note: 'note.txt',
  file: 'hold.txt',
  socket: 'harbour.sock',
})
