/**
 * Owns what bubblewrap says on `--json-status-fd`: one JSON object a line, first the child's pid and its namespaces, at the end the exit
 * code. Only bubblewrap writes there; still a line that is too long or no JSON is passed over and breaks nothing.
 */
import type { Readable } from 'node:stream'

export interface BoxStarted {
  /** The first process of the box, as the host counts. Its death ends all others. */
  readonly pid: number
  /** Inode of the pid namespace; absent when the box has none of its own. */
  readonly pidNamespace?: number
}

export interface BoxStatus {
  /** Undefined when bubblewrap ended without starting anything. Never rejects. */
  readonly started: Promise<BoxStarted | undefined>
  /** Undefined when bubblewrap ended without saying, e.g. because it was killed. Never rejects. */
  readonly exitCode: Promise<number | undefined>
}

/** Longer lines than any that bubblewrap writes. */
const MAX_LINE = 65_536

/**
 * Reads the stream to its end, so that bubblewrap never waits for us.
 *
 * @example
 * ```ts
 * const status = readBoxStatus(child.stdio[3])
 * const inner = await status.started
 * ```
 */
export function readBoxStatus(stream: Readable): BoxStatus {
  const started = Promise.withResolvers<BoxStarted | undefined>()
  const exitCode = Promise.withResolvers<number | undefined>()
  const lines = new StatusLines((line) => {
    const pid = line['child-pid']
    const namespace = line['pid-namespace']
    if (isCount(pid)) started.resolve({ pid, ...(isCount(namespace) ? { pidNamespace: namespace } : {}) })
    const code = line['exit-code']
    if (isCount(code) || code === 0) exitCode.resolve(code)
  })
  const end = (): void => {
    lines.end()
    started.resolve(undefined)
    exitCode.resolve(undefined)
  }
  stream.on('data', (bytes: Uint8Array) => lines.push(bytes))
  for (const event of ['end', 'close', 'error']) stream.once(event, end)
  return { started: started.promise, exitCode: exitCode.promise }
}

/** Cuts bytes, as they come, into lines of one JSON object each. */
export class StatusLines {
  readonly #object: (line: Readonly<Record<string, unknown>>) => void
  readonly #decoder = new TextDecoder()
  #rest = ''
  #skipping = false

  constructor(object: (line: Readonly<Record<string, unknown>>) => void) {
    this.#object = object
  }

  push(bytes: Uint8Array): void {
    const pieces = this.#decoder.decode(bytes, { stream: true }).split('\n')
    const last = pieces.pop() ?? ''
    for (const piece of pieces) {
      this.#add(piece)
      this.#line()
    }
    this.#add(last)
  }

  /** What has no line end is a line too. */
  end(): void {
    this.#add(this.#decoder.decode())
    this.#line()
  }

  #add(piece: string): void {
    if (this.#rest.length + piece.length > MAX_LINE) {
      this.#skipping = true
      this.#rest = ''
    }
    if (!this.#skipping) this.#rest += piece
  }

  #line(): void {
    const text = this.#rest
    const skipped = this.#skipping
    this.#rest = ''
    this.#skipping = false
    if (skipped || text.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return
    }
    if (isRecord(value)) this.#object(value)
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
