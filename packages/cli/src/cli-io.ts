import type { Readable, Writable } from 'node:stream'

/** 0 done, 1 the work failed, 2 the call was wrong, 3 refused by policy or a person, 4 loop breaker, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130

/** All that a command sees of the process: tests hand in their own. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  /** Data only: what `--json` and pipes read. */
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /** People's output and progress. */
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborts on Ctrl-C; commands stop cleanly then and the process ends with 130. */
  readonly signal: AbortSignal
  /** Sets the code the process ends with once its work is done; the highest priority said wins over a later 0. */
  exit(code: ExitCode): void
}

/** Writes and waits while the reader is slower than we are (backpressure). A reader that went away ends the wait. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return
  if (stream.write(text)) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done)
      stream.off('close', done)
      stream.off('error', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
    stream.on('error', done)
  })
}

/** One JSON document on a line of its own. */
export function writeJson(stream: Writable, value: unknown): Promise<void> {
  return write(stream, `${JSON.stringify(value)}\n`)
}
