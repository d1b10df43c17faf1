/** The parts of a question as rows of a given width. Both kinds of terminal draw these, so that both show the same. */
import type { ApprovalView, MatchView } from './approval-view.ts'
import type { ArgumentView } from './argument-views.ts'
import type { DiffLine } from './diff-lines.ts'
import type { MarkedText } from './marked-text.ts'
import { type Row, rowWidth, type Span, span, widthOf, wrapRow, wrapWords } from './rows.ts'
import { effectWords, type Theme, type Tone } from './theme.ts'

export interface RowOptions {
  readonly theme: Theme
  /** Columns; at least 10. */
  readonly width: number
  /** All of long texts instead of what fits a screen. Default false. */
  readonly whole?: boolean
}

const DIFF_TONES: Readonly<Record<DiffLine['sign'], Tone>> = { '+': 'good', '-': 'bad', ' ': 'quiet' }

/** Questions of this kind that are open, with this one. */
function questionCount(view: ApprovalView): number {
  return 1 + Math.max(view.others, view.identical)
}

/** What is asked about, and why. */
export function headRows(view: ApprovalView, { width }: Pick<RowOptions, 'width'>): readonly Row[] {
  const effect = effectWords(view.effect)
  const count = questionCount(view)
  const title = [span(view.tool, 'name'), span(`  ${effect.words}`, effect.tone)]
  if (count > 1) title.push(span(`  1 of ${count}`, 'accent'))
  title.push(span(`  ${view.origin}`, 'quiet'))
  const why = [view.rule === undefined ? '' : `asked by ${view.rule}`, view.reason].filter((part) => part !== '').join(': ')
  return [...wrapWords(title, width), ...(why === '' ? [] : wrapWords([span(why, 'quiet')], width))]
}

/** Arguments, what would change, and what was made of what the model sent. */
export function bodyRows(view: ApprovalView, options: RowOptions): readonly Row[] {
  return [...argumentRows(view.arguments, options), ...previewRows(view, options), ...changeRows(view.changes, options.width)]
}

/** Whom else the answer concerns: a sentence each, the more important one first. */
export function otherRows(view: ApprovalView, { width }: Pick<RowOptions, 'width'>): readonly (readonly Row[])[] {
  const { identical, tool } = view
  const sentences: string[] = []
  if (identical > 0)
    sentences.push(`Answers ${calls(identical, 'identical')} as well${width < 60 ? '' : ' (an edit is for this one only)'}.`)
  const others = view.others - identical
  if (others > 0) sentences.push(`${calls(others, 'other')} of ${tool} wait${others === 1 ? 's' : ''}: m lists all.`)
  return sentences.map((sentence) => wrapWords([span(sentence, 'accent')], width))
}

/** Every call that an answer for all of them would let run, this one first. */
export function matchingRows(view: ApprovalView, options: RowOptions): readonly Row[] {
  const own: MatchView = { id: '', identical: false, arguments: view.arguments, changes: view.changes }
  const all = [own, ...view.matching()]
  return all.flatMap((match, index) => {
    const words = index === 0 ? 'this call' : match.identical ? `${match.id}, identical to the first` : match.id
    return [
      ...wrapRow([span(`${index + 1} of ${all.length}  `, 'accent'), span(words, 'quiet')], options.width),
      ...argumentRows(match.arguments, options),
      ...(index === 0 ? previewRows(view, options) : []),
      ...changeRows(match.changes, options.width),
    ]
  })
}

/** Characters that the rows leave out. */
export function hiddenCharacters(args: readonly ArgumentView[], whole = false): number {
  return args.reduce((sum, { brief, whole: all }) => sum + (whole ? all() : brief).hidden, 0)
}

/** The first row that has something in it to look at. */
export function markedRow(rows: readonly Row[]): number | undefined {
  const at = rows.findIndex((row) => row.some(({ mark }) => mark !== undefined))
  return at < 0 ? undefined : at
}

function calls(count: number, kind: string): string {
  return `${count} ${kind} call${count === 1 ? '' : 's'}`
}

