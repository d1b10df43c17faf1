/** A line of text that a person types, with a cursor. */
import { Text, useInput, usePaste } from 'ink'
import { createElement as h, type ReactNode, useReducer, useRef } from 'react'
import { printableLine } from '../printable.ts'
import type { Theme } from '../theme.ts'

export interface LineEditorProps {
  readonly theme: Theme
  readonly label: string
  readonly initial?: string
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

export function LineEditor({ theme, label, initial = '', onSubmit, onCancel }: LineEditorProps): ReactNode {
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
  const before = printableLine(line.letters.slice(0, line.cursor).join(''))
  const after = printableLine(line.letters.slice(line.cursor).join(''))
  return h(
    Text,
    { wrap: 'wrap' },
    h(Text, theme.style('accent'), `${label} `),
    before,
    h(Text, theme.style('accent'), theme.symbols.cursor),
    after,
  )
}
