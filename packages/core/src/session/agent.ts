import type { Usage } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { ApprovalId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { Clock, Model } from '../contract/ports.ts'
import type { ToolResult } from '../contract/result.ts'
import { AnswerCollector, type ModelAnswer } from './answer-collector.ts'
import type { OpenBatch } from './durable/open-batch.ts'
import { SessionPaused } from './durable/session-paused.ts'
import type { OpenJob } from './durable/session-state.ts'
import { jobMessage } from './jobs/job-message.ts'
import type { OpenTurn } from './open-turn.ts'
import type { Session } from './session.ts'

/** Rounds of tool calls before a final answer is asked for (D14). */
export const DEFAULT_MAX_ROUNDS = 8

/** How often an answer that broke off in the middle is asked for again, and the pause before it, times the attempt. */
const MAX_ANSWER_RETRIES = 2
const ANSWER_RETRY_MS = 500

export interface AgentOptions {
  readonly session: Session
  readonly model: Model
  /** What the person wants. Absent: a session that outlives its processes goes on with the task it has. */
  readonly task?: string
  /** Said to the model in each request; a function is asked before each. */
  readonly system?: string | (() => string)
  /** Rounds of tool calls, 1 or more. Default 8. Then the model is asked to answer from what it knows. */
  readonly maxRounds?: number
  readonly signal?: AbortSignal
}

/**
 * `answer`: the model was done. `rounds`, `budget`: it was told to answer because the rounds, or a budget, were used up. `loop`: the task was
 * stopped because it went round in circles. `paused`: a person must decide first, and nobody waits for that here.
 */
export type AgentEnd = 'answer' | 'rounds' | 'budget' | 'loop' | 'cancelled' | 'gave-up' | 'paused'

export interface AgentAnswer {
  readonly text: string
  readonly reason: AgentEnd
  /** Answers of the model. */
  readonly rounds: number
  /** Calls that the model made. */
  readonly calls: number
  readonly usage: Usage
  /** The whole talk: every call has its result, also after an abort. */
  readonly messages: readonly Message[]
  /** Where it is paused: the approvals that it waits for. */
  readonly waiting?: readonly ApprovalId[]
  /** What still goes on behind the session; absent: nothing. */
  readonly jobs?: readonly OpenJob[]
}

/**
 * The loop: ask the model, carry out what it asks for, hand back the results, until it answers, gives up, or the rounds are
 * used up. The history it builds is whole at any time: a batch is added together with all its results.
 *
 * @throws AdjutantError MODEL_FAILED, MODEL_UNAVAILABLE or STREAM_BROKEN when the provider fails for good
 *
 * @example
 * ```ts
 * const { text } = await runAgent({ session, model, task: 'What does README.md promise?' })
 * ```
 */
export async function runAgent(options: AgentOptions): Promise<AgentAnswer> {
  const { session, maxRounds = DEFAULT_MAX_ROUNDS } = options
  const signal = options.signal === undefined ? session.signal : AbortSignal.any([options.signal, session.signal])
  const talk = await beginTalk(options)
  const { messages } = talk
  const progress = (): Omit<AgentAnswer, 'text' | 'reason' | 'rounds'> => {
    const jobs = session.openJobs
    return { calls: talk.calls, usage: talk.usage, messages, ...(jobs.length === 0 ? {} : { jobs }) }
  }

  const end = async (reason: AgentEnd, text: string, rounds: number): Promise<AgentAnswer> => {
    session.endTask()
    session.events?.({ type: 'ended', reason, text, at: session.at() })
    await session.record({ version: 1, type: 'answer', at: session.at(), text, reason })
    return { text, reason, rounds, ...progress() }
  }
  const stopped = async (error: unknown, round: number): Promise<AgentAnswer> => {
    if (error instanceof SessionPaused) {
      session.events?.({ type: 'ended', reason: 'paused', text: '', at: session.at() })
      return { text: '', reason: 'paused', rounds: round, waiting: error.waiting, ...progress() }
    }
    if (signal.aborted) return end('cancelled', '', round - 1)
    throw error
  }
  /** Why the task is over although the model has not answered. */
  const over = (text: string, round: number): Promise<AgentAnswer> | undefined => {
    session.endRound()
    if (signal.aborted) return end('cancelled', text, round)
    if (session.stopped !== undefined) return end('loop', `The task was stopped: ${session.stopped}`, round)
    return undefined
  }

  if (talk.open !== undefined) {
    const { answer } = talk.open
    try {
      const results = await session.resume({ signal })
      if (answer !== undefined)
        messages.push({ role: 'assistant', text: answer.text, calls: talk.open.calls, ...blocksOf(answer) }, { role: 'tool', results })
    } catch (error) {
      return stopped(error, talk.rounds)
    }
    const ended = over(answer?.text ?? '', talk.rounds)
    if (ended !== undefined) return ended
  }
  for (let round = talk.rounds + 1; ; round += 1) {
    for (const { jobId, result } of await session.endedJobs()) messages.push({ role: 'user', text: jobMessage(jobId, result) })
    const exhausted = session.exhausted()
    const last = round > maxRounds || exhausted !== undefined
    let step: Round
    try {
      step = await session.turn((turn) => playRound(options, messages, round, last, turn, signal, talk), { signal })
    } catch (error) {
      return stopped(error, round)
    }
    const { answer, results } = step
    if (results.length === 0) {
      // Calls of the last answer are not carried out and not kept: the history stays whole without them.
      messages.push({ role: 'assistant', text: answer.text, calls: [], ...blocksOf(answer) })
      const spent = exhausted?.message ?? `No answer was given within ${maxRounds} rounds of tool calls.`
      const text = last && answer.text === '' ? spent : answer.text
      return end(last ? (exhausted === undefined ? 'rounds' : 'budget') : answer.gaveUp ? 'gave-up' : 'answer', text, round)
    }
    messages.push({ role: 'assistant', text: answer.text, calls: answer.calls, ...blocksOf(answer) }, { role: 'tool', results })
    const ended = over(answer.text, round)
    if (ended !== undefined) return ended
  }
}

/** What has been said and used of the task so far. */
interface Talk {
  readonly messages: Message[]
  /** Answers of the model that there have been. */
  readonly rounds: number
  calls: number
  usage: Usage
  /** The batch that another process left open. */
  readonly open: OpenBatch | undefined
}

/** Begins the task, or goes on with the one that the session has. @throws AdjutantError CONFLICT when it has none, or another one */
async function beginTalk({ session, task }: AgentOptions): Promise<Talk> {
  const { state } = session
  if (task === undefined) {
    // A job that has ended is something to go on with.
    if (state?.busy === false) await session.endedJobs()
    if (state?.busy !== true) {
      throw new AdjutantError('CONFLICT', 'the session has no task to go on with', { outcome: 'not-run', hint: 'Give it one.' })
    }
    return { messages: [...state.messages], rounds: state.rounds, calls: state.calls, usage: state.usage, open: state.open }
  }
  if (state !== undefined && (state.busy || state.open !== undefined)) {
    throw new AdjutantError('CONFLICT', 'the session has a task that is not finished', {
      outcome: 'not-run',
      hint: 'Go on with it first; then give it the next one.',
    })
  }
  const before = state?.messages ?? []
  session.events?.({ type: 'task', text: task, at: session.at() })
  const messages: Message[] = [...before, { role: 'user', text: task }]
  await session.record({ version: 1, type: 'user', at: session.at(), text: task })
  return { messages, rounds: 0, calls: 0, usage: { inputTokens: 0, outputTokens: 0 }, open: undefined }
}

interface Round {
  readonly answer: ModelAnswer
  /** None when the model made no calls, or was not allowed any more. */
  readonly results: readonly ToolResult[]
}

/** One answer of the model, read while its reads already run, and the results of its calls. */
async function playRound(
  options: AgentOptions,
  messages: readonly Message[],
  round: number,
  last: boolean,
  turn: OpenTurn,
  signal: AbortSignal,
  talk: Talk,
): Promise<Round> {
  for (let attempt = 1; ; attempt += 1) {
    const collected = new AnswerCollector()
    try {
      const answer = await askModel(options, messages, round, collected, last ? undefined : turn, signal)
      talk.usage = {
        inputTokens: talk.usage.inputTokens + answer.usage.inputTokens,
        outputTokens: talk.usage.outputTokens + answer.usage.outputTokens,
      }
      talk.calls += answer.calls.length
      options.session.answered(answer.usage)
      return { answer, results: last || answer.calls.length === 0 ? [] : await turn.complete() }
    } catch (error) {
      // What failed before anything came was tried again by the adapter; here only an answer that broke off in the middle is.
      if (signal.aborted || !collected.begun || attempt > MAX_ANSWER_RETRIES || !isTransient(error)) throw error
      turn.restart()
      options.session.events?.({ type: 'answer-retried', round, reason: error.message, at: options.session.at() })
      await pause(options.session.clock, ANSWER_RETRY_MS * attempt, signal)
    }
  }
}

function isTransient(error: unknown): error is AdjutantError {
  return AdjutantError.isInstance(error) && (error.code === 'STREAM_BROKEN' || error.code === 'MODEL_UNAVAILABLE')
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}

function blocksOf(answer: Pick<ModelAnswer, 'providerBlocks'>): { readonly providerBlocks?: readonly JsonObject[] } {
  return answer.providerBlocks.length === 0 ? {} : { providerBlocks: answer.providerBlocks }
}

/** @param turn takes each call as soon as it is complete; absent when none may run any more */
async function askModel(
  options: AgentOptions,
  messages: readonly Message[],
  round: number,
  collected: AnswerCollector,
  turn: OpenTurn | undefined,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { session, model } = options
  const startedAt = session.at()
  session.events?.({ type: 'round', round, at: startedAt })
  const system = systemOf(options)
  const stream = model.stream(
    {
      messages: [...messages],
      tools: session.request(),
      toolChoice: turn === undefined ? 'none' : 'auto',
      // Somebody looks: then they may see arguments grow.
      signals: session.events !== undefined,
      ...(system === undefined ? {} : { system }),
    },
    { signal },
  )
  for await (const event of stream) {
    session.events?.({ type: 'model', event, at: session.at() })
    collected.take(event)
    if (event.type === 'call') turn?.add(event.call)
  }
  const answer = collected.answer(model.name)
  await session.record({
    version: 2,
    type: 'model',
    at: startedAt,
    endedAt: session.at(),
    round,
    text: answer.text,
    // What is not carried out is not part of the talk.
    calls: turn === undefined ? [] : answer.calls,
    providerBlocks: answer.providerBlocks,
    usage: answer.usage,
  })
  return answer
}

/** The host's words, and what is left of the budgets once that matters. */
function systemOf({ system, session }: AgentOptions): string | undefined {
  const said = typeof system === 'function' ? system() : system
  const notes = session.budgetNotes()
  if (notes.length === 0) return said
  return [...(said === undefined ? [] : [said]), ...notes].join('\n\n')
}
