import type { FileHandle } from 'node:fs/promises'

/** Bytes read from disk at once. */
const BLOCK = 262_144

/** The bytes from `position` on, block by block. Each block is overwritten by the next. */
export async function* readBlocks(handle: FileHandle, position: number): AsyncGenerator<Buffer, void, void> {
  const block = Buffer.allocUnsafe(BLOCK)
  for (let at = position; ; ) {
    const { bytesRead } = await handle.read(block, 0, BLOCK, at)
    if (bytesRead === 0) return
    yield block.subarray(0, bytesRead)
    at += bytesRead
  }
}
