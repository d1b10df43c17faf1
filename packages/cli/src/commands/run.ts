/** `adjutant run`: the agent loop in the terminal. The model decides, its calls are carried out, until it answers. */
import {
  AdjutantError,
  type AgentAnswer,
  type Approver,
  buildSystemPrompt,
  type Dialect,
  FileSessionStore,
  fenceNote,
  type ModelHandle,
  modelFromSpec,
  type Outcome,
  recordedApprover,
  runAgent,
  type Session,
  type SessionEvent,
  toToolMessages,
} from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import type { Config } from '../config/config.ts'
import { duration } from '../terminal/call-summary.ts'
import { stdinChunks } from '../work/input.ts'
import { resultsLine } from '../work/json-lines.ts'
import { configOf, openWork } from '../work/open-work.ts'
import { addSharedOptions, approvalMode, positiveInteger, type SharedOptions, sharedOptions, usage } from './shared-options.ts'

const HELP = `
SPEC is openai:NAME (Chat Completions), openai-responses:NAME, anthropic:NAME, gemini:NAME, compatible:URL#NAME (Ollama, vLLM,
llama.cpp …) or replay:FILE, a recorded conversation that runs with no key and no network. Where nobody is at a terminal, a replay takes the answers that were recorded with it.

Exit: 0 with an answer, 1 failed or gave up, 2 wrong usage, 4 stopped because it went round in circles, 130 interrupted.

Example:
  adjutant run "Compare this week with the last and write report.md" --model openai:gpt-5`

/** Of a task on stdin. */
const MAX_TASK_BYTES = 1024 * 1024

export function addRunCommand(program: Command, io: CliIo): void {
  const command = program
    .command('run')
    .description('let a model work on a task: the agent loop in the terminal')
    .argument('<task>', 'what is to be done; - reads it from stdin')
    .option('--model <spec>', 'which model decides (default: the one of the configuration)')
    .option('--system <text>', 'system prompt')
    .option('--max-rounds <n>', 'rounds of calls before the model has to answer (default: 8)', positiveInteger)
  addSharedOptions(command)
    .addHelpText('after', HELP)
    .action(async (task: string, _options, self: Command) => run(io, self, task))
}

async function run(io: CliIo, command: Command, taskWord: string): Promise<void> {
  const shared = sharedOptions(command)
  const { model: modelOption, system, maxRounds } = command.opts()
  const config = await configOf(io, shared)
  const spec = typeof modelOption === 'string' ? modelOption : config.model
  if (spec === undefined)
    throw usage(
      'no model is named',
      'Give --model openai:NAME, openai-responses:NAME, anthropic:NAME, gemini:NAME, compatible:URL#NAME or replay:FILE, or set "model" in adjutant.yaml.',
    )
  const task = taskWord === '-' ? await taskFromStdin(io) : taskWord
  if (task.trim() === '') throw usage('the task is empty', 'Say what is to be done: adjutant run "…".')
  const handle = await modelFromSpec(spec, { env: io.env, cwd: io.cwd })
  try {
    await withModel(io, {
      shared,
      config,
      handle,
      task,
      system: typeof system === 'string' ? system : config.system,
      maxRounds: typeof maxRounds === 'number' ? maxRounds : config.maxRounds,
      stdinIsData: taskWord === '-',
    })
  } finally {
    await handle.close()
  }
}

interface RunInput {
  readonly shared: SharedOptions
  readonly config: Config
  readonly handle: ModelHandle
  readonly task: string
  readonly system: string | undefined
  readonly maxRounds: number
  readonly stdinIsData: boolean
}

async function withModel(io: CliIo, input: RunInput): Promise<void> {
  const { shared, config, handle } = input
  const tally = new Tally()
  const recorded = recordedAnswers(io, input)
  // The results go back in the form of the wire that the model's last answer came over.
  let dialect: Dialect = 'openai-chat'
  const work = await openWork(io, {
    shared,
    config,
    stdinIsData: input.stdinIsData,
    recorded,
    saysFence: true,
    store: new FileSessionStore(config.sessionsFolder),
    events(event) {
      tally.take(event)
      if (event.type === 'model' && event.event.type === 'end') dialect = event.event.dialect
      if (event.type === 'results' && shared.json === true) {
        void writeJson(io.stdout, resultsLine(event.results, toToolMessages(dialect, event.results)))
      }
    },
  })
  let answer: AgentAnswer | undefined
  try {
    if (recorded !== undefined) work.ui.note('nobody is at a terminal: questions are answered as the recording was')
    answer = await runAgent({
      session: work.session,
      model: handle.model,
      task: input.task,
      maxRounds: input.maxRounds,
      signal: io.signal,
      system: () => systemPrompt(work.session, input.system),
    })
  } finally {
    work.ui.note(tally.summary(answer, work.session.at()))
    await work.close()
  }
  await tell(io, answer, shared.json === true, work.ui.showsText && io.stdout.isTTY === true)
}

