/** A tool's question to the person: one of several choices, or a line of text. */
import { Box, Text, useInput, useWindowSize } from 'ink'
import { createElement as h, type ReactNode, useEffect, useReducer, useRef } from 'react'
import { printableLine, printableLines, shorten } from '../printable.ts'
import type { Prompt } from '../prompt-slot.ts'
import { paintRow, rowText, span, wrapWords } from '../rows.ts'
import type { Theme } from '../theme.ts'
import { LineEditor } from './line-editor.ts'

export interface QuestionBoxProps {
  readonly prompt: Extract<Prompt, { kind: 'question' }>
  readonly theme: Theme
  /** Rows of the screen that the box may take. */
  readonly rows: number
  /** Prints lines that stay above. */
  print(lines: readonly string[]): void
}

/** Border, blank line and help. */
const FRAME_ROWS = 4
/** Of what is typed. */
const EDITOR_ROWS = 3

/** Choices on the screen at a time; the list moves with the pointer. */
const WINDOW = 9

export function QuestionBox({ prompt, theme, rows, print }: QuestionBoxProps): ReactNode {
  const { text, choices = [], fallback } = prompt.question
  const accent = theme.style('accent')
  const { columns } = useWindowSize()
  const inner = Math.max(10, columns - 4)
  const asked = printableLines(text)
    .split('\n')
    .flatMap((line) => wrapWords([span(line, 'name')], inner))
  // A question that is longer than the screen stands above the box, whole; what is drawn anew stays lower than the screen.
  const size = Math.max(2, Math.min(WINDOW, rows - FRAME_ROWS - 2))
  const room = Math.max(1, rows - FRAME_ROWS - (choices.length === 0 ? EDITOR_ROWS : Math.min(choices.length, size) + 1))
  const tooLong = asked.length > room
  const printed = useRef(false)
  useEffect(() => {
    if (!tooLong || printed.current) return
    printed.current = true
    print(asked.map((row) => paintRow(row, theme)))
  })
  const shown = tooLong ? asked.slice(-room) : asked
  return h(
    Box,
    {
      flexDirection: 'column',
      borderStyle: theme.symbols.border,
      paddingX: 1,
      ...(accent.color === undefined ? {} : { borderColor: accent.color }),
    },
    ...shown.map((row, index) => h(Text, { key: index, wrap: 'truncate-end', ...theme.style('name') }, rowText(row))),
    choices.length === 0
      ? h(LineEditor, {
          theme,
          room: inner * EDITOR_ROWS - 1,
          label: fallback === undefined ? theme.symbols.pointer : `[${shorten(printableLine(fallback), 40)}] ${theme.symbols.pointer}`,
          onSubmit: (answer) => prompt.answer(answer.trim() === '' && fallback !== undefined ? fallback : answer),
          // There is no way round a question but Ctrl-C; Esc keeps what was typed.
          onCancel: () => {},
        })
      : h(Choices, {
          choices,
          size,
          start: Math.max(0, choices.indexOf(fallback ?? '')),
          theme,
          answer: (choice) => prompt.answer(choice),
        }),
  )
}

interface ChoicesProps {
  readonly choices: readonly string[]
  readonly start: number
  /** On the screen at a time. */
  readonly size: number
  readonly theme: Theme
  answer(choice: string): void
}

function Choices({ choices, start, size, theme, answer }: ChoicesProps): ReactNode {
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
    const numbered = choices.length <= size ? choices[digit] : undefined
    if (numbered !== undefined) answer(numbered)
    else if (key.upArrow) setAt((at + choices.length - 1) % choices.length)
    else if (key.downArrow || key.tab) setAt((at + 1) % choices.length)
    else if (key.return) {
      const chosen = choices[at]
      if (chosen !== undefined) answer(chosen)
    }
  })
  const at = pointed.current
  const first = Math.max(0, Math.min(at - Math.floor(size / 2), choices.length - size))
  const shown = choices.slice(first, first + size)
  const { pointer, ellipsis } = theme.symbols
  return h(
    Box,
    { flexDirection: 'column', marginTop: 1 },
    ...shown.map((choice, offset) => {
      const index = first + offset
      const number = choices.length <= size ? `${index + 1} ` : ''
      const here = index === at
      return h(
        Text,
        { key: index, wrap: 'truncate-end', ...theme.style(here ? 'accent' : 'plain') },
        `${here ? pointer : ' '} ${number}${printableLine(choice)}`,
      )
    }),
    shown.length < choices.length ? h(Text, theme.style('quiet'), `  ${ellipsis} ${choices.length} choices`) : null,
    h(Text, theme.style('quiet'), `  ${choices.length <= size ? 'a number, or ' : ''}up, down and Enter`),
  )
}
