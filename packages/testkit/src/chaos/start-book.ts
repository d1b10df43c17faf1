/**
 * Owns what really happened, whoever died: a file in which the body of a tool notes that it has begun and that it has ended. A note is one write at the
 * end of the file, so that it is whole, also with many processes at once, and is there when its process is killed right after it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export interface BookedCall {
  readonly key: string
  readonly name: string
  /** Times that it was begun, by whichever process. */
  readonly starts: number
  /** Times that its end was reached. */
  readonly ends: number
}

export class StartBook {
  readonly #file: string

  /** @param file made by the first note; on a disk that all processes share */
  constructor(file: string) {
    this.#file = file
  }

  /** First thing in the tool's body. @param key the call's idempotency key */
  started(key: string, name: string): void {
    this.#note('s', key, name)
  }

  /** Last thing in the tool's body. */
  ended(key: string, name: string): void {
    this.#note('e', key, name)
  }

  /** By idempotency key. A last line that is not whole (the machine stopped) is left out. */
  read(): ReadonlyMap<string, BookedCall> {
    const calls = new Map<string, BookedCall>()
    if (!existsSync(this.#file)) return calls
    for (const line of readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)) {
      const [what = '', key = '', name = ''] = line.split('\t')
      const before = calls.get(key) ?? { key, name, starts: 0, ends: 0 }
      calls.set(key, what === 's' ? { ...before, starts: before.starts + 1 } : { ...before, ends: before.ends + 1 })
    }
    return calls
  }

  #note(what: 's' | 'e', key: string, name: string): void {
    appendFileSync(this.#file, `${what}\t${key}\t${name}\n`)
  }
}
