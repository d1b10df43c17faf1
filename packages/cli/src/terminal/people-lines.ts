/** People's lines, one after the other on stderr: where nothing can be redrawn, or nobody looks. */
import type { EventSink, ToolCall } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import { duration } from './call-summary.ts'
import { outcomeSign, type Theme } from './theme.ts'
import { type DoneLine, ViewStore } from './view-store.ts'

const SUMMARY_CHARS = 80

export interface PeopleLines {
  readonly events: EventSink
  expect(calls: readonly ToolCall[]): void
  note(text: string, kind?: 'note' | 'warning'): void
  /** Lines wait while a question is on the screen. */
  hold(): void
  release(): void
}

/**
 * @param quiet only warnings and notes: the calls are told on stdout, as JSON
 */
export function peopleLines(stderr: CliIo['stderr'], theme: Theme, quiet: boolean): PeopleLines {
  const store = new ViewStore()
  let held: string[] | undefined
  const say = (text: string): void => {
    if (held !== undefined) held.push(text)
    else if (!stderr.destroyed) stderr.write(`${text}\n`)
  }
  // What the model says beside its calls. Its last words are the answer: that is data, and the command writes it to stdout.
  let said: string[] = []
  store.subscribe(() => {
    for (const line of store.drain()) {
      if (line.kind === 'text') {
        said.push(line.text)
        continue
      }
      const text = written(line, theme, quiet)
      if (text !== undefined) say(text)
    }
  })
  const take: EventSink = (event) => {
    if (event.type === 'call-state' && said.length > 0) {
      if (!quiet) for (const text of said) say(text)
      said = []
    }
    store.take(event)
  }
  return {
    hold() {
      held ??= []
    },
    release() {
      const waiting = held ?? []
      held = undefined
      for (const text of waiting) say(text)
    },
    events: take,
    expect: (calls) => store.expect(calls),
    note: (text, kind) => store.note(text, kind),
  }
}

function written(line: Exclude<DoneLine, { kind: 'text' }>, theme: Theme, quiet: boolean): string | undefined {
  switch (line.kind) {
    case 'note':
      return theme.paint('quiet', line.text)
    case 'warning':
      return theme.paint('warning', `! ${line.text}`)
    case 'call': {
      if (quiet) return undefined
      const { sign, tone } = outcomeSign(line.outcome, theme.symbols)
      const summary =
        line.summary.length > SUMMARY_CHARS ? `${line.summary.slice(0, SUMMARY_CHARS - 1)}${theme.symbols.ellipsis}` : line.summary
      const rest = [summary, line.reason ?? line.detail ?? '', line.durationMs === undefined ? '' : duration(line.durationMs)].filter(
        (part) => part !== '',
      )
      return `${theme.paint(tone, sign)} ${theme.paint('name', line.name)}${rest.length === 0 ? '' : ` ${theme.paint('quiet', rest.join('  '))}`}`
    }
    default:
      return line satisfies never
  }
}
