import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { MeteringRecord, MeteringSink } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW

/** Keeps metering records as long as the process lives. */
export class MemoryMeteringSink implements MeteringSink {
  readonly #records: MeteringRecord[] = []

  get records(): readonly MeteringRecord[] {
    return this.#records
  }

  async append(records: readonly MeteringRecord[]): Promise<void> {
    this.#records.push(...records)
  }
}

/**
 * Keeps metering records as JSON lines in one file, mode 0600. Several processes may write it: each batch is one write at the end of the file.
 * A batch that begins after the half line of a crash begins on a line of its own.
 */
export class FileMeteringSink implements MeteringSink {
  readonly path: string
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  append(records: readonly MeteringRecord[]): Promise<void> {
    const write = this.#writing.then(() => this.#write(records))
    this.#writing = write.catch(() => {})
    return write
  }

  async #write(records: readonly MeteringRecord[]): Promise<void> {
    if (records.length === 0) return
    let lines = ''
    for (const record of records) lines += `${JSON.stringify(record)}\n`
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
      const file = await open(this.path, APPEND, 0o600)
      try {
        const { size } = await file.stat()
        const last = Buffer.alloc(1)
        if (size > 0) await file.read(last, 0, 1, size - 1)
        const text = Buffer.from(size > 0 && last[0] !== 0x0a ? `\n${lines}` : lines)
        const { bytesWritten } = await file.write(text)
        if (bytesWritten < text.length) {
          // It will be written again: a part of it would be counted twice. What another process added since is not ours to cut off.
          if ((await file.stat()).size === size + bytesWritten) await file.truncate(size)
          throw new Error('the disk took only a part of it')
        }
        await file.datasync()
      } finally {
        await file.close()
      }
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new AdjutantError('TOOL_FAILED', `${this.path}: ${records.length} metering records could not be written: ${said}`, {
        hint: 'Make room on the disk or correct its rights; the records are kept and written with the next ones.',
        cause,
      })
    }
  }
}
