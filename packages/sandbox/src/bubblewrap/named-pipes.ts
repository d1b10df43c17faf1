/**
 * Owns pipes from boxes to the host. Node gives its children sockets where they expect pipes, and a socket cannot be opened again by name:
 * `echo x > /dev/stderr` would fail. So named pipes are made, many with one command, and used again once both ends are known to
 * be closed; a pipe of which that is not known is never used again, because somebody else could still hold it.
 */
import { execFile } from 'node:child_process'
import { constants, openSync, unlinkSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BATCH = 24

export interface PipeEnds {
  /** Ours: does not block. */
  readonly host: number
  /** The box's: blocks. To be closed here as soon as the box has it. */
  readonly box: number
  /** Ours is closed. `clean`: the end of the stream was seen, so the other side is closed as well. */
  release(clean: boolean): void
}

export class NamedPipes {
  readonly #folder: string
  readonly #free: string[] = []
  #made = 0
  #making: Promise<void> | undefined

  /** @param folder of ours alone; nobody in a box can reach it */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Box writes, host reads. */
  async output(): Promise<PipeEnds> {
    const path = await this.#take()
    // In this order neither waits: a reader that does not block comes at once, and with it there the writer does too.
    const host = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const box = openSync(path, constants.O_WRONLY)
    return this.#ends(path, host, box)
  }

  #ends(path: string, host: number, box: number): PipeEnds {
    let held = true
    return {
      host,
      box,
      release: (clean) => {
        if (!held) return
        held = false
        if (clean) this.#free.push(path)
        else unlinkSync(path)
      },
    }
  }

  async #take(): Promise<string> {
    for (;;) {
      const path = this.#free.pop()
      if (path !== undefined) return path
      this.#making ??= this.#make().finally(() => {
        this.#making = undefined
      })
      await this.#making
    }
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: BATCH }, () => `${this.#folder}/${this.#made++}`)
    await run('mkfifo', paths, { cwd: '/', env: { PATH: '/usr/bin:/bin' } })
    // Whoever has the pipe open may open it by `/proc/self/fd`, under whatever user the box runs; nobody else has a way to it.
    await Promise.all(paths.map((path) => chmod(path, 0o666)))
    this.#free.push(...paths)
  }
}
