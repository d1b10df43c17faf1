import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { openNamespace, StreamClipper, sessionId } from '@adjutant/core'

/** One way from a program's output to a few lines of it. `take` gives how many lines it saw (0: it does not count them). */
export interface ClipWay {
  readonly name: string
  readonly title: string
  /** Measured once only. */
  readonly slow: boolean
  take(output: Readable): Promise<number>
}

const MEGABYTE = 1_048_576
const HEAD = 50
const TAIL = 50

export const CLIP_WAYS: readonly ClipWay[] = [
  { name: 'pipe', title: 'pipe only', slow: false, take: pipeOnly },
  { name: 'write', title: 'pipe, written to disk in pieces of 1 MB', slow: false, take: writeOnly },
  { name: 'clip', title: 'Adjutant: clip, line count', slow: false, take: (output) => clip(output) },
  { name: 'keep', title: 'Adjutant: clip, line count, kept on disk', slow: false, take: keep },
  { name: 'readline', title: 'readline, first and last lines', slow: true, take: readLines },
  { name: 'collect', title: "collect and split('\\n')", slow: true, take: collect },
]

async function pipeOnly(output: Readable): Promise<number> {
  output.on('data', () => undefined)
  await once(output, 'end')
  return 0
}

/** The least that keeping all of it on disk can take. */
async function writeOnly(output: Readable): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const file = await open(join(folder, 'output'), 'wx')
  try {
    let pending: Buffer[] = []
    let size = 0
    for await (const chunk of output) {
      pending.push(chunk)
      size += chunk.length
      if (size < MEGABYTE) continue
      await file.writev(pending)
      pending = []
      size = 0
    }
    if (size > 0) await file.writev(pending)
    return 0
  } finally {
    await file.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function clip(output: Readable, clipper = new StreamClipper()): Promise<number> {
  output.on('data', (chunk: Buffer) => {
    const waiting = clipper.write(chunk)
    if (waiting === undefined) return
    output.pause()
    waiting.then(
      () => output.resume(),
      (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  })
  await once(output, 'end')
  return (await clipper.end()).totalLines
}

async function keep(output: Readable): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    const namespace = openNamespace({ root, sessionId: sessionId('bench') })
    return await clip(output, new StreamClipper({ keep: { namespace, callId: 'call_1' } }))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function readLines(output: Readable): Promise<number> {
  const head: string[] = []
  const tail: string[] = []
  let lines = 0
  for await (const line of createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })) {
    lines += 1
    if (head.length < HEAD) head.push(line)
    tail.push(line)
    if (tail.length > TAIL) tail.shift()
  }
  return lines
}

async function collect(output: Readable): Promise<number> {
  let text = ''
  output.setEncoding('utf8')
  output.on('data', (piece: string) => {
    text += piece
  })
  await once(output, 'end')
  const lines = text.split('\n')
  return [...lines.slice(0, HEAD), ...lines.slice(-TAIL)].length > 0 ? lines.length - 1 : 0
}
