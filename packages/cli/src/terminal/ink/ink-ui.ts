/** The drawn terminal. Imported only where there is one. */
import type { Clock } from '@adjutant/core'
import { render } from 'ink'
import { createElement as h } from 'react'
import type { CliIo } from '../../cli-io.ts'
import { approvalView } from '../approval-view.ts'
import { decisionNote, endedNote } from '../decision-note.ts'
import { PromptSlot } from '../prompt-slot.ts'
import type { Theme } from '../theme.ts'
import type { Ui } from '../ui.ts'
import { ViewStore } from '../view-store.ts'
import { App } from './app.ts'

export interface InkUiOptions {
  /** Where keys come from: a terminal. */
  readonly stdin: CliIo['stdin']
  /** Where it is drawn: a terminal. */
  readonly output: CliIo['stderr']
  readonly env: CliIo['env']
  readonly theme: Theme
  readonly workspace: string
  readonly clock: Clock
  /** Ctrl-C: in this mode the terminal gives it as a key. */
  interrupt(): void
}

export function openInkUi(options: InkUiOptions): Ui {
  const { clock, theme } = options
  const store = new ViewStore()
  const prompts = new PromptSlot(clock)
  let sessionStart = clock.monotonic()
  const now = (): number => clock.monotonic() - sessionStart
  const app = render(h(App, { store, prompts, theme, env: options.env, now, interrupt: options.interrupt }), {
    stdin: options.stdin,
    stdout: options.output,
    stderr: options.output,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  })
  let closed = false
  return {
    showsText: true,
    events(event) {
      // `at` counts from the session's start, which only its events tell.
      sessionStart = clock.monotonic() - event.at
      store.take(event)
    },
    expect: (calls) => store.expect(calls),
    note: (text, kind) => store.note(text, kind),
    approver: {
      async decide(request, { signal }) {
        const view = await approvalView(request, options)
        try {
          const decision = await prompts.approval({ kind: 'approval', request, view }, signal)
          store.note(decisionNote(request, decision))
          return decision
        } catch (error) {
          if (signal.aborted) store.note(endedNote(request, signal.reason), 'warning')
          throw error
        }
      },
    },
    asker: {
      async ask(question, { signal }) {
        let answer: string
        try {
          answer = await prompts.question({ kind: 'question', question }, signal)
        } catch (error) {
          if (signal.aborted) store.note(`${question.text} ${theme.symbols.pointer} stopped before it was answered`, 'warning')
          throw error
        }
        store.note(`${question.text} ${theme.symbols.pointer} ${answer}`)
        return answer
      },
    },
    async close() {
      if (closed) return
      closed = true
      await app.waitUntilRenderFlush()
      app.unmount()
      await app.waitUntilExit()
    },
  }
}
