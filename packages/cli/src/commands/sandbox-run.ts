/** `adjutant sandbox run`: one disposable run. Its output goes through as it comes; with --json all is told in one document at the end. */
import { resolve } from 'node:path'
import { AdjutantError } from '@adjutant/core'
import type { SandboxGuarantee, SandboxLanguage, SandboxReport, SandboxSpec } from '@adjutant/core/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine, printableLines } from '../terminal/printable.ts'
import { stdinChunks } from '../work/input.ts'
import { openMachineSandboxes } from './sandbox-open.ts'

const HELP = `
CODE runs once in a box of its own, which is gone afterwards. "-" reads it from stdin. The first
backend that works here, has the language and enforces what is required is taken: for bash and
python bubblewrap, container, e2b, landlock; for js quickjs, then those; for sql sqljs. If none
is strong enough the code is refused; it never runs in less.

With --json one document on stdout: {"backend","exitCode","signal","timedOut","oom","limit"?,
"stdout","stderr","durationMs","mode","truncated","usage","refused"?,"warning"?}; exitCode and
signal are null where there is none.

Exit: 0 the code ended with 0, 1 it did not or no box can be had, 2 wrong usage, 3 refused
because no box is strong enough.

Example:
  adjutant sandbox run --lang bash -- 'echo hello; id'
  adjutant sandbox run --lang python --timeout 5000 --memory 256 --json -- 'print(2 ** 64)'
  adjutant sandbox run --lang js - < script.js
  adjutant sandbox run --lang python --workspace ./data -- 'print(open("in.csv").readline())'
  adjutant sandbox run --lang bash --net example.com -- 'curl -s https://example.com'`

const LANGUAGES = ['bash', 'python', 'js', 'sql'] as const satisfies readonly SandboxLanguage[]
const GUARANTEES = [
  'filesystem',
  'network',
  'processes',
  'environment',
  'memory',
  'cpu',
  'process-count',
  'disk',
  'file-count',
  'kernel',
] as const satisfies readonly SandboxGuarantee[]
/** Bytes of code or input from stdin. */
const MOST_INPUT = 8 * 1024 * 1024
const USUAL_CPU_MS = 30_000

interface RunOptions {
  readonly lang: SandboxLanguage
  readonly backend?: string
  readonly timeoutMs?: number
  readonly memoryMB?: number
  readonly net?: readonly string[]
  readonly workspace?: string
  readonly requires?: readonly SandboxGuarantee[]
  readonly unsafeHost: boolean
  readonly stdin: boolean
  readonly json: boolean
}

export function addSandboxRunCommand(sandbox: Command, io: CliIo): void {
  sandbox
    .command('run')
    .description('run code once in a box of its own')
    .addOption(new Option('--lang <language>', 'the language of the code').choices(LANGUAGES).makeOptionMandatory())
    .option('--backend <name>', 'use this backend or none (default: the first that fits)')
    .option('--timeout <ms>', 'milliseconds that it may take (default: 60000)', wholeNumber)
    .option('--memory <mb>', 'megabytes that all its processes may use together (default: 512)', wholeNumber)
    .option('--net <hosts>', 'hosts that it may reach, with commas between (default: none)', listOf)
    .option('--workspace <folder>', 'a folder of this machine that it may read and write (default: an empty one that goes with the box)')
    .option('--require <guarantees>', 'what the box must enforce, with commas between', guaranteesOf)
    .option('--stdin', 'give our stdin to the code')
    .option('--unsafe-host', 'where no box can be had, run on this machine with nothing in between')
    .option('--json', 'print one JSON document')
    .argument('<code>', 'the code, or - to read it from stdin')
    .addHelpText('after', HELP)
    .action(async (code: string, _options, self: Command) => run(io, code, optionsOf(self)))
}

async function run(io: CliIo, given: string, options: RunOptions): Promise<void> {
  if (given === '-' && options.stdin)
    throw new AdjutantError('USAGE', 'stdin cannot be both the code and its input', {
      hint: 'Give the code as an argument, or leave out --stdin.',
    })
  const code = given === '-' ? (await readAll(io, 'the code')).toString('utf8') : given
  const stdin = options.stdin ? await readAll(io, 'the input') : undefined
  const sandboxes = await openMachineSandboxes({ ...options, env: io.env })
  try {
    await using box = await sandboxes.open(specOf(io, options), options.lang)
    const out = new Through(io)
    const report = await box.run({
      lang: options.lang,
      code,
      signal: io.signal,
      ...(stdin === undefined ? {} : { stdin }),
      ...(options.json ? {} : { output: (stream, bytes) => out.add(stream, bytes) }),
    })
    if (options.json) await writeJson(io.stdout, documentOf(report))
    else {
      await out.end(report)
      await tell(io, report)
    }
    if (report.exitCode !== 0) io.exit(1)
  } catch (error) {
    // What is required is somebody's rule: too weak a box is refused by it.
    if (AdjutantError.isInstance(error) && error.code === 'SANDBOX_TOO_WEAK') io.exit(3)
    throw error
  } finally {
    await sandboxes.close()
  }
}

function specOf(io: CliIo, { timeoutMs, memoryMB, net, workspace }: RunOptions): SandboxSpec {
  return {
    limits: {
      ...(timeoutMs === undefined ? {} : { wallMs: timeoutMs, cpuMs: Math.max(timeoutMs, USUAL_CPU_MS) }),
      ...(memoryMB === undefined ? {} : { memoryMB }),
    },
    ...(net === undefined ? {} : { network: { allow: net } }),
    ...(workspace === undefined ? {} : { workspace: { host: resolve(io.cwd, workspace) } }),
  }
}

function documentOf(report: SandboxReport): Readonly<Record<string, unknown>> {
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
async function tell(io: CliIo, report: SandboxReport): Promise<void> {
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
class Through {
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

async function readAll(io: CliIo, wanted: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdinChunks(io, wanted)) {
    size += chunk.byteLength
    if (size > MOST_INPUT)
      throw new AdjutantError('USAGE', `${wanted} is longer than ${MOST_INPUT} bytes`, {
        hint: 'Put it into a file and give its folder with --workspace.',
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function optionsOf(command: Command): RunOptions {
  const { lang, backend, timeout, memory, net, workspace, require, unsafeHost, stdin, json } = command.optsWithGlobals()
  const known = LANGUAGES.find((one) => one === lang)
  if (known === undefined) throw new AdjutantError('USAGE', 'the language is missing', { hint: `Use --lang ${LANGUAGES.join('|')}.` })
  return {
    lang: known,
    ...(typeof backend === 'string' ? { backend } : {}),
    ...(typeof timeout === 'number' ? { timeoutMs: timeout } : {}),
    ...(typeof memory === 'number' ? { memoryMB: memory } : {}),
    ...(Array.isArray(net) ? { net: net.map(String) } : {}),
    ...(typeof workspace === 'string' ? { workspace } : {}),
    ...(Array.isArray(require) ? { requires: GUARANTEES.filter((one) => require.includes(one)) } : {}),
    unsafeHost: unsafeHost === true,
    stdin: stdin === true,
    json: json === true,
  }
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a whole number above 0.')
  return value
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== 'none')
}

function guaranteesOf(text: string): readonly string[] {
  const names = listOf(text)
  const unknown = names.find((name) => !GUARANTEES.some((one) => one === name))
  if (unknown !== undefined) throw new InvalidArgumentError(`There are: ${GUARANTEES.join(', ')}.`)
  return names
}
