/** A tool's question to the person: one of several choices, or a line of text. */
import { Box, Text, useInput } from 'ink'
import { createElement as h, type ReactNode, useReducer, useRef } from 'react'
import { printableLine, printableLines } from '../printable.ts'
import type { Prompt } from '../prompt-slot.ts'
import type { Theme } from '../theme.ts'
import { LineEditor } from './line-editor.ts'

export interface QuestionBoxProps {
  readonly prompt: Extract<Prompt, { kind: 'question' }>
  readonly theme: Theme
}

/** Choices on the screen at a time; the list moves with the pointer. */
const WINDOW = 9

export function QuestionBox({ prompt, theme }: QuestionBoxProps): ReactNode {
  const { text, choices = [], fallback } = prompt.question
  const accent = theme.style('accent')
  return h(
    Box,
    {
      flexDirection: 'column',
      borderStyle: theme.symbols.border,
      paddingX: 1,
      ...(accent.color === undefined ? {} : { borderColor: accent.color }),
    },
    h(Text, { wrap: 'wrap', ...theme.style('name') }, printableLines(text)),
    choices.length === 0
      ? h(LineEditor, {
          theme,
          label: fallback === undefined ? theme.symbols.pointer : `[${printableLine(fallback)}] ${theme.symbols.pointer}`,
          onSubmit: (answer) => prompt.answer(answer.trim() === '' && fallback !== undefined ? fallback : answer),
          // There is no way round a question but Ctrl-C; Esc keeps what was typed.
          onCancel: () => {},
        })
      : h(Choices, { choices, start: Math.max(0, choices.indexOf(fallback ?? '')), theme, answer: (choice) => prompt.answer(choice) }),
  )
}

interface ChoicesProps {
  readonly choices: readonly string[]
  readonly start: number
  readonly theme: Theme
  answer(choice: string): void
}

function Choices({ choices, start, theme, answer }: ChoicesProps): ReactNode {
  // Kept outside of React's state: several keys may arrive before the next frame.
  const pointed = useRef(start)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const setAt = (index: number): void => {
    pointed.current = index
    redraw()
  }
  useInput((input, key) => {
    const at = pointed.current
    const digit = /^[1-9]$/.test(input) ? Number(input) - 1 : -1
    const numbered = choices.length <= WINDOW ? choices[digit] : undefined
    if (numbered !== undefined) answer(numbered)
    else if (key.upArrow) setAt((at + choices.length - 1) % choices.length)
    else if (key.downArrow || key.tab) setAt((at + 1) % choices.length)
    else if (key.return) {
      const chosen = choices[at]
      if (chosen !== undefined) answer(chosen)
    }
  })
  const at = pointed.current
  const first = Math.max(0, Math.min(at - Math.floor(WINDOW / 2), choices.length - WINDOW))
  const shown = choices.slice(first, first + WINDOW)
  const { pointer, ellipsis } = theme.symbols
  return h(
    Box,
    { flexDirection: 'column', marginTop: 1 },
    ...shown.map((choice, offset) => {
      const index = first + offset
      const number = choices.length <= WINDOW ? `${index + 1} ` : ''
      const here = index === at
      return h(
        Text,
        { key: index, wrap: 'truncate-end', ...theme.style(here ? 'accent' : 'plain') },
        `${here ? pointer : ' '} ${number}${printableLine(choice)}`,
      )
    }),
    shown.length < choices.length ? h(Text, theme.style('quiet'), `  ${ellipsis} ${choices.length} choices`) : null,
    h(Text, theme.style('quiet'), `  ${choices.length <= WINDOW ? 'a number, or ' : ''}up, down and Enter`),
  )
}
