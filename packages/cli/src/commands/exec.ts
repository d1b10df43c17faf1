/** `adjutant exec`: one model decision from stdin (or many) is carried out; its results go to stdout in the decision's own dialect. */
import {
  AdjutantError,
  DIALECTS,
  type Dialect,
  type ErrorCode,
  type JsonValue,
  planMessage,
  runPlan,
  type ToolResult,
  toToolMessages,
} from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { type InputLine, linesOf, stdinChunks } from '../work/input.ts'
import { resultsLine } from '../work/json-lines.ts'
import { openConfiguredStore } from '../work/open-configured-store.ts'
import { configOf, openWork, type Work } from '../work/open-work.ts'
import { type Decision, DecisionReader, MAX_DECISION_BYTES } from '../work/read-decision.ts'
import { tellJobs } from '../work/tell-jobs.ts'
import { addSharedOptions, sharedOptions, storeOption, usage } from './shared-options.ts'

const HELP = `
Reads one decision of a model: the raw bytes of a provider's stream or body (see adjutant decode --help for all that is read), text
with calls in it, {"action":"call_tool","tool_name":…,"parameters":…}, or a plan {"plan":[{"id","tool","params","after"?,"when"?,"for_each"?}]}
whose steps use each other's results as \${id.path} or \${id.text}. Prints the results in call order, as the messages that go back.
With --store, calls of tools that go on in the background become jobs; the command does them and waits for them, unless adjutant work runs.
With --many each line of stdin is one decision: a JSON body, or a JSON string that holds raw text. All run in one session.

Exit: 0 all calls succeeded, 1 some failed or were invalid, 2 wrong usage, 3 some were refused by policy or a person,
4 stopped because the decisions went round in circles.

Example:
  echo '{"action":"call_tool","tool_name":"read_file","parameters":{"path":"README.md"}}' | adjutant exec --json`

/** Codes of calls that somebody said no to. */
const REFUSED: ReadonlySet<ErrorCode> = new Set(['DENIED_BY_POLICY', 'DENIED_BY_PERSON', 'APPROVAL_EXPIRED', 'APPROVAL_MISMATCH'])

export function addExecCommand(program: Command, io: CliIo): void {
  const command = program.command('exec').description('carry out a model decision read from stdin, and print the results')
  addSharedOptions(command)
    .addOption(new Option('--dialect <name>', 'how the decision is written').choices(['auto', ...DIALECTS]).default('auto'))
    .addOption(storeOption())
    .option('--many', 'JSON lines on stdin: one decision each, all in one session')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      const { dialect, many } = self.opts()
      await exec(io, self, isDialect(dialect) ? dialect : 'auto', many === true)
    })
}

function isDialect(value: unknown): value is Dialect {
  return DIALECTS.some((dialect) => dialect === value)
}

async function exec(io: CliIo, command: Command, dialect: Dialect | 'auto', many: boolean): Promise<void> {
  const shared = sharedOptions(command)
  // Read before anything is started: what is no decision starts no server.
  const first = many ? undefined : await readWhole(io, dialect)
  // Whoever wrote the decision has its own context: what is not loaded here is loaded and run.
  const config = await configOf(io, shared)
  const { store: place } = command.opts()
  const keeps = typeof place === 'string' || config.store !== undefined
  await using store = keeps ? await openConfiguredStore(io, config, typeof place === 'string' ? place : undefined) : undefined
  const durable = store === undefined ? {} : { durable: { store, defers: false } }
  const work = await openWork(io, { shared, config, stdinIsData: true, catalog: { notLoaded: 'run' }, ...durable })
  const desk = new Desk(io, work, shared.json === true)
  try {
    if (first !== undefined) {
      await desk.carryOut(first)
      await tellJobs(io, work.session, shared.json === true)
      return
    }
    let lines = 0
    for await (const line of linesOf(stdinChunks(io, 'decisions'), MAX_DECISION_BYTES)) {
      lines += await desk.carryOutLine(line, dialect)
      // The task is over: what stands on further lines is not carried out.
      if (work.session.stopped !== undefined) break
    }
    if (lines === 0 && !io.signal.aborted) throw usage('stdin is empty', 'Give one JSON line for each decision.')
    await tellJobs(io, work.session, shared.json === true)
  } finally {
    await work.close()
  }
}

