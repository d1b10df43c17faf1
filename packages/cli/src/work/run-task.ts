/** Has a model work on a task, new or begun elsewhere, and tells what came of it. */
import {
  type AgentAnswer,
  type Approver,
  buildSystemPrompt,
  type Dialect,
  FileSessionStore,
  fenceNote,
  type ModelHandle,
  modelFromSpec,
  recordedApprover,
  runAgent,
  type Session,
  toToolMessages,
} from '@adjutant/core'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { approvalMode, type SharedOptions, usage } from '../commands/shared-options.ts'
import type { Config } from '../config/config.ts'
import { personOf } from '../config/principal.ts'
import { resultsLine } from './json-lines.ts'
import { type DurableWork, openWork } from './open-work.ts'
import { Tally } from './tally.ts'

export interface RunInput {
  readonly shared: SharedOptions
  readonly config: Config
  /** `--model`; default: that of the configuration. */
  readonly model: string | undefined
  /** Absent: the session goes on with the task it has. */
  readonly task?: string
  readonly system: string | undefined
  readonly maxRounds: number
  readonly stdinIsData: boolean
  /** The session outlives the process. */
  readonly durable?: DurableWork
}

/** Approvals that are named when a run is left. */
const MOST_LISTED = 10

/** @throws AdjutantError USAGE when no model is named; whatever the session and the model throw */
export async function runTask(io: CliIo, input: RunInput): Promise<void> {
  const spec = input.model ?? input.config.model
  if (spec === undefined)
    throw usage(
      'no model is named',
      'Give --model openai:NAME, openai-responses:NAME, anthropic:NAME, gemini:NAME, compatible:URL#NAME or replay:FILE, or set "model" in adjutant.yaml.',
    )
  const handle = await modelFromSpec(spec, { env: io.env, cwd: io.cwd, answered: await answersBefore(input) })
  try {
    await withModel(io, input, handle)
  } finally {
    await handle.close()
  }
}

/** How often a model has answered in this session already: a replay goes on behind that. */
export async function answersBefore({ durable, config, shared }: Pick<RunInput, 'durable' | 'config' | 'shared'>): Promise<number> {
  if (durable?.id === undefined) return 0
  let answers = 0
  const { tenantId } = personOf(config, shared.role).principal
  for await (const step of durable.store.sessions.steps({ tenantId, sessionId: durable.id })) if (step.type === 'model') answers += 1
  return answers
}

async function withModel(io: CliIo, input: RunInput, handle: ModelHandle): Promise<void> {
  const { shared, config, durable } = input
  const json = shared.json === true
  const tally = new Tally()
  const recorded = durable?.defers === true ? undefined : recordedAnswers(io, input, handle)
  // The results go back in the form of the wire that the model's last answer came over.
  let dialect: Dialect = 'openai-chat'
  const work = await openWork(io, {
    shared,
    config,
    stdinIsData: input.stdinIsData,
    recorded,
    saysFence: true,
    ...(durable === undefined ? { store: new FileSessionStore(config.sessionsFolder) } : { durable }),
    events(event) {
      tally.take(event)
      if (event.type === 'model' && event.event.type === 'end') dialect = event.event.dialect
      if (event.type === 'results' && json) {
        void writeJson(io.stdout, resultsLine(event.results, toToolMessages(dialect, event.results)))
      }
    },
  })
  const { session, ui } = work
  const shown = (): boolean => ui.showsText && io.stdout.isTTY === true
  let answer: AgentAnswer | undefined
  try {
    if (recorded !== undefined) ui.note('nobody is at a terminal: questions are answered as the recording was')
    if (durable !== undefined && json) await writeJson(io.stdout, { type: 'session', id: session.id })
    if (session.state?.open !== undefined) ui.expect(session.state.open.calls)
    const common = {
      session,
      model: handle.model,
      maxRounds: input.maxRounds,
      signal: io.signal,
      system: () => systemPrompt(session, input.system),
    }
    answer = await runAgent({ ...common, ...(input.task === undefined ? {} : { task: input.task }) })
    while (durable?.defers === false && answer.reason === 'answer' && answer.jobs !== undefined && !io.signal.aborted) {
      await tell(io, answer, json, shown())
      ui.note(`waits for ${answer.jobs.map(({ name, jobId }) => `${name} (${jobId})`).join(', ')} in the background`)
      await session.nextJob(io.signal)
      if (!io.signal.aborted) answer = await runAgent(common)
    }
  } finally {
    ui.note(tally.summary(answer, session.at()))
    if (durable !== undefined) for (const line of await whatIsLeft(session, answer, durable)) ui.note(line)
    await work.close()
  }
  await tell(io, answer, json, shown())
}

/** What a person can do next with a session that outlives the process. */
async function whatIsLeft(session: Session, answer: AgentAnswer | undefined, { store }: DurableWork): Promise<readonly string[]> {
  const lines: string[] = []
  for (const { jobId, name } of answer?.jobs ?? []) lines.push(`${name} goes on in the background: adjutant jobs show ${jobId}`)
  if (answer?.reason !== 'paused') return [...lines, `session ${session.id} is kept`]
  const { tenantId } = session.principal
  const { items, next } = await store.sessions.approvals.list(tenantId, { sessionId: session.id, state: 'pending', limit: MOST_LISTED })
  for (const { id, tool } of items) lines.push(`${tool} waits for a person: adjutant approvals show ${id}`)
  if (next !== undefined) lines.push(`and more: adjutant approvals list --session ${session.id}`)
  return [...lines, `then carry it on: adjutant sessions resume ${session.id}`]
}

/** What the operator wrote says who the model is; what the execution system relies on is added. */
export function systemPrompt(session: Session, role: string | undefined): string {
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
  const { text, rounds, usage: tokens, reason, waiting, jobs } = answer
  const more = { ...(waiting === undefined ? {} : { waiting }), ...(jobs === undefined ? {} : { jobs: jobs.map(({ jobId }) => jobId) }) }
  if (json) await writeJson(io.stdout, { type: 'answer', text, rounds, usage: tokens, reason, ...more })
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
function recordedAnswers(io: CliIo, { shared, config }: RunInput, handle: ModelHandle): Approver | undefined {
  if (handle.approvals === undefined || shared.approve !== undefined || io.stdin.isTTY === true) return undefined
  return approvalMode(shared, config).mode === 'ask' ? recordedApprover(handle.approvals) : undefined
}
