/**
 * What the terminal shows, kept apart from how it is drawn. Takes the events of a session one by one and gives snapshots: lines that
 * are finished (drawn once), calls that run (drawn again and again), the text that is still arriving, and the one question that
 * is open. Synchronous; a snapshot is made only when somebody looks, so ten thousand calls cost ten thousand map entries.
 */
import type { CallState, Outcome, SessionEvent, ToolCall, ToolResult } from '@adjutant/core'
import { duration, summarise } from './call-summary.ts'
import { budgetText, endedText, factsOf, progressText } from './event-words.ts'
import { printableLine, shorten } from './printable.ts'

/** Longer than any terminal is wide. */
const SUMMARY_CHARS = 200

export interface LiveCall {
  readonly id: string
  readonly name: string
  readonly summary: string
  readonly status: CallState['status']
  /** Milliseconds since the session started. */
  readonly startedAt?: number
  readonly progress?: string
}

export type DoneLine =
  | {
      readonly kind: 'call'
      readonly key: string
      readonly name: string
      readonly summary: string
      readonly outcome: Outcome
      readonly durationMs?: number
      /** An error code, or a word such as `denied`. */
      readonly detail?: string
      /** Why, in full: for lines that may be long. */
      readonly reason?: string
    }
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'note' | 'warning'; readonly key: string; readonly text: string }

export interface ViewSnapshot {
  readonly done: readonly DoneLine[]
  readonly live: readonly LiveCall[]
  /** Calls that wait for their turn. */
  readonly waiting: number
  /** The last, unfinished line of the model's text. */
  readonly text: string
  /** The model is being asked and has not said anything yet. */
  readonly thinking: boolean
}

interface Tracked {
  readonly name: string
  summary: string
  status: CallState['status']
  startedAt?: number
  progress?: string
  attempts?: number
  detail?: string
  reason?: string
}

/** Facts of one batch's results that get a line each; the rest is counted. */
const MAX_FACTS = 10
/** Calls that are done and whose results have not been told yet. */
const MAX_SETTLED = 1_000
/** Of a call's summary, where it only says which call is meant. */
const NAMED_CHARS = 40

