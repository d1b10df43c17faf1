import type { FileHandle } from 'node:fs/promises'
import type { Redactor } from '../contract/redact.ts'
import { createStreamRedactor } from './redact/create-redactor.ts'
import { readBlocks } from './spill-blocks.ts'
import { TerminalBytes } from './terminal-bytes.ts'

/**
 * Owns taking secrets out of a file that a program wrote by itself, on its way to be kept: what a model could read back later, page by page, must
 * not have in it what is taken out of every result. Read as it is read later: with terminal sequences resolved, so that colours in the middle of a
 * secret hide nothing. Bounded memory. Bytes that are no text are left as they are: they are never shown.
 */

/** Bytes in which a NUL makes a file binary. */
const PROBE_BYTES = 8_192

/** Whether there is anything to take out. */
export async function holdsSecrets(file: FileHandle, redactor: Redactor): Promise<boolean> {
  const stream = createStreamRedactor(redactor)
  for await (const text of resolvedText(file)) {
    await stream.push(text)
    if (stream.count > 0) return true
  }
  await stream.end()
  return stream.count > 0
}

/** The text with each secret replaced by its label, piece by piece. */
export async function* withoutSecrets(file: FileHandle, redactor: Redactor): AsyncGenerator<Buffer, void, void> {
  const stream = createStreamRedactor(redactor)
  for await (const text of resolvedText(file)) {
    const clean = await stream.push(text)
    if (clean !== '') yield Buffer.from(clean)
  }
  const rest = await stream.end()
  if (rest !== '') yield Buffer.from(rest)
}

async function* resolvedText(file: FileHandle): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  // What it tells is a part of a block that is read into again: it is decoded at once.
  const resolver = new TerminalBytes((bytes) => {
    text += decoder.decode(bytes, { stream: true })
  })
  const take = (): string => {
    const taken = text
    text = ''
    return taken
  }
  let first = true
  for await (const block of readBlocks(file, 0)) {
    if (first && block.subarray(0, PROBE_BYTES).includes(0)) return
    first = false
    resolver.write(new Uint8Array(block))
    if (text !== '') yield take()
  }
  resolver.end()
  text += decoder.decode()
  if (text !== '') yield take()
}
