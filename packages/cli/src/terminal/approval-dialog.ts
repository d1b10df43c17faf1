/**
 * Owns what a question shows and what a key does to it, apart from how it is drawn: rows in, keys in, an answer out. It draws no more rows
 * than there is room for, tells what is left out, and knows what has been on the screen: a dangerous call, a grant for always and an answer
 * for several calls are only given once all that they are about was. Synchronous, one question each.
 */
import type { ApprovalDecision } from '@adjutant/core'
import { type ApprovalKey, keysOf, questionWords, toolGrantWords } from './approval-keys.ts'
import { bodyRows, headRows, hiddenCharacters, markedRow, matchingRows, otherRows, type RowOptions } from './approval-rows.ts'
import type { ApprovalView } from './approval-view.ts'
import { Pager } from './pager.ts'
import { cutRow, type Row, span, widthOf, wrapWords } from './rows.ts'
import { saveRows } from './save-rows.ts'
import type { Theme } from './theme.ts'

export interface DialogKey {
  /** What was typed, where it is text. */
  readonly input: string
  readonly name?: 'return' | 'escape' | 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end'
}

export type DialogOutcome =
  | { readonly type: 'nothing' }
  | { readonly type: 'answer'; readonly decision: ApprovalDecision }
  /** The person wants to write: other arguments, or why not. */
  | { readonly type: 'edit' }
  | { readonly type: 'refuse' }
  /** Rows that stay above the question. */
  | { readonly type: 'print'; readonly rows: readonly Row[] }

export interface DialogRoom {
  readonly columns: number
  readonly rows: number
  /** Rows at the end that somebody else draws, instead of the keys. Default 0: the keys are drawn. */
  readonly taken?: number
}

type Page = 'ask' | 'always' | 'tool' | 'matching'

interface Body {
  readonly rows: readonly Row[]
  readonly lookAt: number | undefined
}

const NOTHING: DialogOutcome = Object.freeze({ type: 'nothing' })

export class ApprovalDialog {
  readonly #view: ApprovalView
  readonly #theme: Theme
  readonly #pagers: Readonly<Record<Page, Pager>>
  #page: Page = 'ask'
  #said: string | undefined
  #settled = true
  #columns = 80
  #made: { readonly page: Page; readonly columns: number; readonly body: Body } | undefined

