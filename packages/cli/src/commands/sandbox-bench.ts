/**
 * `adjutant sandbox bench`: how long a run in a box takes on this machine, beside a plain start of the same program. They take turns, so that
 * whatever else the machine does hits both alike. Ends and removes every box that it opened.
 */
import { spawn } from 'node:child_process'
import { AdjutantError, systemClock } from '@adjutant/core'
import type { Sandbox, SandboxLanguage } from '@adjutant/core/contract'
import type { Sandboxes } from '@adjutant/sandbox'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { openMachineSandboxes } from './sandbox-open.ts'

const HELP = `
Of each backend that works here and each of its languages: a box is opened and runs one line of code
cold (nothing waited for it), warm (a box waited) and in a session, where it has them. "× plain" is
the median to the first output beside a plain start of the same program in the same minute. A remote
service is measured only when it is named.

With --json one document: {"runs","results":[{"backend","lang","mode","runs","firstMs":{"p50","p95"},
"endMs":{"p50","p95"},"timesPlain"}]}; modes are plain, open, cold, warm and session.

Exit: 0, 1 when no backend works or has the language, 2 wrong usage.

Example:
  adjutant sandbox bench
  adjutant sandbox bench --backend bubblewrap --lang bash --runs 50 --json`

const LANGUAGES = ['bash', 'python', 'js', 'sql'] as const satisfies readonly SandboxLanguage[]
const MODES = ['plain', 'open', 'cold', 'warm', 'session'] as const
type Mode = (typeof MODES)[number]

const CODE: Readonly<Record<SandboxLanguage, string>> = {
  bash: 'echo hello',
  python: 'print("hello")',
  js: 'console.log("hello")',
  sql: 'select 6 * 7',
}
const PLAIN: Readonly<Record<SandboxLanguage, readonly [string, ...string[]] | undefined>> = {
  bash: ['/usr/bin/bash', '-c', CODE.bash],
  python: ['/usr/bin/python3', '-I', '-S', '-c', CODE.python],
  js: [process.execPath, '-e', CODE.js],
  sql: undefined,
}
/** They cost money or somebody else's time. */
const REMOTE: ReadonlySet<string> = new Set(['e2b'])
const MOST_RUNS = 10_000
/** Milliseconds in which what waits in advance is made. */
const SETTLE_MS = 150
/** Not measured: the first of everything is slower. */
const WARM_UP = 1

interface Sample {
  readonly firstMs: number
  readonly endMs: number
}

interface BenchOptions {
  readonly backend?: string
  readonly lang?: SandboxLanguage
  readonly runs: number
  readonly json: boolean
}

interface Result {
  readonly backend: string
  readonly lang: SandboxLanguage
  readonly mode: Mode
  readonly runs: number
  readonly firstMs: { readonly p50: number; readonly p95: number }
  readonly endMs: { readonly p50: number; readonly p95: number }
  /** Null where there is nothing to compare with. */
  readonly timesPlain: number | null
}

export function addSandboxBenchCommand(sandbox: Command, io: CliIo): void {
  sandbox
    .command('bench')
    .description('say how long runs in boxes take on this machine, beside plain starts of the same programs')
    .option('--backend <name>', 'only this one (default: all that work here and are no remote service)')
    .addOption(new Option('--lang <language>', 'only this language (default: all)').choices(LANGUAGES))
    .option('--runs <number>', 'how often each is measured (default: 20)', runsOf)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => bench(io, optionsOf(self)))
}

async function bench(io: CliIo, options: BenchOptions): Promise<void> {
  const results: Result[] = []
  for (const { name, lang } of await measurable(io, options)) {
    const sandboxes = await openMachineSandboxes({ env: io.env, backend: name, requires: [] })
    try {
      results.push(...(await measure(io, sandboxes, { name, lang, runs: options.runs })))
    } finally {
      await sandboxes.close()
    }
  }
  if (results.length === 0)
    throw new AdjutantError('SANDBOX_UNAVAILABLE', 'nothing can be measured: no backend works here that has the language', {
      hint: 'See adjutant sandbox doctor.',
    })
  if (options.json) await writeJson(io.stdout, { runs: options.runs, results })
  else await write(io.stdout, table(results))
}

async function measurable(
  io: CliIo,
  { backend, lang }: BenchOptions,
): Promise<readonly { readonly name: string; readonly lang: SandboxLanguage }[]> {
  const all = await openMachineSandboxes({ env: io.env, requires: [], ...(backend === undefined ? {} : { backend }) })
  try {
    return (await all.describe())
      .filter(({ name, ok }) => ok && (backend === undefined ? !REMOTE.has(name) : name === backend))
      .flatMap(({ name, languages }) => languages.filter((one) => lang === undefined || one === lang).map((one) => ({ name, lang: one })))
  } finally {
    await all.close()
  }
}

