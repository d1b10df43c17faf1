/** The whole screen: finished lines above, drawn once; below them what is happening now, and the question that is open. */
import { Box, Static, Text, useInput, useWindowSize } from 'ink'
import { createElement as h, type ReactNode, useSyncExternalStore } from 'react'
import type { PromptSlot } from '../prompt-slot.ts'
import type { Theme } from '../theme.ts'
import type { DoneLine, ViewStore } from '../view-store.ts'
import { ApprovalBox } from './approval-box.ts'
import { DoneLineView, LiveCalls, liveRows } from './call-lines.ts'
import { QuestionBox } from './question-box.ts'

export interface AppProps {
  readonly store: ViewStore
  readonly prompts: PromptSlot
  readonly theme: Theme
  readonly env: Readonly<Record<string, string | undefined>>
  now(): number
  interrupt(): void
}

export function App({ store, prompts, theme, env, now, interrupt }: AppProps): ReactNode {
  const view = useSyncExternalStore(store.subscribe, store.snapshot)
  const prompt = useSyncExternalStore(prompts.subscribe, prompts.current)
  const { rows } = useWindowSize()
  // Always listening: what is typed while nobody asks is dropped and neither shows on the screen nor answers the next question.
  useInput((input, key) => {
    if (key.ctrl && input === 'c') interrupt()
  })
  // The part that is drawn anew must stay lower than the screen, or the terminal scrolls at each frame.
  const limit = prompt === undefined ? Math.max(3, Math.floor(rows / 2)) : rows < 20 ? 0 : 2
  const boxRows = rows - 1 - (limit === 0 ? 0 : liveRows(view, limit))
  return h(
    Box,
    { flexDirection: 'column' },
    // biome-ignore lint/correctness/noChildrenProp: the child is a function, which only the prop's type knows
    h(Static<DoneLine>, { items: [...view.done], children: (line) => h(DoneLineView, { key: line.key, line, theme }) }),
    view.text === '' || prompt !== undefined ? null : h(Text, { wrap: 'wrap' }, view.text),
    limit === 0
      ? null
      : h(LiveCalls, { calls: view.live, waiting: view.waiting, thinking: view.thinking && prompt === undefined, limit, theme, now }),
    prompt === undefined
      ? null
      : prompt.kind === 'approval'
        ? h(ApprovalBox, { key: prompt.key, prompt, theme, env, rows: boxRows, print: (lines) => store.lines(lines) })
        : h(QuestionBox, { key: prompt.key, prompt, theme, rows: boxRows, print: (lines) => store.lines(lines) }),
  )
}