  constructor(view: ApprovalView, theme: Theme) {
    this.#view = view
    this.#theme = theme
    const { ellipsis } = theme.symbols
    const isCut = ({ arguments: args }: Pick<ApprovalView, 'arguments'>): boolean => hiddenCharacters(args) > 0
    const never = (): boolean => false
    this.#pagers = {
      ask: new Pager(ellipsis, () => isCut(view), 'arrows, v shows all'),
      always: new Pager(ellipsis, never, 'arrows'),
      tool: new Pager(ellipsis, never, 'arrows'),
      matching: new Pager(ellipsis, () => [view, ...view.matching()].some(isCut), 'arrows, v shows all'),
    }
  }

  /** Something to tell above the keys, until the next key. Printable. */
  say(text: string | undefined): void {
    this.#said = text
  }

  /** While it is not settled the keys are neither shown nor taken. */
  settle(settled: boolean): void {
    this.#settled = settled
  }

  /** The rows of the question as they are now. */
  draw({ columns, rows, taken = 0 }: DialogRoom): readonly Row[] {
    this.#columns = columns
    const foot =
      taken > 0
        ? []
        : this.#settled
          ? this.#foot(columns)
          : this.#foot(columns).map((_, index) => (index === 0 ? [span('another question', 'quiet')] : []))
    let room = rows - taken - foot.length
    const said =
      this.#said === undefined ? [] : wrapWords([span(this.#said, 'warning')], columns).slice(0, Math.max(1, Math.min(4, room - 3)))
    const other = this.#page === 'ask' ? otherRows(this.#view, this.#options()) : []
    // What gives way first where there is little room: blank lines, then the reasons, then whom else it concerns.
    room -= said.length
    const gap = room > 12 ? [[]] : []
    const top = firstRows(this.#head(columns), Math.max(1, room > 9 ? 6 : room > 5 ? 3 : 1), columns, this.#theme.symbols.ellipsis)
    room -= gap.length + top.length
    const beside: Row[] = []
    for (const [index, sentence] of other.entries()) {
      // How many calls an answer is for is said wherever there is a line for it; that more wait is told by the key as well.
      if (room - sentence.length < (index === 0 && this.#view.identical > 0 ? 2 : 4)) break
      beside.push(...sentence)
      room -= sentence.length
    }
    const body = this.#pager().draw(this.#body(), columns, Math.max(1, room))
    return [...top, ...body, ...beside, ...gap, ...said, ...foot].slice(0, rows)
  }

  press(key: DialogKey): DialogOutcome {
    if (!this.#settled) return NOTHING
    this.#said = undefined
    if (key.name !== undefined && this.#pager().move(key.name)) return NOTHING
    const letter = key.input.toLowerCase()
    switch (this.#page) {
      case 'ask':
        return this.#answer(key, letter)
      case 'tool':
        return letter === 'y' ? approve({ type: 'approve', scope: 'tool' }) : this.#turn('ask')
      case 'always':
        return this.#keep(key, letter)
      case 'matching':
        return this.#all(key, letter)
      default:
        return this.#page satisfies never
    }
  }

  #answer(key: DialogKey, letter: string): DialogOutcome {
    if (key.name === 'escape') return { type: 'refuse' }
    const dangerous = this.#view.effect === 'dangerous'
    if (key.name === 'return') {
      if (!dangerous) return approve({ type: 'approve', scope: 'once' })
      this.#said = 'Enter answers nothing here: this call is dangerous. y runs it, n does not.'
      return NOTHING
    }
    const known = keysOf(this.#view).find((one) => one.key === letter)
    if (known === undefined) return NOTHING
    return this.#follow(known.key, dangerous)
  }

  #follow(key: ApprovalKey, dangerous: boolean): DialogOutcome {
    switch (key) {
      case 'y':
      case 'c':
        if (dangerous && !this.#pagers.ask.seen) return this.#print(`All of the call is above now. ${key} allows it.`)
        return approve({ type: 'approve', scope: key === 'y' ? 'once' : 'call' })
      case 't':
        return dangerous ? this.#turn('tool') : approve({ type: 'approve', scope: 'tool' })
      case 'a':
        return this.#turn('always')
      case 'm':
        return this.#turn('matching')
      case 'e':
        return { type: 'edit' }
      case 'n':
        return { type: 'refuse' }
      case 'v':
        return this.#print(undefined)
      default:
        return key satisfies never
    }
  }

  #keep(key: DialogKey, letter: string): DialogOutcome {
    if (key.name === 'escape') return this.#turn('ask')
    const choice = /^[1-9]$/.test(letter) ? this.#view.saves[Number(letter) - 1] : undefined
    if (choice === undefined) return letter === 'a' || letter === 'n' ? this.#turn('ask') : NOTHING
    if (!this.#pagers.always.seen) {
      this.#pagers.always.move('page-down')
      this.#said = 'Read all of it first.'
      return NOTHING
    }
    // The rule says "as shown": then all of it was shown.
    if (choice.of === 'call' && hiddenCharacters(this.#view.arguments) > 0 && !this.#pagers.ask.seen) {
      return this.#print(`All of the call is above now. ${letter} writes the rule.`)
    }
    return approve({ type: 'approve', scope: 'always', of: choice.of, tier: choice.tier })
  }

  #all(key: DialogKey, letter: string): DialogOutcome {
    if (key.name === 'escape' || letter === 'n') return this.#turn('ask')
    if (letter === 'v') return this.#print(undefined)
    if (letter !== 'y') return NOTHING
    const pager = this.#pagers.matching
    if (pager.seen) return approve({ type: 'approve', scope: 'matching' })
    if (pager.atEnd) this.#said = 'A part of it has not been shown yet: v shows all.'
    else {
      pager.move('page-down')
      this.#said = 'Nothing is allowed unseen: read on to the end first.'
    }
    return NOTHING
  }

  #turn(page: Page): DialogOutcome {
    this.#page = page
    return NOTHING
  }

  #print(said: string | undefined): DialogOutcome {
    this.#said = said
    this.#pager().readAll()
    if (this.#page !== 'matching') this.#pagers.ask.readAll()
    const options: RowOptions = { ...this.#options(), whole: true }
    const rows = this.#page === 'matching' ? matchingRows(this.#view, options) : bodyRows(this.#view, options)
    const args = this.#page === 'matching' ? [this.#view, ...this.#view.matching()].flatMap((one) => one.arguments) : this.#view.arguments
    const hidden = hiddenCharacters(args, true)
    const more = hidden === 0 ? [] : [[span(`${hidden} characters are too much to show even here`, 'warning')]]
    return { type: 'print', rows: [...headRows(this.#view, options), ...rows, ...more] }
  }

  #pager(): Pager {
    return this.#pagers[this.#page]
  }

  #options(): RowOptions {
    return { theme: this.#theme, width: Math.max(10, this.#columns) }
  }

  #head(columns: number): readonly Row[] {
    switch (this.#page) {
      case 'ask':
      case 'tool':
        return headRows(this.#view, this.#options())
      case 'always':
        return wrapWords([span('Always: this writes a rule, and what it fits is not asked about again.', 'name')], columns)
      case 'matching':
        return wrapWords([span(`All ${1 + this.#view.others} calls of ${this.#view.tool} that wait:`, 'name')], columns)
      default:
        return this.#page satisfies never
    }
  }

  /** Made once for a width: a box is drawn again with everything that happens beside it. */
  #body(): Body {
    const { page, columns } = this.#made ?? {}
    if (this.#made === undefined || page !== this.#page || columns !== this.#columns) {
      this.#made = { page: this.#page, columns: this.#columns, body: this.#makeBody() }
    }
    return this.#made.body
  }

  #makeBody(): Body {
    switch (this.#page) {
      case 'ask': {
        const rows = bodyRows(this.#view, this.#options())
        return { rows, lookAt: markedRow(rows) }
      }
      case 'tool':
        return { rows: wrapWords([span(toolGrantWords(this.#view), 'warning')], this.#columns), lookAt: undefined }
      case 'always':
        return { rows: saveRows(this.#view.saves, this.#columns), lookAt: undefined }
      case 'matching':
        return { rows: matchingRows(this.#view, this.#options()), lookAt: undefined }
      default:
        return this.#page satisfies never
    }
  }

  #foot(columns: number): readonly Row[] {
    switch (this.#page) {
      case 'ask': {
        const keys = keysOf(this.#view)
        return [
          [span(questionWords(this.#view), 'name')],
          ...keyRows(
            keys.map(({ key, words, short }) => [key, columns < 60 ? short : words]),
            columns,
          ),
        ]
      }
      case 'tool':
        return keyRows(
          [
            ['y', 'allow all of them'],
            ['any other key', 'back'],
          ],
          columns,
        )
      case 'always':
        return keyRows([...this.#view.saves.map((_, index): [string, string] => [String(index + 1), '']), ['Esc', 'back']], columns)
      case 'matching':
        return keyRows(
          [
            ['y', `run all ${1 + this.#view.others}`],
            ['v', 'view all'],
            ['Esc', 'back'],
          ],
          columns,
        )
      default:
        return this.#page satisfies never
    }
  }
}

function approve(decision: Extract<ApprovalDecision, { type: 'approve' }>): DialogOutcome {
  return { type: 'answer', decision }
}

/** The last of them says that there is more: v writes all of it. */
function firstRows(rows: readonly Row[], count: number, columns: number, ellipsis: string): readonly Row[] {
  const last = rows[count - 1]
  if (rows.length <= count || last === undefined) return rows
  return [...rows.slice(0, count - 1), [...cutRow(last, columns - widthOf(ellipsis), ''), span(ellipsis, 'quiet')]]
}

/** Keys with their words, as many in a row as fit. */
function keyRows(keys: readonly (readonly [string, string])[], columns: number): readonly Row[] {
  const rows: Row[] = []
  let row: Row = []
  let used = 0
  for (const [key, words] of keys) {
    const width = key.length + (words === '' ? 0 : words.length + 1)
    if (used > 0 && used + 2 + width > columns) {
      rows.push(row)
      row = []
      used = 0
    }
    row = [...row, span(`${used > 0 ? '  ' : ''}${key}`, 'accent'), ...(words === '' ? [] : [span(` ${words}`, 'quiet')])]
    used += width + (used > 0 ? 2 : 0)
  }
  return [...rows, row]
}
