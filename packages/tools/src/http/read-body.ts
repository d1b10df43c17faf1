/** Owns reading an answer's body: whole, within a limit of bytes before and after decompression, so that no small answer becomes a large one. */
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { AdjutantError } from '@adjutant/core/contract'
import { byteSize, grouped } from '../text/amounts.ts'
import { connectionFailure } from './fetch-failure.ts'

const unpack = { gzip: promisify(gunzip), br: promisify(brotliDecompress), deflate: promisify(inflate), raw: promisify(inflateRaw) }

/** @throws AdjutantError TOO_LARGE, UNSUPPORTED for a coding that is not known, TOOL_FAILED when it breaks off or cannot be decompressed */
export async function readBody(response: IncomingMessage, place: string, maxBytes: number): Promise<Buffer> {
  const coding = codingOf(response, place)
  const declared = Number(response.headers['content-length'])
  if (declared > maxBytes) {
    response.destroy()
    throw tooLarge(place, maxBytes, byteSize(declared))
  }
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of response) {
      if (!Buffer.isBuffer(part)) continue
      parts.push(part)
      length += part.length
      if (length > maxBytes) throw tooLarge(place, maxBytes)
    }
  } catch (error) {
    if (AdjutantError.isInstance(error)) throw error
    const of = Number.isNaN(declared) ? '' : ` of ${grouped(declared)}`
    throw new AdjutantError('TOOL_FAILED', `${place}: the answer broke off after ${grouped(length)}${of} bytes`, {
      hint: 'Try again, or use another source.',
      cause: connectionFailure(error, place, 'failed').cause ?? error,
    })
  } finally {
    response.destroy()
  }
  return await decompress(Buffer.concat(parts, length), coding, place, maxBytes)
}

type Coding = 'identity' | 'gzip' | 'br' | 'deflate'

function codingOf(response: IncomingMessage, place: string): Coding {
  const text = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  switch (text) {
    case '':
    case 'identity':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'br':
    case 'deflate':
      return text
    default:
      response.destroy()
      // Also several on top of each other, which only bombs use.
      throw new AdjutantError('UNSUPPORTED', `${place} is compressed as ${JSON.stringify(text.slice(0, 60))}, which was not asked for`, {
        hint: 'Use another source.',
      })
  }
}

async function decompress(bytes: Buffer, coding: Coding, place: string, maxBytes: number): Promise<Buffer> {
  if (coding === 'identity' || bytes.length === 0) return bytes
  // Some servers send deflate without its wrapper (RFC 9110 section 8.4.1.2 tells them not to).
  const wrapped = ((bytes[0] ?? 0) & 15) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0
  try {
    return await unpack[coding === 'deflate' && !wrapped ? 'raw' : coding](bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(place, maxBytes)
    throw new AdjutantError('TOOL_FAILED', `${place}: the answer cannot be decompressed (${coding})`, {
      hint: 'Use another source.',
      cause: error,
    })
  }
}

function tooLarge(place: string, maxBytes: number, size?: string): AdjutantError {
  return new AdjutantError(
    'TOO_LARGE',
    `${place} has ${size ?? 'more'}${size === undefined ? ` than ${byteSize(maxBytes)}` : `, more than ${byteSize(maxBytes)}`}`,
    {
      hint: 'Fetch a smaller page, or a part of it where the site offers pages.',
    },
  )
}
