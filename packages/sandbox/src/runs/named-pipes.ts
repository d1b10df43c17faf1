/**
 * Owns pipes from boxes to the host. Node gives its children sockets where they expect pipes, and a socket cannot be opened again by name:
 * `echo x > /dev/stderr` would fail. So named pipes are made, many with one command and before they are needed. Each is used once and loses its name as
 * soon as both ends are open: code in a box can keep an end open that it made itself, and would read what the next box writes.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BATCH = 32
/** With fewer left the next ones are made meanwhile. */
const FEW = 12

export interface PipeEnds {
  /** Ours: does not block. */
  readonly host: number
  /** The box's: blocks. To be closed here as soon as the box has it. */
  readonly box: number
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

  /** Box writes, host reads. @throws what the system says when none can be made */
  async output(): Promise<PipeEnds> {
    const path = await this.#take()
    try {
      // In this order neither waits: a reader that does not block comes at once, and with it there the writer does too.
      const host = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      try {
        return { host, box: openSync(path, constants.O_WRONLY) }
      } catch (error) {
        closeSync(host)
        throw error
      }
    } finally {
      unlinkSync(path)
    }
  }

  async #take(): Promise<string> {
    for (;;) {
      const path = this.#free.pop()
      if (this.#free.length < FEW)
        this.#making ??= this.#make().finally(() => {
          this.#making = undefined
        })
      if (path !== undefined) {
        // Whoever finds none hears why.
        this.#making?.catch(() => undefined)
        return path
      }
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
