/** The question before a held call: what will be done, and the keys that answer. */
import { Box, Text, useApp, useInput, useWindowSize } from 'ink'
import { createElement as h, type ReactNode, useRef, useState } from 'react'
import { type ApprovalView, firstLines } from '../approval-view.ts'
import type { DiffLine } from '../diff-lines.ts'
import { type Edited, editInEditor, editorCommand, parseEdited } from '../edit-arguments.ts'
import { printableLine } from '../printable.ts'
import type { Prompt } from '../prompt-slot.ts'
import { effectWords, type Theme, type Tone } from '../theme.ts'
import { LineEditor } from './line-editor.ts'

export interface ApprovalBoxProps {
  readonly prompt: Extract<Prompt, { kind: 'approval' }>
  readonly theme: Theme
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prints lines that stay above. */
  print(lines: readonly string[]): void
}

type Mode = 'choose' | 'reason' | 'edit' | 'editor'

const KEYS: readonly (readonly [string, string])[] = [
  ['y', 'once'],
  ['t', 'always this tool'],
  ['c', 'always this exact call'],
  ['e', 'edit'],
  ['n', 'no'],
]

/** Lines of the screen that the box needs beside the arguments and the preview. */
const FRAME_LINES = 14

const DIFF_TONES: Readonly<Record<DiffLine['sign'], Tone>> = { '+': 'good', '-': 'bad', ' ': 'quiet' }

