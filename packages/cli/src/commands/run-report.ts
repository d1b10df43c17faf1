/** How a run in a box is told by a command: its output as it comes, then what went another way than to its end with 0. */
import type { SandboxReport } from '@adjutant/core/contract'
import { type CliIo, write } from '../cli-io.ts'
import { printableLine, printableLines } from '../terminal/printable.ts'

/** With --json: all that is known of a run, in one document. */
export function runDocument(report: SandboxReport): Readonly<Record<string, unknown>> {
  const { backend, mode, timedOut, oom, limit, truncated, usage, refused, warning } = report
  return {
    backend,
    exitCode: report.exitCode ?? null,
    signal: report.signal ?? null,
    timedOut,
    oom,
    limit,
    stdout: Buffer.from(report.stdout).toString('utf8'),
    stderr: Buffer.from(report.stderr).toString('utf8'),
    durationMs: Math.round(report.durationMs * 100) / 100,
    mode,
    truncated,
    usage,
    refused,
    warning,
  }
}

/** For people: only what went another way than to its end with 0. */
export async function tellEnd(io: CliIo, report: SandboxReport): Promise<void> {
  const { backend, exitCode, signal, limit, oom, refused = [], warning } = report
  const lines: string[] = []
  if (warning !== undefined) lines.push(`warning: ${warning}`)
  if (limit !== undefined || oom) lines.push(`${backend} ended it: ${limit ?? 'memory'} limit, after ${Math.round(report.durationMs)} ms`)
  else if (exitCode === undefined) lines.push(`ended by ${signal ?? 'a signal'}`)
  else if (exitCode !== 0) lines.push(`exit code ${exitCode}`)
  if (refused.length > 0) lines.push(`no connection to ${refused.join(', ')}`)
  for (const line of lines) await write(io.stderr, `[${printableLine(line)}]\n`)
}

/** Passes output on as it comes, in order, waiting for a slow reader. A terminal obeys nothing of it; a pipe gets the very bytes. */
export class OutputThrough {
  readonly #io: CliIo
  readonly #sent = { stdout: 0, stderr: 0 }
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  #ended = true
  #tail: Promise<void> = Promise.resolve()

  constructor(io: CliIo) {
    this.#io = io
  }

  add(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return
    this.#sent[stream] += bytes.byteLength
    this.#ended = bytes.at(-1) === 0x0a
    const target = this.#io[stream]
    const text = target.isTTY === true ? printableLines(this.#decoders[stream].decode(bytes, { stream: true })) : Buffer.from(bytes)
    this.#tail = this.#tail.then(() => pass(target, text))
  }

  /** With what did not come while it ran. */
  async end(report: SandboxReport): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) this.add(stream, report[stream].subarray(this.#sent[stream]))
    await this.#tail
    if (!this.#ended && this.#io.stderr.isTTY === true) await write(this.#io.stderr, '\n')
  }
}

async function pass(stream: CliIo['stdout'], content: string | Buffer): Promise<void> {
  if (typeof content === 'string') return write(stream, content)
  if (stream.destroyed || stream.writableEnded || stream.write(content)) return
  await write(stream, '')
}
