/** A person at a terminal that can only write lines (`TERM=dumb`, CI, `--json`): questions are lines, answers end with Enter. */
import { createInterface } from 'node:readline/promises'
import { AdjutantError, type ApprovalDecision, type ApprovalRequest, type Question } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import { approvalView } from './approval-view.ts'
import { decisionNote, endedNote } from './decision-note.ts'
import { type PeopleLines, peopleLines } from './people-lines.ts'
import { PlainApproval } from './plain-approval.ts'
import { printableLine, printableLines } from './printable.ts'
import type { Theme } from './theme.ts'
import type { Ui } from './ui.ts'

export interface PlainUiOptions {
  readonly stdin: CliIo['stdin']
  readonly output: CliIo['stderr']
  readonly theme: Theme
  readonly workspace: string
  readonly env: CliIo['env']
  readonly quiet: boolean
}

export function openPlainUi(options: PlainUiOptions): Ui {
  const { theme, output } = options
  const people: PeopleLines = peopleLines(output, theme, options.quiet)
  const say = (line: string): void => void output.write(`${line}\n`)
  // Always listening: what is typed while nobody asks is dropped, and does not answer a question that nobody has seen yet.
  const reader = createInterface({ input: options.stdin, output, terminal: false })
  let over = false
  const ended = new Promise<undefined>((resolve) => {
    reader.once('close', () => {
      over = true
      resolve(undefined)
    })
  })

  /** Rejects when the run stops. `undefined`: the input has ended, nobody answers any more. */
  const ask = async (text: string, signal: AbortSignal): Promise<string | undefined> => {
    signal.throwIfAborted()
    return over ? undefined : Promise.race([reader.question(text, { signal }), ended])
  }

  const decide = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> => {
    const view = await approvalView(request, options)
    return new PlainApproval({ request, view, theme, columns: (output.columns ?? 80) - 1, say, ask: (text) => ask(text, signal) }).decide()
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
        try {
          const decision = await alone(() => decide(request, signal))
          people.note(decisionNote(request, decision))
          return decision
        } catch (error) {
          if (signal.aborted) people.note(endedNote(request, signal.reason), 'warning')
          throw error
        }
      },
    },
    asker: { ask: (question, { signal }) => alone(() => answerTo(question, signal)) },
    async close() {
      reader.close()
    },
  }
}
