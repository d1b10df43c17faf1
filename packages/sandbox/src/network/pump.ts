import type { Readable, Writable } from 'node:stream'

/**
 * Passes bytes on as fast as they are taken, and the end with them. `take` is asked before each piece; when it says no, `cut` is called and
 * nothing more is passed. Errors and early ends are the caller's: it holds both streams.
 */
export function pump(from: Readable, to: Writable, take: (bytes: number) => boolean, cut: () => void): void {
  from.on('data', (chunk: Buffer) => {
    if (!take(chunk.length)) {
      from.pause()
      cut()
      return
    }
    if (to.destroyed || to.writableEnded) return
    if (!to.write(chunk)) {
      from.pause()
      to.once('drain', () => from.resume())
    }
  })
  from.once('end', () => {
    if (!to.destroyed && !to.writableEnded) to.end()
  })
}
