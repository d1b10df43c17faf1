/** `adjutant sandbox run`: one disposable run. Its output goes through as it comes; with --json all is told in one document at the end. */
import { resolve } from 'node:path'
import { AdjutantError } from '@adjutant/core'
import type { SandboxGuarantee, SandboxLanguage, SandboxSpec } from '@adjutant/core/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CliIo, writeJson } from '../cli-io.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { stdinChunks } from '../work/input.ts'
import { OutputThrough, runDocument, tellEnd } from './run-report.ts'
import { openMachineSandboxes, tellNotes } from './sandbox-open.ts'

const HELP = `
CODE runs once in a box of its own, which is gone afterwards. "-" reads it from stdin. The first
backend that works here, has the language and enforces what is required is taken: for bash and
python bubblewrap, container, e2b, landlock; for js quickjs, then those; for sql sqljs. If none
is strong enough the code is refused; it never runs in less. Another order, limits and settings of
backends are taken from "sandbox" in the configuration; what is typed goes before it.

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
  readonly config?: string
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
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--backend <name>', 'use this backend or none (default: the first that fits)')
    .option('--timeout <ms>', 'milliseconds that it may take (default: 60000)', wholeNumber)
    .option('--memory <mb>', 'megabytes that all its processes may use together (default: 512)', wholeNumber)
    .option('--net <hosts>', 'hosts that it may reach, with commas between (default: none)', listOf)
    .option('--workspace <folder>', 'a folder of this machine that it may read and write (default: an empty one that goes with the box)')
    .option('--require <guarantees>', 'what the box must enforce beside the usual, with commas between', guaranteesOf)
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
  const config = await loadConfig(io, options.config)
  await tellNotes(io, config)
  const { backend, unsafeHost } = options
  const sandboxes = await openMachineSandboxes({ env: io.env, config, unsafeHost, ...(backend === undefined ? {} : { backend }) })
  try {
    await using box = await sandboxes.open(specOf(io, config, options), options.lang)
    const out = new OutputThrough(io)
    const report = await box.run({
      lang: options.lang,
      code,
      signal: io.signal,
      ...(stdin === undefined ? {} : { stdin }),
      ...(options.json ? {} : { output: (stream, bytes) => out.add(stream, bytes) }),
    })
    if (options.json) await writeJson(io.stdout, runDocument(report))
    else {
      await out.end(report)
      await tellEnd(io, report)
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

function specOf(io: CliIo, config: Config, { timeoutMs, memoryMB, net, requires, workspace }: RunOptions): SandboxSpec {
  return {
    limits: {
      ...config.sandbox.limits,
      ...(timeoutMs === undefined ? {} : { wallMs: timeoutMs, cpuMs: Math.max(timeoutMs, USUAL_CPU_MS) }),
      ...(memoryMB === undefined ? {} : { memoryMB }),
    },
    ...(net === undefined ? {} : { network: { allow: net } }),
    ...(requires === undefined ? {} : { requires }),
    ...(workspace === undefined ? {} : { workspace: { host: resolve(io.cwd, workspace) } }),
  }
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
  const { config, lang, backend, timeout, memory, net, workspace, require, unsafeHost, stdin, json } = command.optsWithGlobals()
  const known = LANGUAGES.find((one) => one === lang)
  if (known === undefined) throw new AdjutantError('USAGE', 'the language is missing', { hint: `Use --lang ${LANGUAGES.join('|')}.` })
  return {
    lang: known,
    ...(typeof config === 'string' ? { config } : {}),
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