export class ViewStore {
  readonly #calls = new Map<string, Tracked>()
  readonly #summaries = new Map<string, string>()
  readonly #settled = new Map<string, string>()
  readonly #listeners = new Set<() => void>()
  #done: DoneLine[] = []
  #text = ''
  #thinking = false
  #keys = 0
  #snapshot: ViewSnapshot | undefined

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): ViewSnapshot => {
    this.#snapshot ??= this.#look()
    return this.#snapshot
  }

  /** Tells what calls are about, where no model event does. */
  expect(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#summaries.set(call.id, summarise(call.arguments, SUMMARY_CHARS))
  }

  /** The finished lines since the last time, for whoever writes them out and draws nothing. */
  drain(): readonly DoneLine[] {
    const lines = this.#done
    this.#done = []
    return lines
  }

  note(text: string, kind: 'note' | 'warning' = 'note'): void {
    this.#push({ kind, key: this.#key(), text: printableLine(text) })
    this.#changed()
  }

  /** Lines that stay, made printable by the caller. */
  lines(lines: readonly string[]): void {
    for (const text of lines) this.#push({ kind: 'text', key: this.#key(), text })
    this.#changed()
  }

  take(event: SessionEvent): void {
    switch (event.type) {
      case 'round':
        this.#endText()
        this.#thinking = true
        break
      case 'model':
        if (event.event.type === 'text') this.#addText(event.event.text)
        else if (event.event.type === 'call') this.expect([event.event.call])
        else if (event.event.type === 'end') {
          this.#endText()
          this.#thinking = false
        } else return
        break
      case 'call-state':
        this.#move(event.id, event.name, event.state, event.at)
        break
      case 'progress': {
        const call = this.#calls.get(event.id)
        if (call !== undefined) call.progress = progressText(event.progress)
        break
      }
      case 'log':
        if (event.level === 'debug' || event.level === 'info') return
        this.note(event.message, 'warning')
        return
      case 'answer-retried':
        this.#endText()
        this.note(`the answer broke off and is asked for again: ${event.reason}`, 'warning')
        return
      case 'loop':
        this.note(
          `${event.name} is going round in circles${event.step === 'stop' ? ', the task is stopped' : ''}: ${event.reason}`,
          'warning',
        )
        return
      case 'budget':
        this.note(budgetText(event), 'warning')
        return
      case 'retry': {
        const call = this.#calls.get(event.id)
        if (call === undefined) return
        call.progress = printableLine(`attempt ${event.attempt} in ${duration(event.delayMs)} (${event.code})`)
        break
      }
      case 'results':
        if (!this.#tellFacts(event.results)) return
        break
      case 'ended': {
        const words = endedText(event.reason)
        this.#settled.clear()
        if (words !== undefined) this.note(words, 'warning')
        return
      }
      case 'task':
      case 'judged':
      case 'refused':
      case 'metered':
      case 'tool-loaded':
      case 'tool-unloaded':
      case 'approval-asked':
      case 'approval-answered':
      case 'question':
        return
      default:
        event satisfies never
    }
    this.#changed()
  }

  #move(id: string, name: string, state: CallState, at: number): void {
    const known = this.#calls.get(id)
    const call: Tracked = known ?? { name: printableLine(name), summary: this.#summaries.get(id) ?? '', status: state.status }
    if (known === undefined) this.#calls.set(id, call)
    // What was taken over from a broken answer may still run.
    call.status = state.status === 'adopted' ? 'running' : state.status
    if (call.status === 'running') call.startedAt ??= at
    if (state.status === 'running') {
      call.attempts = state.attempt
      // What was said of the attempt before is over.
      if (state.attempt > 1) delete call.progress
    }
    if (state.status === 'denied') {
      call.detail = 'denied'
      call.reason = printableLine(state.reason)
    }
    if (state.status === 'refused' || state.status === 'failed' || state.status === 'unknown') call.detail = state.code
    if (state.status === 'timed-out' || state.status === 'cancelled' || state.status === 'expired') call.detail = state.status
    if (state.status !== 'settled') return
    this.#calls.delete(id)
    this.#summaries.delete(id)
    if (call.summary !== '' && this.#settled.size < MAX_SETTLED) this.#settled.set(id, call.summary)
    if (call.attempts !== undefined && call.attempts > 1) {
      call.detail = [call.detail ?? '', `${call.attempts} attempts`].filter((part) => part !== '').join(', ')
    }
    this.#push({
      kind: 'call',
      key: this.#key(),
      name: call.name,
      summary: call.summary,
      outcome: state.outcome,
      ...(call.startedAt === undefined ? {} : { durationMs: at - call.startedAt }),
      ...(call.detail === undefined ? {} : { detail: call.detail }),
      ...(call.reason === undefined ? {} : { reason: call.reason }),
    })
  }

  /** What only the results say of calls whose lines are drawn already: a short line each. False when there is nothing to tell. */
  #tellFacts(results: readonly ToolResult[]): boolean {
    let told = 0
    for (const result of results) {
      const facts = factsOf(result)
      if (facts === '') continue
      told += 1
      if (told > MAX_FACTS) continue
      const which = shorten(this.#settled.get(result.id) ?? '', NAMED_CHARS)
      const text = `  ${printableLine(result.name)}${which === '' ? '' : ` ${which}`}: ${facts}`
      this.#push({ kind: 'note', key: this.#key(), text })
    }
    this.#settled.clear()
    if (told > MAX_FACTS) {
      this.#push({ kind: 'note', key: this.#key(), text: `  and ${told - MAX_FACTS} more that were cached, recognised or had secrets` })
    }
    return told > 0
  }

  #addText(text: string): void {
    this.#thinking = false
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    // Whole lines are drawn once and left alone: a long answer must not be drawn anew with every word.
    for (const line of lines) this.#pushText(line)
  }

  #endText(): void {
    if (this.#text !== '') this.#pushText(this.#text)
    this.#text = ''
  }

  #pushText(line: string): void {
    this.#push({ kind: 'text', key: this.#key(), text: printableLine(line.replaceAll('\t', '  ').replace(/\r$/, '')) })
  }

  #push(line: DoneLine): void {
    this.#done.push(line)
  }

  #key(): string {
    this.#keys += 1
    return String(this.#keys)
  }

  #changed(): void {
    this.#snapshot = undefined
    for (const listener of this.#listeners) listener()
  }

  #look(): ViewSnapshot {
    const live: LiveCall[] = []
    let waiting = 0
    for (const [id, call] of this.#calls) {
      if (call.status !== 'running' && call.status !== 'held') {
        waiting += 1
        continue
      }
      live.push({
        id,
        name: call.name,
        summary: call.summary,
        status: call.status,
        ...(call.startedAt === undefined ? {} : { startedAt: call.startedAt }),
        ...(call.progress === undefined ? {} : { progress: call.progress }),
      })
    }
    return { done: [...this.#done], live, waiting, text: printableLine(this.#text), thinking: this.#thinking }
  }
}
