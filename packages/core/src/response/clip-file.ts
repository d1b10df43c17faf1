import { close, fstat, open, read } from 'node:fs'
import { promisify } from 'node:util'
import { AdjutantError } from '../contract/errors.ts'
import { type StreamClipOptions, type StreamClipped, StreamClipper } from './stream-clipper.ts'

/**
 * Owns: clipping a file that is written already (the output of a box or of a background job), in bounded memory: reads into two
 * blocks in turn, so that the disk works while the block before is looked at. About twice as fast as the same bytes through a pipe.
 */

export interface ClipFileOptions extends Omit<StreamClipOptions, 'reused'> {
  /** Byte to begin at. Default: the beginning of a path; where a descriptor stands. */
  readonly position?: number
  readonly signal?: AbortSignal
}

/**
 * Clips a file by its path or open descriptor (which stays open).
 *
 * @throws AdjutantError USAGE for a number out of range or what is no file; CANCELLED; an Error of the file system
 * @example
 * ```ts
 * const { text, totalLines } = await clipFile('/tmp/build.log', { limit: 4_000, strategy: 'errors' })
 * ```
 */
export async function clipFile(file: string | number, options: ClipFileOptions = {}): Promise<StreamClipped> {
  const { position, signal, ...clip } = options
  if (position !== undefined && (!Number.isSafeInteger(position) || position < 0)) {
    throw new AdjutantError('USAGE', `position must be a whole number, at least 0; it is ${position}`)
  }
  const clipper = new StreamClipper({ ...clip, reused: true })
  const descriptor = typeof file === 'number' ? file : await openFile(file, 'r')
  try {
    if (typeof file === 'string' && !(await stat(descriptor)).isFile()) {
      throw new AdjutantError('USAGE', `${file} is no file`, { hint: 'Give the path of a regular file.' })
    }
    await readAll(descriptor, clipper, typeof file === 'string' ? (position ?? 0) : position, signal)
    return await clipper.end()
  } catch (error) {
    await clipper.abandon()
    throw error
  } finally {
    if (typeof file === 'string') await closeFile(descriptor)
  }
}

const openFile = promisify(open)
const closeFile = promisify(close)
const stat = promisify(fstat)
const readFile = promisify(read)

/** Bytes of a block: large enough that a read costs little beside its bytes, small enough for the processor's cache. */
const BLOCK = 524_288

async function readAll(
  descriptor: number,
  clipper: StreamClipper,
  from: number | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  let at = from
  let [free, full] = [Buffer.allocUnsafeSlow(BLOCK), Buffer.allocUnsafeSlow(BLOCK)]
  const next = async (block: Buffer): Promise<number> => {
    const { bytesRead } = await readFile(descriptor, block, 0, BLOCK, at ?? null)
    if (at !== undefined) at += bytesRead
    return bytesRead
  }
  let bytes = await next(full)
  while (bytes > 0) {
    if (signal?.aborted === true) throw new AdjutantError('CANCELLED', 'stopped while the text to clip was read')
    const reading = next(free)
    // Its failure is told below, after what was read before it.
    reading.catch(() => undefined)
    await clipper.write(full.subarray(0, bytes))
    bytes = await reading
    ;[free, full] = [full, free]
  }
}
