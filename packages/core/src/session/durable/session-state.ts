import type { Usage } from '../../contract/decode.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { CallId, Digest } from '../../contract/ids.ts'
import type { Message } from '../../contract/messages.ts'
import type { ToolResult } from '../../contract/result.ts'
import { jobMessage } from '../jobs/job-message.ts'
import { OpenBatch } from './open-batch.ts'

/** What a session is after its steps so far. */
export interface SessionStateFields {
  readonly messages: readonly Message[]
  /** Batches begun. */
  readonly batches: number
  /** Of the task in hand: answers of the model, calls it made, tokens. */
  readonly rounds: number
  readonly calls: number
  readonly usage: Usage
  /** A task was given and has no answer yet. */
  readonly busy: boolean
  /** Tools on demand that the model has. */
  readonly loaded: readonly string[]
  /** What is allowed for the rest of the session. */
  readonly grants: readonly Digest[]
  /** Tools through which text of strangers was read. */
  readonly untrusted: readonly string[]
  /** What goes on behind the session and has not been told of. */
  readonly jobs: readonly OpenJob[]
}

/** A call that became a job. */
export interface OpenJob {
  readonly jobId: string
  readonly id: CallId
  readonly name: string
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 }

/**
 * Folds the steps of a session, in their order, into what it is: the talk, the batch that is open, what was allowed. The same steps give the same
 * state, in one go or from a checkpoint on. Pure; memory grows with the talk, as the talk itself does.
 */
export class SessionState implements SessionStateFields {
  #messages: Message[] = []
  #batches = 0
  #rounds = 0
  #calls = 0
  #usage: Usage = NO_USAGE
  #busy = false
  #loaded: readonly string[] = []
  #grants: Digest[] = []
  #untrusted: string[] = []
  #jobs: readonly OpenJob[] = []
  #open: OpenBatch | undefined

  /** @param from what a checkpoint says */
  constructor(from?: SessionStateFields) {
    if (from === undefined) return
    this.#messages = [...from.messages]
    this.#batches = from.batches
    this.#rounds = from.rounds
    this.#calls = from.calls
    this.#usage = from.usage
    this.#busy = from.busy
    this.#loaded = from.loaded
    this.#grants = [...from.grants]
    this.#untrusted = [...from.untrusted]
    this.#jobs = from.jobs
  }

  get messages(): readonly Message[] {
    return this.#messages
  }
  get batches(): number {
    return this.#batches
  }
  get rounds(): number {
    return this.#rounds
  }
  get calls(): number {
    return this.#calls
  }
  get usage(): Usage {
    return this.#usage
  }
  get busy(): boolean {
    return this.#busy
  }
  get loaded(): readonly string[] {
    return this.#loaded
  }
  get grants(): readonly Digest[] {
    return this.#grants
  }
  get untrusted(): readonly string[] {
    return this.#untrusted
  }
  get jobs(): readonly OpenJob[] {
    return this.#jobs
  }
  /** The batch whose calls do not all have their result. */
  get open(): OpenBatch | undefined {
    return this.#open
  }

  apply(step: StepRecord): void {
    switch (step.type) {
      case 'user':
        this.#messages.push({ role: 'user', text: step.text })
        this.#beginTask()
        return
      case 'model':
        this.#answered(step)
        return
      case 'batch':
        this.#begin(new OpenBatch(this.#batches + 1, step.calls, undefined))
        return
      case 'answered':
        this.#grants.push(...step.grants)
        this.#open?.take(step)
        return
      case 'call':
        this.#read(step.result)
        this.#open?.take(step)
        this.#close()
        return
      case 'started':
      case 'asked':
        this.#open?.take(step)
        return
      case 'queued':
        this.#jobs = [...this.#jobs, { jobId: step.jobId, id: step.id, name: step.name }]
        return
      case 'job':
        this.#jobs = this.#jobs.filter(({ jobId }) => jobId !== step.jobId)
        this.#read(step.result)
        this.#messages.push({ role: 'user', text: jobMessage(step.jobId, step.result) })
        // What comes of it is for the model to say.
        if (!this.#busy) this.#beginTask()
        return
      case 'tools':
        this.#loaded = step.loaded
        return
      case 'answer':
        this.#drop()
        this.#busy = false
        return
      case 'paused':
      case 'resumed':
        return
      default:
        step satisfies never
    }
  }

  /** A batch that a checkpoint says is open. */
  reopen(batch: OpenBatch): void {
    this.#open = batch
    this.#close()
  }

  #beginTask(): void {
    this.#busy = true
    this.#rounds = 0
    this.#calls = 0
    this.#usage = NO_USAGE
  }

  #read(result: ToolResult): void {
    if (result.fence !== undefined && !this.#untrusted.includes(result.name)) this.#untrusted.push(result.name)
  }

  #answered(step: Extract<StepRecord, { type: 'model' }>): void {
    this.#rounds += 1
    const providerBlocks = step.version === 2 ? step.providerBlocks : []
    if (step.version === 2) {
      this.#usage = {
        inputTokens: this.#usage.inputTokens + step.usage.inputTokens,
        outputTokens: this.#usage.outputTokens + step.usage.outputTokens,
      }
    }
    this.#calls += step.calls.length
    if (step.calls.length > 0) this.#begin(new OpenBatch(this.#batches + 1, step.calls, { text: step.text, providerBlocks }))
    else this.#messages.push({ role: 'assistant', text: step.text, calls: [], ...blocks(providerBlocks) })
  }

  #begin(batch: OpenBatch): void {
    this.#drop()
    this.#batches = batch.number
    this.#open = batch
    this.#close()
  }

  /** The history takes a batch together with all its results. */
  #close(): void {
    const batch = this.#open
    if (batch === undefined || !batch.settled) return
    this.#open = undefined
    if (batch.answer === undefined) return
    const results = batch.results.filter((result): result is ToolResult => result !== undefined)
    const { text, providerBlocks } = batch.answer
    this.#messages.push({ role: 'assistant', text, calls: batch.calls, ...blocks(providerBlocks) }, { role: 'tool', results })
  }

  /** Calls that were never carried out are not part of the talk: what was said with them is. */
  #drop(): void {
    const batch = this.#open
    this.#open = undefined
    if (batch?.answer === undefined) return
    const { text, providerBlocks } = batch.answer
    this.#messages.push({ role: 'assistant', text, calls: [], ...blocks(providerBlocks) })
  }
}

function blocks<T>(providerBlocks: readonly T[]): { readonly providerBlocks?: readonly T[] } {
  return providerBlocks.length === 0 ? {} : { providerBlocks }
}
