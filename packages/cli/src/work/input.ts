/** Reads stdin: as it comes, or line by line within bounds. Ends with an error, not with a hang, when the run is stopped. */
import { AdjutantError } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'

const NEWLINE = 0x0a

/** @throws AdjutantError CANCELLED when `io.signal` aborts; USAGE when stdin is a terminal that nobody pipes anything into */
export async function* stdinChunks(io: Pick<CliIo, 'stdin' | 'signal'>, wanted: string): AsyncGenerator<Uint8Array, void, void> {
  const { stdin, signal } = io
  if (stdin.isTTY === true) {
    throw new AdjutantError('USAGE', `${wanted} is read from stdin, and stdin is a terminal`, {
      hint: 'Pipe it in: … | adjutant …, or < file.',
    })
  }
  const chunks = stdin[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await unlessAborted(chunks.next(), signal, wanted)
      if (next.done === true) return
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value
    }
  } finally {
    stdin.destroy()
  }
}

/**
 * Waits, but no longer than `signal` allows: a stream whose source is silent for ever may never finish being destroyed. Listens anew for each
 * chunk: a race against one promise that lives as long as the stream would keep every chunk alive through it.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, wanted: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new AdjutantError('CANCELLED', `stopped while ${wanted} was read`))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

export type InputLine = { readonly number: number; readonly bytes: Uint8Array } | { readonly number: number; readonly tooLong: true }

/** Lines by `\n`; a last one needs none. A line above `limit` bytes is passed over without being kept. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<InputLine, void, void> {
  let parts: Uint8Array[] = []
  let size = 0
  let number = 1
  const line = (): InputLine => (size > limit ? { number, tooLong: true } : { number, bytes: Buffer.concat(parts) })
  const keep = (part: Uint8Array): void => {
    size += part.byteLength
    if (size <= limit) parts.push(part)
    else parts = []
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end))
      yield line()
      parts = []
      size = 0
      number += 1
      start = end + 1
    }
    if (start < chunk.byteLength) keep(chunk.subarray(start))
  }
  if (size > 0) yield line()
}