function argumentRows(args: readonly ArgumentView[], options: RowOptions): readonly Row[] {
  const most = Math.min(20, Math.floor(options.width / 3))
  const label = Math.min(most, Math.max(0, ...args.map(({ name }) => widthOf(name))))
  return args.flatMap(({ name, brief, whole }) => {
    const text = options.whole === true ? whole() : brief
    if (widthOf(name) <= label) return textRows(text, [span(name, 'accent'), span(' '.repeat(label - widthOf(name)))], label, options)
    // A name as long as a sentence stands above its text.
    return [...wrapRow([span(name, 'accent')], options.width), ...textRows(text, [span(' '.repeat(label))], label, options)]
  })
}

/** Lines of a text beside a label, wrapped, with what is marked pointed at. Two columns between tell where a line goes on. */
function textRows({ lines }: MarkedText, first: Row, label: number, { theme, width }: RowOptions): readonly Row[] {
  const room = Math.max(4, width - label - 2)
  const blank = span(' '.repeat(label))
  const goesOn = [blank, span(`${theme.symbols.wrap} `, 'quiet')]
  const wrapped = lines.map((line) => wrapRow(line, room))
  const flat = wrapped.flat()
  const rows: Row[] = []
  let index = 0
  for (const parts of wrapped) {
    for (const [part, row] of parts.entries()) {
      const gutter = part > 0 ? goesOn : [...(index === 0 ? first : [blank]), span('  ')]
      rows.push([...gutter, ...row])
      rows.push(...pointers(row, flat[index + 1], room, theme).map((under) => [blank, span('  '), ...under]))
      index += 1
    }
  }
  return rows
}

/** Under a row: where its marked parts are, unless colours show it, and why, where a part ends. */
function pointers(row: Row, next: Row | undefined, room: number, { colour }: Theme): readonly Row[] {
  if (!row.some(({ mark }) => mark !== undefined)) return []
  const goesOn = new Set(next?.map(({ mark }) => mark?.id))
  const ending = row.filter((part) => part.mark !== undefined && !goesOn.has(part.mark.id))
  const reasons = [...new Set(ending.map(({ mark }) => mark?.reason ?? ''))].filter((reason) => reason !== '')
  const said = reasons.join('; ')
  const tone: Tone = row.some((part) => part.tone === 'danger') ? 'bad' : 'warning'
  if (colour) {
    if (said === '') return []
    let column = 0
    for (const part of row) {
      if (ending.includes(part)) break
      column += widthOf(part.text)
    }
    const beside = [span(`${' '.repeat(Math.min(column, Math.max(0, room - widthOf(said) - 2)))}^ ${said}`, tone)]
    return rowWidth(beside) <= room ? [beside] : wrapWords([span(`^ ${said}`, tone)], room)
  }
  const carets: Span[] = row.map(({ text, mark }) => span((mark === undefined ? ' ' : '^').repeat(widthOf(text))))
  while (carets.length > 0 && carets.at(-1)?.text.trim() === '') carets.pop()
  if (said === '') return [carets]
  const beside = [...carets, span(` ${said}`)]
  return rowWidth(beside) <= room ? [beside] : [carets, ...wrapWords([span(said)], room)]
}

function previewRows({ preview }: ApprovalView, { theme, width }: RowOptions): readonly Row[] {
  if (preview === undefined) return []
  const rows: Row[] = [...wrapRow([span(preview.title, 'accent')], width)]
  for (const { sign, text } of preview.lines) {
    const tone = DIFF_TONES[sign]
    for (const [part, row] of wrapRow([span(text, tone)], Math.max(4, width - 2)).entries()) {
      rows.push([part === 0 ? span(`${sign} `, tone) : span(`${theme.symbols.wrap} `, 'quiet'), ...row])
    }
  }
  return rows
}

function changeRows(changes: readonly string[], width: number): readonly Row[] {
  return changes.flatMap((change) => wrapWords([span(change, 'quiet')], width))
}
