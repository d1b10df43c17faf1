/** A person at a terminal that can only write lines (`TERM=dumb`, CI, `--json`): questions are lines, answers end with Enter. */
import { createInterface, type Interface } from 'node:readline/promises'
import { AdjutantError, type ApprovalDecision, type ApprovalRequest, type Question } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import { type ApprovalView, approvalView, firstLines } from './approval-view.ts'
import { decisionNote } from './decision-note.ts'
import { parseEdited } from './edit-arguments.ts'
import { type PeopleLines, peopleLines } from './people-lines.ts'
import { printableLine, printableLines } from './printable.ts'
import { effectWords, type Theme } from './theme.ts'
import type { Ui } from './ui.ts'

export interface PlainUiOptions {
  readonly stdin: CliIo['stdin']
  readonly output: CliIo['stderr']
  readonly theme: Theme
  readonly workspace: string
  readonly quiet: boolean
}

/** Of arguments and preview, before `v` is needed. */
const SHOWN_LINES = 20

export function openPlainUi(options: PlainUiOptions): Ui {
  const { theme, output } = options
  const people: PeopleLines = peopleLines(output, theme, options.quiet)
  const say = (line: string): void => void output.write(`${line}\n`)
  let input: { readonly reader: Interface; readonly ended: Promise<undefined> } | undefined
  let over = false

  /** Rejects when the run stops. `undefined`: the input has ended, nobody answers any more. */
  const ask = async (text: string, signal: AbortSignal): Promise<string | undefined> => {
    signal.throwIfAborted()
    if (over) return undefined
    if (input === undefined) {
      const reader = createInterface({ input: options.stdin, output, terminal: false })
      const ended = new Promise<undefined>((resolve) => {
        reader.once('close', () => {
          over = true
          resolve(undefined)
        })
      })
      input = { reader, ended }
    }
    return Promise.race([input.reader.question(text, { signal }), input.ended])
  }

  const decide = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> => {
    const view = await approvalView(request, options.workspace)
    for (const line of describe(view, theme, SHOWN_LINES)) say(line)
    for (;;) {
      const answer = await ask(`Run it? [Y/n]  (y once, t always this tool, c always this call, e edit, n no, v view all) `, signal)
      if (answer === undefined) return { type: 'deny', by: 'policy', reason: 'the input ended before the question was answered' }
      switch (answer.trim().toLowerCase()) {
        case '':
        case 'y':
        case 'yes':
          return { type: 'approve', scope: 'once' }
        case 't':
          return { type: 'approve', scope: 'tool' }
        case 'c':
          return { type: 'approve', scope: 'call' }
        case 'n':
        case 'no': {
          const reason = (await ask('Why not? (Enter: no reason) ', signal))?.trim() ?? ''
          return { type: 'deny', by: 'person', ...(reason === '' ? {} : { reason }) }
        }
        case 'e': {
          say(`The arguments are ${printableLine(JSON.stringify(request.call.input))}`)
          const text = await ask('New arguments as JSON (Enter: back) ', signal)
          if (text === undefined || text.trim() === '') break
          const edited = parseEdited(text)
          if (edited.ok) return { type: 'edit', input: edited.input }
          say(printableLine(edited.problem))
          break
        }
        case 'v':
          for (const line of describe(view, theme, Number.POSITIVE_INFINITY)) say(line)
          break
        default:
          say('Please answer y, t, c, e, n or v.')
      }
    }
  }

  const answerTo = async (question: Question, signal: AbortSignal): Promise<string> => {
    const { choices = [], fallback } = question
    say(theme.paint('name', printableLines(question.text)))
    for (const [index, choice] of choices.entries()) say(`  ${index + 1} ${printableLine(choice)}`)
    for (;;) {
      const text = (await ask(fallback === undefined ? '> ' : `[${printableLine(fallback)}] > `, signal)) ?? fallback
      if (text === undefined) throw new AdjutantError('QUESTION_UNANSWERED', 'the input ended before the question was answered')
      const answer = text.trim() === '' && fallback !== undefined ? fallback : text.trim()
      if (choices.length === 0) return answer
      const chosen = choices.find((choice) => choice === answer) ?? choices[Number(answer) - 1]
      if (chosen !== undefined) return chosen
      say(`Please answer with a number from 1 to ${choices.length}.`)
    }
  }

  /** What happens meanwhile is told when the question is answered: nothing is written between a question and its answer. */
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    people.hold()
    try {
      return await work()
    } finally {
      people.release()
    }
  }

  return {
    showsText: false,
    events: people.events,
    expect: people.expect,
    note: people.note,
    approver: {
      async decide(request, { signal }) {
        const decision = await alone(() => decide(request, signal))
        people.note(decisionNote(request.call.tool.name, decision))
        return decision
      },
    },
    asker: { ask: (question, { signal }) => alone(() => answerTo(question, signal)) },
    async close() {
      input?.reader.close()
    },
  }
}

function describe(view: ApprovalView, theme: Theme, limit: number): readonly string[] {
  const effect = effectWords(view.effect)
  const args = view.arguments.flatMap((argument) =>
    argument.lines.map((line, index) => (index === 0 ? `  ${theme.paint('accent', argument.name)}: ${line}` : `    ${line}`)),
  )
  const preview = (view.preview?.lines ?? []).map((line) =>
    theme.paint(line.sign === '+' ? 'good' : line.sign === '-' ? 'bad' : 'quiet', `  ${line.sign} ${line.text}`),
  )
  const { shown, hidden } = firstLines([...args, ...(view.preview === undefined ? [] : [`  ${view.preview.title}`]), ...preview], limit)
  return [
    '',
    `${theme.paint('name', view.tool)}  ${theme.paint(effect.tone, effect.words)}  ${theme.paint('quiet', view.origin)}`,
    ...(view.reason === '' ? [] : [theme.paint('quiet', view.reason)]),
    ...shown,
    ...view.conversions.map((made) => theme.paint('quiet', `  converted ${made}`)),
    ...(hidden === 0 ? [] : [theme.paint('warning', `  ${theme.symbols.ellipsis} ${hidden} more lines: v shows all`)]),
  ]
}