export function ApprovalBox({ prompt, theme, env, print }: ApprovalBoxProps): ReactNode {
  const { request, view } = prompt
  const { suspendTerminal } = useApp()
  const { rows } = useWindowSize()
  const [mode, showMode] = useState<Mode>('choose')
  // Known at once, not at the next frame: a key that follows quickly must not be taken for an answer of the mode before.
  const modeNow = useRef<Mode>('choose')
  const setMode = (next: Mode): void => {
    modeNow.current = next
    showMode(next)
  }
  const [problem, setProblem] = useState<string>()
  /** What was typed last, so that a slip does not cost it all. */
  const [draft, setDraft] = useState(() => JSON.stringify(request.call.input))

  const take = (edited: Edited): void => {
    if (edited.ok) prompt.answer({ type: 'edit', input: edited.input })
    else {
      setProblem(edited.problem)
      setMode('choose')
    }
  }
  const edit = (): void => {
    const command = editorCommand(env)
    setProblem(undefined)
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
  useInput(
    (input, key) => {
      // One key answers. Several at once were typed or pasted for something else: they answer nothing.
      if (modeNow.current !== 'choose' || key.ctrl || key.meta) return
      if (key.return || input === 'y' || input === 'Y') prompt.answer({ type: 'approve', scope: 'once' })
      else if (input === 't' || input === 'T') prompt.answer({ type: 'approve', scope: 'tool' })
      else if (input === 'c' || input === 'C') prompt.answer({ type: 'approve', scope: 'call' })
      else if (input === 'e' || input === 'E') edit()
      else if (input === 'n' || input === 'N' || key.escape) setMode('reason')
      else if (input === 'v' || input === 'V') print(wholeView(view))
    },
    { isActive: mode === 'choose' },
  )

  const effect = effectWords(view.effect)
  const room = Math.max(4, rows - FRAME_LINES)
  const args = limitedArguments(view, view.preview === undefined ? room : Math.max(2, Math.floor(room / 3)))
  const preview = firstLines(view.preview?.lines ?? [], Math.max(3, room - args.lines.length))
  const hidden = args.hidden + preview.hidden
  const { ellipsis } = theme.symbols
  return h(
    Box,
    { flexDirection: 'column', borderStyle: theme.symbols.border, ...borderColour(theme, effect.tone), paddingX: 1 },
    h(
      Text,
      { wrap: 'wrap' },
      h(Text, theme.style('name'), view.tool),
      h(Text, theme.style(effect.tone), `  ${effect.words}`),
      h(Text, theme.style('quiet'), `  ${view.origin}`),
    ),
    view.reason === '' ? null : h(Text, { wrap: 'wrap', ...theme.style('quiet') }, view.reason),
    ...args.lines.map((line, index) =>
      h(
        Text,
        { key: `a${index}`, wrap: 'truncate-end' },
        h(Text, theme.style('accent'), line.label),
        h(Text, theme.style('name'), line.text),
      ),
    ),
    view.preview === undefined ? null : h(Text, { ...theme.style('accent'), wrap: 'truncate-end' }, view.preview.title),
    ...preview.shown.map((line, index) =>
      h(Text, { key: `p${index}`, wrap: 'truncate-end', ...theme.style(DIFF_TONES[line.sign]) }, `${line.sign} ${line.text}`),
    ),
    ...view.conversions.map((made) => h(Text, { key: made, wrap: 'wrap', ...theme.style('quiet') }, `converted ${made}`)),
    hidden === 0 ? null : h(Text, theme.style('warning'), `${ellipsis} ${hidden} more line${hidden === 1 ? '' : 's'}: v shows all`),
    problem === undefined ? null : h(Text, { wrap: 'wrap', ...theme.style('bad') }, printableLine(problem)),
    h(Box, { marginTop: 1, flexDirection: 'column' }, ...foot()),
  )

  function foot(): readonly ReactNode[] {
    switch (mode) {
      case 'choose':
        return [
          h(Text, { key: 'ask', ...theme.style('name') }, 'Run it? [Y/n]'),
          h(
            Text,
            { key: 'keys', wrap: 'wrap' },
            ...KEYS.flatMap(([key, words], index) => [
              h(Text, { key, ...theme.style('accent') }, `${index === 0 ? '' : '  '}${key}`),
              h(Text, { key: words, ...theme.style('quiet') }, ` ${words}`),
            ]),
          ),
        ]
      case 'reason':
        return [
          h(LineEditor, {
            key: 'reason',
            theme,
            label: 'Why not? (Enter: no reason, Esc: back)',
            onSubmit: (text) => prompt.answer({ type: 'deny', by: 'person', ...(text.trim() === '' ? {} : { reason: text.trim() }) }),
            onCancel: () => setMode('choose'),
          }),
        ]
      case 'edit':
        return [
          h(LineEditor, {
            key: 'edit',
            theme,
            label: 'Arguments (Enter: run with these, Esc: back)',
            initial: draft,
            onSubmit: (text) => {
              setDraft(text)
              take(parseEdited(text))
            },
            onCancel: () => setMode('choose'),
          }),
        ]
      case 'editor':
        return [h(Text, { key: 'editor', ...theme.style('quiet') }, 'waiting for the editor')]
      default:
        return mode satisfies never
    }
  }
}

function borderColour(theme: Theme, tone: Tone): { readonly borderColor?: string } {
  const { color } = theme.style(tone)
  return color === undefined ? {} : { borderColor: color }
}

interface ArgumentLine {
  readonly label: string
  readonly text: string
}

function argumentLines(view: ApprovalView): readonly ArgumentLine[] {
  const width = Math.min(20, Math.max(0, ...view.arguments.map((argument) => argument.name.length)))
  return view.arguments.flatMap((argument) =>
    argument.lines.map((text, index) => ({ label: index === 0 ? `${argument.name.padEnd(width)}  ` : ' '.repeat(width + 2), text })),
  )
}

function limitedArguments(view: ApprovalView, limit: number): { readonly lines: readonly ArgumentLine[]; readonly hidden: number } {
  const { shown, hidden } = firstLines(argumentLines(view), limit)
  return { lines: shown, hidden }
}

function wholeView(view: ApprovalView): readonly string[] {
  const preview = view.preview
  return [
    `${view.tool} (${view.origin})`,
    ...argumentLines(view).map((line) => `  ${line.label}${line.text}`),
    ...(preview === undefined ? [] : [`  ${preview.title}`, ...preview.lines.map((line) => `  ${line.sign} ${line.text}`)]),
  ]
}
