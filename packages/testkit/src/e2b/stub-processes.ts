/** Owns `process.Process` of one box of the stub: started with a stream of events, given input, signalled, listed. A client that leaves ends nothing. */
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { E2bStubBox } from './stub-box.ts'
import { type StubRecord, StubRefusal, type StubReply, stubJson, stubRecord, stubText, stubTexts } from './stub-reply.ts'

const END_OF_STREAM = 2
/** Output of what the process left behind is not waited for. */
const DRAIN_MS = 150

interface Running {
  readonly child: ChildProcess
  readonly config: StubRecord
}

export class StubProcesses {
  readonly #box: E2bStubBox
  readonly #running = new Map<number, Running>()

  constructor(box: E2bStubBox) {
    this.#box = box
  }

  async call(method: string, message: StubRecord): Promise<object> {
    switch (method) {
      case 'List':
        return { processes: [...this.#running].map(([pid, { config }]) => ({ pid, config })) }
      case 'SendInput':
        await this.#input(this.#selected(message), stubRecord(message.input))
        return {}
      case 'CloseStdin':
        this.#selected(message).child.stdin?.end()
        return {}
      case 'SendSignal': {
        const { child } = this.#selected(message)
        child.kill(message.signal === 'SIGNAL_SIGKILL' || message.signal === 9 ? 'SIGKILL' : 'SIGTERM')
        return {}
      }
      default:
        throw new StubRefusal('unimplemented', `process.Process/${method} is not known`)
    }
  }

  /** @param body one envelope */
  async start(body: Buffer, timeoutMs: number, reply: StubReply): Promise<void> {
    const message = stubJson(body.subarray(5, 5 + (body.length < 5 ? 0 : body.readUInt32BE(1))))
    const config = stubRecord(message.process)
    reply.begin('application/connect+json')
    const send = (event: object): Promise<void> => reply.write(envelope(0, { event }))
    try {
      const child = await this.#spawn(config, message.stdin !== false)
      const pid = child.pid ?? 0
      this.#running.set(pid, { child, config })
      const late = timeoutMs > 0 ? setTimeout(() => child.kill('SIGKILL'), Math.min(timeoutMs, 2 ** 31 - 1)) : undefined
      late?.unref()
      try {
        const exited = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => {
          child.on('exit', (code, signal) => resolve([code, signal]))
        })
        await send({ start: { pid } })
        const read = Promise.all([
          forward(child.stdout, (bytes) => send({ data: { stdout: bytes.toString('base64') } })),
          forward(child.stderr, (bytes) => send({ data: { stderr: bytes.toString('base64') } })),
        ])
        const [code, signal] = await exited
        this.#running.delete(pid)
        await drained(read, child)
        await send({ end: endOf(code, signal) })
      } finally {
        clearTimeout(late)
        this.#running.delete(pid)
      }
      await reply.write(envelope(END_OF_STREAM, {}))
    } catch (error) {
      const refusal = error instanceof StubRefusal ? error : new StubRefusal('internal', String(error))
      await reply.write(envelope(END_OF_STREAM, { error: { code: refusal.code, message: refusal.message } }))
    }
    reply.end()
  }

  #spawn(config: StubRecord, stdin: boolean): Promise<ChildProcess> {
    const args = Array.isArray(config.args) ? config.args.filter((one) => typeof one === 'string') : []
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void =>
        reject(new StubRefusal('invalid_argument', error instanceof Error ? error.message : String(error)))
      try {
        const child = this.#box.run([stubText(config.cmd) ?? '', ...args], {
          cwd: stubText(config.cwd) ?? '.',
          env: stubTexts(config.envs),
          stdin: stdin ? 'pipe' : 'ignore',
        })
        child.stdin?.on('error', () => undefined)
        child.on('error', refuse)
        child.on('spawn', () => resolve(child))
      } catch (error) {
        refuse(error)
      }
    })
  }

  #input({ child }: Running, input: StubRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const { stdin } = child
      if (stdin === null || stdin.writableEnded) return reject(new StubRefusal('internal', 'stdin not enabled or closed'))
      const go = (): void => resolve()
      child.once('exit', go)
      stdin.write(Buffer.from(stubText(input.stdin) ?? '', 'base64'), (error) => {
        child.off('exit', go)
        if (error) reject(new StubRefusal('internal', error.message))
        else resolve()
      })
    })
  }

  #selected(message: StubRecord): Running {
    const pid = stubRecord(message.process).pid
    const running = typeof pid === 'number' ? this.#running.get(pid) : undefined
    if (running === undefined) throw new StubRefusal('not_found', `process with pid ${String(pid)} not found`)
    return running
  }
}

function envelope(flags: number, message: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(5)
  head.writeUInt8(flags, 0)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

async function forward(stream: Readable | null, take: (bytes: Buffer) => Promise<void>): Promise<void> {
  if (stream === null) return
  try {
    for await (const bytes of stream) if (Buffer.isBuffer(bytes)) await take(bytes)
  } catch {
    // Given up: what it left behind holds it open.
  }
}

async function drained(read: Promise<unknown>, child: ChildProcess): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let idle = false
  const late = new Promise<void>((resolve) => {
    const look = (): void => {
      // A slow reader is waited for, a quiet writer is not.
      const waiting = (child.stdout?.readableLength ?? 0) + (child.stderr?.readableLength ?? 0) > 0
      if (idle && !waiting) resolve()
      else timer = setTimeout(look, DRAIN_MS)
      idle = !waiting
    }
    timer = setTimeout(look, DRAIN_MS)
  })
  await Promise.race([read, late])
  clearTimeout(timer)
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** As the daemon words it: zeros and falsehoods are left out. */
function endOf(code: number | null, signal: NodeJS.Signals | null): object {
  if (signal !== null) {
    const status = `signal: ${WORDS[signal] ?? signal.toLowerCase()}`
    return { exitCode: -1, status, error: status }
  }
  const status = `exit status ${code ?? 0}`
  return { exited: true, status, ...(code === 0 || code === null ? {} : { exitCode: code, error: status }) }
}

const WORDS: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGTERM: 'terminated',
  SIGSEGV: 'segmentation fault (core dumped)',
  SIGABRT: 'aborted',
  SIGINT: 'interrupt',
  SIGHUP: 'hangup',
  SIGPIPE: 'broken pipe',
}
