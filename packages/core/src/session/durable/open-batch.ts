import type { ToolCall } from '../../contract/call.ts'
import type { AskedApproval } from '../../contract/durable.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { ApprovalId, CallId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { ToolResult } from '../../contract/result.ts'

export type StartedStep = Extract<StepRecord, { type: 'started' }>
export type AnsweredStep = Extract<StepRecord, { type: 'answered' }>

/** The model's answer that a batch comes from. */
export interface BatchAnswer {
  readonly text: string
  readonly providerBlocks: readonly JsonObject[]
}

/**
 * Owns what is known of one batch that has not ended: which of its calls have their result, which had begun to run, which wait for a person or have
 * their answer. Built from steps, in their order; a step that belongs to no call of it (an answer that broke off and was asked for again left it) says
 * nothing. Pure: nothing here runs or writes.
 */
export class OpenBatch {
  /** Which of its session, from 1. */
  readonly number: number
  readonly calls: readonly ToolCall[]
  /** Absent when the batch did not come from a model of this session. */
  readonly answer: BatchAnswer | undefined
  readonly #results: (ToolResult | undefined)[]
  readonly #started = new Map<CallId, StartedStep>()
  readonly #asked = new Map<CallId, AskedApproval>()
  readonly #answered = new Map<ApprovalId, AnsweredStep>()
  #missing: number

  constructor(number: number, calls: readonly ToolCall[], answer: BatchAnswer | undefined) {
    this.number = number
    this.calls = calls
    this.answer = answer
    this.#results = calls.map(() => undefined)
    this.#missing = calls.length
  }

  /** Nothing of it has run or been asked. */
  get untouched(): boolean {
    return this.#missing === this.calls.length && this.#started.size === 0 && this.#asked.size === 0
  }

  get settled(): boolean {
    return this.#missing === 0
  }

  /** By position in the batch. */
  get results(): readonly (ToolResult | undefined)[] {
    return this.#results
  }

  /** The run of this call that nobody heard the end of. */
  started(id: CallId): StartedStep | undefined {
    return this.#started.get(id)
  }

  asked(id: CallId): AskedApproval | undefined {
    return this.#asked.get(id)
  }

  /** Every question that was asked about its calls. */
  questions(): readonly AskedApproval[] {
    return [...this.#asked.values()]
  }

  /** The answer to this call's question, once it was taken. */
  answered(id: CallId): AnsweredStep | undefined {
    const asked = this.#asked.get(id)
    return asked === undefined ? undefined : this.#answered.get(asked.id)
  }

  take(step: StepRecord): void {
    switch (step.type) {
      case 'started':
        if (step.batch === this.number) this.#started.set(step.id, step)
        return
      case 'asked':
        if (step.approval.batch === this.number) this.#asked.set(step.approval.callId, step.approval)
        return
      case 'answered':
        this.#answered.set(step.approvalId, step)
        return
      case 'call':
        this.#settle(step.call, step.result)
        return
      case 'user':
      case 'model':
      case 'batch':
      case 'queued':
      case 'job':
      case 'tools':
      case 'paused':
      case 'resumed':
      case 'answer':
        return
      default:
        step satisfies never
    }
  }

  /** The steps that make this batch what it is, for a checkpoint. */
  steps(): readonly StepRecord[] {
    const settled = this.#results.flatMap((result, position): StepRecord[] => {
      const call = this.calls[position]
      return result === undefined || call === undefined ? [] : [{ version: 1, type: 'call', call, result }]
    })
    const asked = [...this.#asked.values()].map(
      (approval): StepRecord => ({ version: 1, type: 'asked', time: approval.createdAt, approval }),
    )
    return [...asked, ...this.#answered.values(), ...this.#started.values(), ...settled]
  }

  #settle(call: ToolCall, result: ToolResult): void {
    const position = this.calls.findIndex((each, index) => this.#results[index] === undefined && sameCall(each, call))
    if (position === -1) return
    this.#results[position] = result
    this.#missing -= 1
    this.#started.delete(call.id)
  }
}

/** Of two calls with one id in a batch the position tells; of an answer that was asked for again the arguments may differ under the same id. */
function sameCall(a: ToolCall, b: ToolCall): boolean {
  return a.id === b.id && a.index === b.index && a.name === b.name && JSON.stringify(a.arguments) === JSON.stringify(b.arguments)
}
