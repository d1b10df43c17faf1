/** Writes decode events as lines: JSON for programs, or words for people. Words from outside are made safe to show. */
import type { DecodeEvent, ToolCall } from '@adjutant/core'
import { printableLine, printableLines, shorten } from '../terminal/printable.ts'

/** Characters of one call's arguments that people are shown; `--json` has them whole. */
const SHOWN = 2_000

export class DecodeLines {
  readonly #json: boolean
  /** What the unfinished line of people's output is part of. */
  #running: 'text' | 'reasoning' | undefined

  constructor(json: boolean) {
    this.#json = json
  }

  /** The output for one event; may be empty, and for people may be part of a line. */
  of(event: DecodeEvent): string {
    return this.#json ? `${JSON.stringify(asJson(event))}\n` : this.#words(event)
  }

  #words(event: DecodeEvent): string {
    if (event.type === 'text' || event.type === 'reasoning') {
      const opening = this.#running === event.type ? '' : this.#break() + (event.type === 'reasoning' ? 'reasoning: ' : '')
      this.#running = event.type
      return opening + printableLines(event.text)
    }
    const line = wordsOf(event)
    return line === undefined ? '' : `${this.#break()}${line}\n`
  }

  #break(): string {
    if (this.#running === undefined) return ''
    this.#running = undefined
    return '\n'
  }
}

function asJson(event: DecodeEvent): unknown {
  if (event.type !== 'call') return event
  const { id, index, name, arguments: args } = event.call
  if (args.ok) return { type: 'call', index, id, name, input: args.value, ...(args.repairs === undefined ? {} : { repairs: args.repairs }) }
  return { type: 'problem', code: args.code, message: args.problem, index, id, name, raw: args.raw }
}

function wordsOf(event: Exclude<DecodeEvent, { type: 'text' | 'reasoning' }>): string | undefined {
  switch (event.type) {
    case 'call-start':
    case 'call-field':
    case 'call-growing':
    case 'provider-block':
      return undefined
    case 'call':
      return callWords(event.call)
    case 'problem':
      return `problem${event.index === undefined ? '' : ` in call ${event.index}`}: ${event.code} ${printableLine(event.message)}`
    case 'usage':
      return `usage: ${event.usage.inputTokens} tokens in, ${event.usage.outputTokens} out`
    case 'decision':
      return `decision: ${event.decision.action}${event.decision.confidence === undefined ? '' : `, confidence ${event.decision.confidence}`}`
    case 'plan':
      return `plan: ${event.plan.steps.length} steps: ${printableLine(shorten(event.plan.steps.map((step) => `${step.id} ${step.tool}`).join(', '), SHOWN))}`
    case 'end':
      return `end: ${event.finish ?? 'not finished'} (${event.dialect})`
    default:
      return event satisfies never
  }
}

function callWords(call: ToolCall): string {
  const args = call.arguments
  const name = printableLine(call.name === '' ? '(no name)' : call.name)
  if (args.ok)
    return `call ${call.index}: ${name} ${printableLine(shorten(JSON.stringify(args.value), SHOWN))} (id ${printableLine(call.id)})`
  return `problem in call ${call.index}: ${name}: ${args.code} ${printableLine(args.problem)}: ${printableLine(shorten(args.raw, SHOWN))}`
}
