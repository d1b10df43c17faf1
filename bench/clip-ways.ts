import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { clipFile, openNamespace, SpillTarget, StreamClipper, sessionId } from '@adjutant/core'

/** A program that writes when it is told to. */
export interface Producer {
  /** Starts it with its output on a pipe or an open file; it waits for `go`. */
  start(stdout: 'pipe' | number): Promise<ChildProcess>
  /** From here on, time counts. */
  go(): void
  /** Waits until the first megabyte was read; time counts from there. For a reader that takes long to start. */
  flows(): Promise<void>
}

export interface Taken {
  /** Lines seen; 0: they are not counted. */
  readonly lines: number
  /** Peak memory of the program that did the work, where that is another one. */
  readonly peakKilobytes?: number
}

/** One way from a program's output to a few lines of it. */
export interface ClipWay {
  readonly name: string
  readonly title: string
  /** Measured once only. */
  readonly slow: boolean
  /** @param folder empty; removed afterwards, which no time counts for */
  take(producer: Producer, folder: string): Promise<Taken>
}

const MEGABYTE = 1_048_576
const HEAD = 50
const TAIL = 50

export const CLIP_WAYS: readonly ClipWay[] = [
  { name: 'pipe', title: 'pipe only', slow: false, take: (producer) => piped(producer, pipeOnly) },
  { name: 'cat', title: 'cat > file', slow: false, take: catToFile },
  {
    name: 'write',
    title: 'pipe, written to disk in pieces of 1 MB',
    slow: false,
    take: (producer, folder) => piped(producer, (output) => writeOnly(output, folder)),
  },
  {
    name: 'clip',
    title: 'Adjutant: clip, line count',
    slow: false,
    take: (producer) => piped(producer, (output) => clip(output, new StreamClipper())),
  },
  {
    name: 'keep',
    title: 'Adjutant: clip, line count, kept on disk',
    slow: false,
    take: (producer, folder) => piped(producer, (output) => keep(output, folder)),
  },
  { name: 'target', title: 'Adjutant: the program writes the kept file, then clip, line count', slow: false, take: target },
  { name: 'file', title: 'Adjutant: clip of a finished file, line count', slow: false, take: finishedFile },
  {
    name: 'errors',
    title: 'Adjutant: clip with the lines that carry errors',
    slow: false,
    take: (producer) => piped(producer, (output) => clip(output, new StreamClipper({ strategy: 'errors' }))),
  },
  { name: 'program', title: 'adjutant clip --spill, from its first megabyte on', slow: false, take: program },
  { name: 'readline', title: 'readline, first and last lines', slow: true, take: (producer) => piped(producer, readLines) },
  { name: 'collect', title: "collect and split('\\n')", slow: true, take: (producer) => piped(producer, collect) },
]

async function piped(producer: Producer, take: (output: Readable) => Promise<number>): Promise<Taken> {
  const { stdout } = await producer.start('pipe')
  if (stdout === null) throw new Error('no pipe')
  producer.go()
  return { lines: await take(stdout) }
}

async function pipeOnly(output: Readable): Promise<number> {
  output.on('data', () => undefined)
  await once(output, 'end')
  return 0
}

/** What a shell does. */
async function catToFile(producer: Producer, folder: string): Promise<Taken> {
  await using file = await open(join(folder, 'output'), 'wx')
  const { stdout } = await producer.start('pipe')
  if (stdout === null) throw new Error('no pipe')
  const cat = spawn('cat', { stdio: [stdout, file.fd, 'inherit'] })
  await once(cat, 'spawn')
  return watched(cat, producer)
}

/** The least that keeping all of it on disk can take. */
async function writeOnly(output: Readable, folder: string): Promise<number> {
  await using file: FileHandle = await open(join(folder, 'output'), 'wx')
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
}

async function clip(output: Readable, clipper: StreamClipper): Promise<number> {
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

function keep(output: Readable, folder: string): Promise<number> {
  const namespace = openNamespace({ root: folder, sessionId: sessionId('bench') })
  return clip(output, new StreamClipper({ keep: { namespace, callId: 'call_1' } }))
}

async function target(producer: Producer, folder: string): Promise<Taken> {
  const namespace = openNamespace({ root: folder, sessionId: sessionId('bench') })
  const file = await SpillTarget.open(namespace, 'call_1')
  const child = await producer.start(file.descriptor)
  producer.go()
  await once(child, 'close')
  return { lines: (await file.finish()).totalLines }
}

async function finishedFile(producer: Producer, folder: string): Promise<Taken> {
  const path = join(folder, 'output')
  await using file = await open(path, 'wx')
  const child = await producer.start(file.fd)
  producer.go()
  await once(child, 'close')
  // Only what comes now is this way's own.
  producer.go()
  return { lines: (await clipFile(path)).totalLines }
}

async function program(producer: Producer, folder: string): Promise<Taken> {
  const { stdout } = await producer.start('pipe')
  if (stdout === null) throw new Error('no pipe')
  const entry = fileURLToPath(import.meta.resolve('../packages/cli/src/entry.ts'))
  const command = ['--conditions=adjutant-source', '--disable-warning=ExperimentalWarning', entry, 'clip', '--spill', folder]
  const child = spawn(process.execPath, command, { stdio: [stdout, 'ignore', 'inherit'] })
  const taken = watched(child, producer)
  await producer.flows()
  return taken
}

/** Runs it to its end, with a look at its peak memory from time to time. */
async function watched(child: ChildProcess, producer: Producer): Promise<Taken> {
  producer.go()
  let peakKilobytes = 0
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakKilobytes = Math.max(peakKilobytes, Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? 0))
  }
  const timer = setInterval(look, 10)
  const [code] = await once(child, 'exit')
  clearInterval(timer)
  if (code !== 0) throw new Error(`it ended with ${code}`)
  return { lines: 0, peakKilobytes }
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
