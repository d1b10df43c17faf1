/**
 * Owns what runs read from their standard input: a file for each, in a folder that the boxes of one sandbox see and cannot change. A file can be opened
 * again by name, as `cat /dev/stdin` does, where a pipe whose writer has gone would make it wait for ever.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'

/** Where a box finds it. */
export const INPUT_FOLDER = '/run/input'

export class RunInput {
  /** On the host. */
  readonly folder: string
  #count = 0

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { mode: 0o711 })
  }

  async put(bytes: string | Uint8Array | undefined): Promise<{ readonly path: string; remove(): Promise<void> }> {
    if (bytes === undefined || bytes.length === 0) return { path: '/dev/null', remove: () => Promise.resolve() }
    const name = String(this.#count++)
    const file = `${this.folder}/${name}`
    await writeFile(file, bytes, { mode: 0o644 })
    return { path: `${INPUT_FOLDER}/${name}`, remove: () => rm(file, { force: true }) }
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
