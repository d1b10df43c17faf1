/** The question before a held call, drawn. What it shows and what keys do is the dialog's; this file only draws it and opens the editors. */
import { Box, type Key, Text, useApp, useInput, useWindowSize } from 'ink'
import { createElement as h, type ReactNode, useReducer, useRef, useState } from 'react'
import { ApprovalDialog, type DialogKey } from '../approval-dialog.ts'
import { type Edited, editInEditor, editorCommand, parseEdited } from '../edit-arguments.ts'
import { printableArgument, shorten } from '../printable.ts'
import type { Prompt } from '../prompt-slot.ts'
import { paintRow, type Row } from '../rows.ts'
import { effectWords, type Theme } from '../theme.ts'
import { LineEditor } from './line-editor.ts'

export interface ApprovalBoxProps {
  readonly prompt: Extract<Prompt, { kind: 'approval' }>
  readonly theme: Theme
  readonly env: Readonly<Record<string, string | undefined>>
  /** Rows of the screen that the box may take. */
  readonly rows: number
  /** Prints lines that stay above. */
  print(lines: readonly string[]): void
}

type Mode = 'keys' | 'reason' | 'edit' | 'editor'

/** Border and padding on both sides. */
const FRAME_COLUMNS = 4
const FRAME_ROWS = 2
/** Of what is typed. */
const EDITOR_ROWS = 3

export function ApprovalBox({ prompt, theme, env, rows, print }: ApprovalBoxProps): ReactNode {
  const { request, view } = prompt
  const { suspendTerminal } = useApp()
  const { columns } = useWindowSize()
  const [dialog] = useState(() => new ApprovalDialog(view, theme))
  dialog.settle(prompt.settled)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  // Known at once, not at the next frame: a key that follows quickly must not be taken for an answer of the mode before.
  const mode = useRef<Mode>('keys')
  const setMode = (next: Mode): void => {
    mode.current = next
    redraw()
  }
  /** What was typed last, so that a slip does not cost it all. */
  const [draft, setDraft] = useState(() => JSON.stringify(request.call.input))

  const take = (edited: Edited): void => {
    if (edited.ok) prompt.answer({ type: 'edit', input: edited.input })
    else {
      dialog.say(shorten(printableArgument(edited.problem), 200))
      setMode('keys')
    }
  }
  const edit = (): void => {
    const command = editorCommand(env)
    if (command === undefined) {
      setMode('edit')
      return
    }
    setMode('editor')
    let edited: Edited = { ok: false, problem: 'nothing was changed' }
    void suspendTerminal(async () => {
      edited = await editInEditor(command, request.call.input)
    }).then(
      () => take(edited),
      (error: unknown) => take({ ok: false, problem: error instanceof Error ? error.message : String(error) }),
    )
  }
  const press = (key: DialogKey): void => {
    const outcome = dialog.press(key)
    switch (outcome.type) {
      case 'answer':
        prompt.answer(outcome.decision)
        return
      case 'edit':
        edit()
        return
      case 'refuse':
        setMode('reason')
        return
      case 'print':
        print(outcome.rows.map((row) => paintRow(row, theme)))
        redraw()
        return
      case 'nothing':
        redraw()
        return
      default:
        outcome satisfies never
    }
  }
  useInput(
    (input, key) => {
      if (mode.current !== 'keys') return
      const pressed = dialogKey(input, key)
      if (pressed !== undefined) press(pressed)
    },
    { isActive: mode.current === 'keys' },
  )

  const inner = Math.max(10, columns - FRAME_COLUMNS)
  const taken = mode.current === 'keys' ? 0 : mode.current === 'editor' ? 1 : EDITOR_ROWS
  const shown = dialog.draw({ columns: inner, rows: Math.max(4, rows - FRAME_ROWS), taken })
  const { color } = theme.style(effectWords(view.effect).tone)
  return h(
    Box,
    {
      flexDirection: 'column',
      borderStyle: theme.symbols.border,
      paddingX: 1,
      width: columns,
      ...(color === undefined ? {} : { borderColor: color }),
    },
    ...shown.map((row, index) => h(RowText, { key: index, row, theme })),
    foot(),
  )

  function foot(): ReactNode {
    const room = inner * EDITOR_ROWS - 1
    switch (mode.current) {
      case 'keys':
        return null
      case 'reason':
        return h(LineEditor, {
          key: 'reason',
          theme,
          room,
          label: 'Why not? (Enter: no reason, Esc: back)',
          onSubmit: (text) => prompt.answer({ type: 'deny', by: 'person', ...(text.trim() === '' ? {} : { reason: text.trim() }) }),
          onCancel: () => setMode('keys'),
        })
      case 'edit':
        return h(LineEditor, {
          key: 'edit',
          theme,
          room,
          label: 'Arguments (Enter: run with these, Esc: back)',
          initial: draft,
          onSubmit: (text) => {
            setDraft(text)
            take(parseEdited(text))
          },
          onCancel: () => setMode('keys'),
        })
      case 'editor':
        return h(Text, theme.style('quiet'), 'waiting for the editor')
      default:
        return mode.current satisfies never
    }
  }
}

/** One key answers. Several at once were typed or pasted for something else: they answer nothing. */
function dialogKey(input: string, key: Key): DialogKey | undefined {
  if (key.ctrl || key.meta) return undefined
  const name = key.return
    ? 'return'
    : key.escape
      ? 'escape'
      : key.upArrow
        ? 'up'
        : key.downArrow
          ? 'down'
          : key.pageUp
            ? 'page-up'
            : key.pageDown
              ? 'page-down'
              : key.home
                ? 'home'
                : key.end
                  ? 'end'
                  : undefined
  if (name !== undefined) return { input: '', name }
  return [...input].length === 1 ? { input } : undefined
}

/** Painted here: the library that draws looks for colours at stdout, and the person sits at stderr. */
function RowText({ row, theme }: { readonly row: Row; readonly theme: Theme }): ReactNode {
  return h(Text, { wrap: 'truncate-end' }, row.length === 0 ? ' ' : paintRow(row, theme))
}
