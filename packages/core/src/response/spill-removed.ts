import { constants } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Owns: the record of results that a session kept once and has no more, so that a model that asks for one is told that it was
 * removed, and no later result takes its name. A line each in `removed.log` beside the results, written before the result goes: after
 * a crash in between there is a line too many, which a result that is there outweighs. Bounded: the newest {@link MOST}.
 */

/** `room`: others needed it. `age`: it was too old. */
export type RemovalReason = 'room' | 'age'

export class RemovedResults {
  readonly #path: string
  readonly #ids = new Map<string, RemovalReason>()
  #lines = 0

  private constructor(path: string) {
    this.#path = path
  }

  /** @param folder where the results are */
  static async open(folder: string): Promise<RemovedResults> {
    const removed = new RemovedResults(join(folder, 'removed.log'))
    await removed.read()
    return removed
  }

  /** Takes in what is written down by now: another process may have removed some. */
  async read(): Promise<void> {
    this.#lines = 0
    for (const line of (await readTail(this.#path)).split('\n')) {
      this.#lines++
      const [id, reason] = line.split(' ')
      if (id !== undefined && (reason === 'room' || reason === 'age')) this.#remember(id, reason)
    }
  }

  reasonOf(id: string): RemovalReason | undefined {
    return this.#ids.get(id)
  }

  /** Never rejects: the room is needed, whether or not this can be written down. */
  async add(id: string, reason: RemovalReason): Promise<void> {
    this.#remember(id, reason)
    try {
      if (++this.#lines > 2 * MOST) await this.#rewrite()
      else await append(this.#path, `${id} ${reason}\n`)
    } catch {
      // What is in memory still tells it in this process.
    }
  }

  #remember(id: string, reason: RemovalReason): void {
    this.#ids.set(id, reason)
    const oldest = this.#ids.size > MOST ? this.#ids.keys().next().value : undefined
    if (oldest !== undefined) this.#ids.delete(oldest)
  }

  async #rewrite(): Promise<void> {
    const temporary = `${this.#path}.${process.pid}.0.tmp`
    await rm(temporary, { force: true })
    await writeFile(temporary, Array.from(this.#ids, ([id, reason]) => `${id} ${reason}\n`).join(''), { mode: 0o600, flag: 'wx' })
    await rename(temporary, this.#path)
    this.#lines = this.#ids.size
  }
}

/** Removed results that are remembered. */
const MOST = 1_000
/** Bytes of two times as many lines. */
const MOST_BYTES = 2 * MOST * 100
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0

async function readTail(path: string): Promise<string> {
  try {
    await using handle = await open(path, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0))
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size, MOST_BYTES))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('latin1', 0, bytesRead)
  } catch {
    // None was removed yet, or it cannot be told.
    return ''
  }
}

async function append(path: string, line: string): Promise<void> {
  await using handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW, 0o600)
  await handle.write(line)
}
