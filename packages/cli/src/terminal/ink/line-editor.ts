/** A line of text that a person types, with a cursor. */
import { Text, useInput, usePaste } from 'ink'
import { createElement as h, type ReactNode, useReducer, useRef } from 'react'
import { printableLine } from '../printable.ts'
import { widthOf } from '../rows.ts'
import type { Theme } from '../theme.ts'

export interface LineEditorProps {
  readonly theme: Theme
  readonly label: string
  readonly initial?: string
  /** Columns in all that may be taken, with the label: what does not fit is left out at both sides of the cursor. Default: as many as needed. */
  readonly room?: number
  onSubmit(text: string): void
  onCancel(): void
}

interface Line {
  /** Whole characters, so that the cursor never stands inside one. */
  readonly letters: readonly string[]
  readonly cursor: number
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function lettersOf(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), (part) => part.segment)
}

function insert(line: Line, text: string): Line {
  const letters = lettersOf(text)
  return { letters: line.letters.toSpliced(line.cursor, 0, ...letters), cursor: line.cursor + letters.length }
}

function removeAt(line: Line, index: number): Line {
  return index < 0 || index >= line.letters.length ? line : { letters: line.letters.toSpliced(index, 1), cursor: index }
}

/** The line on both sides of the cursor, as much of it as fits. */
function around({ letters, cursor }: Line, room: number, ellipsis: string): { readonly before: string; readonly after: string } {
  const take = (from: number, step: 1 | -1, columns: number): { readonly text: string; readonly used: number } => {
    let text = ''
    let used = 0
    for (let at = from; at >= 0 && at < letters.length; at += step) {
      const letter = printableLine(letters[at] ?? '')
      const width = widthOf(letter)
      if (used + width > columns) return { text: step === 1 ? `${text}${ellipsis}` : `${ellipsis}${text}`, used }
      text = step === 1 ? text + letter : letter + text
      used += width
    }
    return { text, used }
  }
  const free = room - 2 * widthOf(ellipsis)
  // What follows the cursor gets at most half, unless there is little before it.
  const before = take(cursor - 1, -1, free - Math.min(Math.floor(free / 2), letters.length - cursor))
  return { before: before.text, after: take(cursor, 1, free - before.used).text }
}

export function LineEditor({
  theme,
  label,
  initial = '',
  room = Number.POSITIVE_INFINITY,
  onSubmit,
  onCancel,
}: LineEditorProps): ReactNode {
  // Kept outside of React's state: several keys may arrive before the next frame, and each builds on the one before.
  const kept = useRef<Line>(undefined)
  kept.current ??= { letters: lettersOf(initial), cursor: lettersOf(initial).length }
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const current = (): Line => kept.current ?? { letters: [], cursor: 0 }
  const setLine = (next: Line): void => {
    kept.current = next
    redraw()
  }
  const move = (cursor: number): void => {
    const { letters } = current()
    setLine({ letters, cursor: Math.max(0, Math.min(cursor, letters.length)) })
  }
  useInput((input, key) => {
    const line = current()
    if (key.return) onSubmit(line.letters.join(''))
    else if (key.escape) onCancel()
    else if (key.leftArrow) move(line.cursor - 1)
    else if (key.rightArrow) move(line.cursor + 1)
    else if (key.home || (key.ctrl && input === 'a')) move(0)
    else if (key.end || (key.ctrl && input === 'e')) move(line.letters.length)
    else if (key.backspace) setLine(removeAt(line, line.cursor - 1))
    else if (key.delete) setLine(removeAt(line, line.cursor))
    else if (key.ctrl && input === 'u') setLine({ letters: line.letters.slice(line.cursor), cursor: 0 })
    else if (key.ctrl && input === 'k') setLine({ ...line, letters: line.letters.slice(0, line.cursor) })
    else if (!key.ctrl && !key.meta && !key.tab && input !== '') {
      // Typed quickly, or pasted where the terminal does not mark pastes: an Enter inside ends the line.
      const [typed = '', ...rest] = input.split(/[\r\n]/)
      const next = insert(line, typed)
      if (rest.length > 0) onSubmit(next.letters.join(''))
      else setLine(next)
    }
  })
  usePaste((text) => setLine(insert(current(), text.replace(/\r?\n|\r/g, ' '))))
  const line = current()
  const { before, after } = around(line, Math.max(8, room - widthOf(label) - 2), theme.symbols.ellipsis)
  return h(
    Text,
    { wrap: 'hard' },
    h(Text, theme.style('accent'), `${label} `),
    before,
    h(Text, theme.style('accent'), theme.symbols.cursor),
    after,
  )
}
