import { appendFile, open } from 'node:fs/promises'
import { AdjutantError } from '../contract/errors.ts'
import type { StepRecord } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { SessionStore } from '../contract/ports.ts'
import { openNamespace } from '../execution/namespace.ts'
import { splitLines } from '../util/split-lines.ts'
import { isStepRecord } from './step-record.ts'

const STEPS_FILE = 'steps.jsonl'

/**
 * Keeps the steps of each session as JSON lines in its namespace: `<root>/<session id>/steps.jsonl`, one line a step, written in
 * the order of the calls of `append`. One process writes a session at a time. A line that a crash cut off at the end
 * of the file is left out when reading; a broken line in the middle is an error that names it.
 */
export class FileSessionStore implements SessionStore {
  readonly #root: string
  /** The last write of each session: the next one waits for it. */
  readonly #tails = new Map<SessionId, Promise<void>>()

  constructor(root: string) {
    this.#root = root
  }

  append(sessionId: SessionId, record: StepRecord): Promise<void> {
    const line = `${JSON.stringify(record)}\n`
    const before = this.#tails.get(sessionId) ?? Promise.resolve()
    const write = before.then(async () => appendFile(await this.#file(sessionId), line, { mode: 0o600 }))
    // A failed write is told to whoever made it; the next one is tried all the same.
    const tail = write.catch(() => {})
    this.#tails.set(sessionId, tail)
    void tail.then(() => {
      if (this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId)
    })
    return write
  }

  async *read(sessionId: SessionId): AsyncGenerator<StepRecord, void, void> {
    const path = await this.#file(sessionId)
    const file = await open(path, 'r').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    })
    if (file === undefined) return
    let number = 0
    for await (const line of splitLines(file.createReadStream())) {
      number += 1
      if (line.complete) yield parse(line.text, path, number)
    }
  }

  #file(sessionId: SessionId): Promise<string> {
    return openNamespace({ root: this.#root, sessionId }).path(STEPS_FILE)
  }
}

function parse(line: string, path: string, number: number): StepRecord {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new AdjutantError('CONFIG_INVALID', `${path}:${number} is not JSON`, { hint: 'Restore the file or remove the line.', cause })
  }
  if (isStepRecord(value)) return value
  throw new AdjutantError('CONFIG_INVALID', `${path}:${number} is not a step that this version knows`, {
    hint: 'Read it with the version that wrote it.',
  })
}