/** What the operator wrote says who the model is; what the execution system relies on is added. */
function systemPrompt(session: Session, role: string | undefined): string {
  const date = new Date(session.clock.now()).toISOString().slice(0, 10)
  const tools = session.toolOverview()
  return buildSystemPrompt({
    ...(role === undefined ? {} : { role }),
    tools,
    boundaries: tools.untrusted ? [fenceNote()] : [],
    context: { date },
  }).text
}

async function tell(io: CliIo, answer: AgentAnswer, json: boolean, shown: boolean): Promise<void> {
  const { text, rounds, usage: tokens, reason } = answer
  if (json) await writeJson(io.stdout, { type: 'answer', text, rounds, usage: tokens, reason })
  else if (!shown && text !== '') await write(io.stdout, text.endsWith('\n') ? text : `${text}\n`)
  switch (reason) {
    case 'answer':
    case 'rounds':
      return
    case 'gave-up':
      io.exit(1)
      return
    case 'budget':
      // An answer from what was known is one; a run that was cut off has none.
      if (rounds === 0 || text === '') io.exit(1)
      return
    case 'loop':
      io.exit(4)
      return
    case 'cancelled':
      io.exit(130)
      return
    case 'paused':
      // It did what it was told: not to wait.
      return
    default:
      reason satisfies never
  }
}

/** Only where a person would be asked, and none is there. What somebody chose, by option or in the configuration, stays. */
function recordedAnswers(io: CliIo, { handle, shared, config }: RunInput): Approver | undefined {
  if (handle.approvals === undefined || shared.approve !== undefined || io.stdin.isTTY === true) return undefined
  return approvalMode(shared, config).mode === 'ask' ? recordedApprover(handle.approvals) : undefined
}

async function taskFromStdin(io: CliIo): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdinChunks(io, 'the task')) {
    size += chunk.byteLength
    if (size > MAX_TASK_BYTES)
      throw new AdjutantError('TOO_LARGE', `the task on stdin is larger than ${MAX_TASK_BYTES / 1024} KiB`, {
        hint: 'Put the material into a file of the workspace and name it.',
      })
    parts.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw usage('the task on stdin is not text in UTF-8', 'Give the task as text.')
  }
}

/** Counts what became of the calls. */
class Tally {
  readonly #outcomes: Record<Outcome, number> = { ok: 0, failed: 0, 'not-run': 0, unknown: 0 }
  #denied = 0

  take(event: SessionEvent): void {
    if (event.type !== 'call-state') return
    if (event.state.status === 'denied') this.#denied += 1
    if (event.state.status === 'settled') this.#outcomes[event.state.outcome] += 1
  }

  summary(answer: AgentAnswer | undefined, ms: number): string {
    const { ok, failed, unknown } = this.#outcomes
    const notRun = this.#outcomes['not-run'] - this.#denied
    const calls = ok + failed + unknown + notRun + this.#denied
    const parts = [
      ok > 0 ? `${ok} ok` : '',
      failed > 0 ? `${failed} failed` : '',
      this.#denied > 0 ? `${this.#denied} denied` : '',
      notRun > 0 ? `${notRun} not run` : '',
      unknown > 0 ? `${unknown} unknown` : '',
    ].filter((part) => part !== '')
    const said = [`${calls} call${calls === 1 ? '' : 's'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`]
    if (answer !== undefined) {
      said.push(`${answer.rounds} round${answer.rounds === 1 ? '' : 's'}`)
      const { inputTokens, outputTokens } = answer.usage
      if (inputTokens + outputTokens > 0) said.push(`${inputTokens} tokens in, ${outputTokens} out`)
    }
    return `${said.join('; ')}; ${duration(ms)}`
  }
}