async function readWhole(io: CliIo, dialect: Dialect | 'auto'): Promise<Decision> {
  const reader = new DecisionReader(dialect)
  for await (const chunk of stdinChunks(io, 'a decision')) reader.push(chunk)
  if (reader.bytes === 0) throw usage('stdin is empty', 'Pipe a model decision in; see adjutant exec --help.')
  return reader.end()
}

/** Carries out decisions one after the other and writes what came of each. */
class Desk {
  readonly #io: CliIo
  readonly #work: Work
  readonly #json: boolean

  constructor(io: CliIo, work: Work, json: boolean) {
    this.#io = io
    this.#work = work
    this.#json = json
  }

  /** @param line of `--many`, told in what is written */
  async carryOut(decision: Decision, line?: number): Promise<void> {
    const { session, ui } = this.#work
    const place = line === undefined ? {} : { line }
    for (const problem of decision.problems)
      await this.#problem(problem.code, problem.message, { ...place, ...(problem.index === undefined ? {} : { index: problem.index }) })
    if (decision.plan !== undefined) {
      const steps = await runPlan(session, decision.plan, { signal: this.#io.signal, batch: (calls) => ui.expect(calls) })
      const results = steps.map(({ result }) => result)
      await this.#tell(results, planMessage(steps), place)
      return
    }
    ui.expect(decision.calls)
    const results = await session.execute(decision.calls, { signal: this.#io.signal })
    const message = toToolMessages(decision.dialect, results, {
      madeUpIds: new Set<string>(decision.calls.filter((call) => !call.idFromProvider).map((call) => call.id)),
      customIds: new Set<string>(decision.calls.filter((call) => call.form === 'text').map((call) => call.id)),
    })
    const note = decision.note === undefined ? {} : { decision: decision.note }
    await this.#tell(results, message, { ...place, ...note })
  }

  async #tell(results: readonly ToolResult[], message: JsonValue, more: object): Promise<void> {
    if (this.#json) await writeJson(this.#io.stdout, resultsLine(results, message, more))
    else {
      await write(this.#io.stdout, `${typeof message === 'string' ? message.replace(/\n$/, '') : JSON.stringify(message)}\n`)
    }
    if (results.some((result) => result.isError)) this.#io.exit(exitOf(results))
    if (this.#work.session.stopped !== undefined) this.#io.exit(4)
  }

  /** A line that is no decision is told and passed over. Gives 1 for a line that held something. */
  async carryOutLine(line: InputLine, dialect: Dialect | 'auto'): Promise<0 | 1> {
    const place = { line: line.number }
    if ('tooLong' in line) {
      await this.#problem('TOO_LARGE', `line ${line.number} of stdin is longer than ${MAX_DECISION_BYTES / 1024 / 1024} MiB`, place)
      return 1
    }
    try {
      const text = textOf(line)
      if (text.trim() === '') return 0
      const reader = new DecisionReader(dialect)
      reader.push(decisionText(text, line.number))
      await this.carryOut(reader.end(), line.number)
    } catch (error) {
      if (!AdjutantError.isInstance(error) || error.code === 'CANCELLED' || error.code === 'INTERNAL') throw error
      await this.#problem(error.code, error.message, place)
    }
    return 1
  }

  async #problem(code: ErrorCode, message: string, more: object): Promise<void> {
    this.#io.exit(1)
    if (this.#json) await writeJson(this.#io.stdout, { type: 'problem', code, message, ...more })
    this.#work.ui.note(`${code}: ${message}`, 'warning')
  }
}

function textOf(line: Extract<InputLine, { bytes: Uint8Array }>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line.bytes)
  } catch {
    throw new AdjutantError('INVALID_JSON', `line ${line.number} of stdin is not text in UTF-8`)
  }
}

/** A JSON string holds raw text (an event stream, tagged text); an object is the decision itself. */
function decisionText(text: string, number: number): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AdjutantError(
      'INVALID_JSON',
      `line ${number} of stdin is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text
  throw new AdjutantError('INVALID_DECISION', `line ${number} of stdin is neither a JSON object nor a JSON string`)
}

function exitOf(results: readonly ToolResult[]): 1 | 3 {
  return results.some((result) => result.code !== undefined && REFUSED.has(result.code)) ? 3 : 1
}