async function measure(
  io: CliIo,
  sandboxes: Sandboxes,
  { name, lang, runs }: { readonly name: string; readonly lang: SandboxLanguage; readonly runs: number },
): Promise<readonly Result[]> {
  const samples: Record<Mode, Sample[]> = { plain: [], open: [], cold: [], warm: [], session: [] }
  let sessions = true
  for (let round = -WARM_UP; round < runs; round += 1) {
    const keep = (mode: Mode, sample: Sample): void => void (round >= 0 && samples[mode].push(sample))
    if (io.stderr.isTTY === true) await write(io.stderr, `\r${name}, ${lang}: ${round + WARM_UP + 1} of ${runs + WARM_UP} \u001b[K`)
    io.signal.throwIfAborted()
    const plain = PLAIN[lang]
    if (plain !== undefined) {
      const sample = await spawnOnce(plain)
      if (sample !== undefined) keep('plain', sample)
    }
    const began = systemClock.monotonic()
    // A variable that no box had before: none of this kind was made in advance.
    await using box = await sandboxes.open({ env: { ADJUTANT_BENCH: `${round}` } }, lang)
    const openMs = systemClock.monotonic() - began
    keep('open', { firstMs: openMs, endMs: openMs })
    // The second one finds what was made ready after the first.
    for (let turn = 0; turn < 2; turn += 1) {
      await settle()
      const { mode, sample } = await runOnce(io, box, lang, false)
      keep(mode, sample)
    }
    if (!sessions) continue
    try {
      // The first one starts it.
      await runOnce(io, box, lang, true)
      const { mode, sample } = await runOnce(io, box, lang, true)
      keep(mode, sample)
    } catch (error) {
      if (!AdjutantError.isInstance(error) || error.code !== 'UNSUPPORTED') throw error
      sessions = false
    }
  }
  if (io.stderr.isTTY === true) await write(io.stderr, '\r\u001b[K')
  const plainMs = part(
    samples.plain.map(({ firstMs }) => firstMs),
    0.5,
  )
  return MODES.flatMap((mode): readonly Result[] => {
    const taken = samples[mode]
    if (taken.length === 0) return []
    const first = taken.map(({ firstMs }) => firstMs)
    const end = taken.map(({ endMs }) => endMs)
    const firstMs = { p50: figure(part(first, 0.5)), p95: figure(part(first, 0.95)) }
    const timesPlain = samples.plain.length === 0 ? null : figure(part(first, 0.5) / plainMs)
    return [
      {
        backend: name,
        lang,
        mode,
        runs: taken.length,
        firstMs,
        endMs: { p50: figure(part(end, 0.5)), p95: figure(part(end, 0.95)) },
        timesPlain,
      },
    ]
  })
}

async function runOnce(
  io: CliIo,
  box: Sandbox,
  lang: SandboxLanguage,
  session: boolean,
): Promise<{ readonly mode: Mode; readonly sample: Sample }> {
  const began = systemClock.monotonic()
  let firstMs: number | undefined
  const report = await box.run({
    lang,
    code: CODE[lang],
    session,
    signal: io.signal,
    output: () => {
      firstMs ??= systemClock.monotonic() - began
    },
  })
  const endMs = systemClock.monotonic() - began
  if (report.exitCode !== 0)
    throw new AdjutantError('SANDBOX_FAILED', `${box.backend}: one line of ${lang} ended with ${report.exitCode ?? report.signal}`)
  return { mode: report.mode, sample: { firstMs: firstMs ?? endMs, endMs } }
}

/** Undefined where there is no such program. */
function spawnOnce([command, ...args]: readonly [string, ...string[]]): Promise<Sample | undefined> {
  return new Promise((resolve) => {
    const began = systemClock.monotonic()
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env: {}, cwd: '/' })
    let firstMs: number | undefined
    child.stdout.on('data', () => {
      firstMs ??= systemClock.monotonic() - began
    })
    child.once('error', () => resolve(undefined))
    child.once('close', () => resolve(firstMs === undefined ? undefined : { firstMs, endMs: systemClock.monotonic() - began }))
  })
}

function settle(): Promise<void> {
  return new Promise((resolve) => systemClock.after(SETTLE_MS, resolve))
}

function part(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)] ?? 0
}

function figure(value: number): number {
  return Number(value.toPrecision(3))
}

function table(results: readonly Result[]): string {
  const head = ['backend', 'lang', '', 'runs', 'first p50', 'p95', 'end p50', 'p95', '× plain']
  const rows = results.map(({ backend, lang, mode, runs, firstMs, endMs, timesPlain }) => [
    backend,
    lang,
    mode,
    ...[runs, firstMs.p50, firstMs.p95, endMs.p50, endMs.p95, timesPlain ?? '-'].map(String),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')
  return `${[head, ...rows].map((row) => line(row).trimEnd()).join('\n')}\n\nMilliseconds.\n`
}

function optionsOf(command: Command): BenchOptions {
  const { backend, lang, runs, json } = command.optsWithGlobals()
  const known = LANGUAGES.find((one) => one === lang)
  return {
    runs: typeof runs === 'number' ? runs : 20,
    json: json === true,
    ...(typeof backend === 'string' ? { backend } : {}),
    ...(known === undefined ? {} : { lang: known }),
  }
}

function runsOf(text: string): number {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value < 1 || value > MOST_RUNS)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_RUNS}.`)
  return value
}
