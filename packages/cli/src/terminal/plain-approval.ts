/**
 * A question in lines: everything is written one line after the other, an answer is a key and Enter. The same answers as in the drawn box, and
 * the same care: what is dangerous, kept for always or holds for several calls is agreed to only after all of it was written.
 */
import type { ApprovalDecision, ApprovalRequest } from '@adjutant/core'
import { type ApprovalKey, keysOf, questionWords, toolGrantWords } from './approval-keys.ts'
import { bodyRows, headRows, hiddenCharacters, markedRow, matchingRows, otherRows, type RowOptions } from './approval-rows.ts'
import type { ApprovalView } from './approval-view.ts'
import { parseEdited } from './edit-arguments.ts'
import { printableArgument, shorten } from './printable.ts'
import { paintRow, type Row, span, wrapWords } from './rows.ts'
import { saveRows } from './save-rows.ts'
import type { Theme } from './theme.ts'

export interface PlainApprovalOptions {
  readonly request: ApprovalRequest
  readonly view: ApprovalView
  readonly theme: Theme
  readonly columns: number
  say(line: string): void
  /** `undefined`: the input has ended. Rejects when the run stops. */
  ask(text: string): Promise<string | undefined>
}

/** Of the arguments and what would change, before `v` is needed. */
const SHOWN_ROWS = 24
/** Above and below what is dangerous, where it stands further down. */
const AROUND = 3

const ENDED: ApprovalDecision = { type: 'deny', by: 'policy', reason: 'the input ended before the question was answered' }

/** An answer, `undefined` for none yet: the question is asked again. */
type Answer = Promise<ApprovalDecision | undefined>

export class PlainApproval {
  readonly #options: PlainApprovalOptions
  readonly #rows: RowOptions
  /** All of the call has been written. */
  #seen: boolean

  constructor(options: PlainApprovalOptions) {
    const { theme, columns, view } = options
    this.#options = options
    this.#rows = { theme, width: Math.max(20, columns - 2) }
    this.#seen = hiddenCharacters(view.arguments) === 0 && bodyRows(view, this.#rows).length <= SHOWN_ROWS
  }

  async decide(): Promise<ApprovalDecision> {
    const { view } = this.#options
    this.#say([], ...headRows(view, this.#rows))
    this.#indent(this.#brief())
    this.#say(...otherRows(view, this.#rows).flat())
    const keys = keysOf(view)
    this.#say(...wrapWords([span(keys.map(({ key, words }) => `${key} ${words}`).join(', '), 'quiet')], this.#rows.width))
    for (;;) {
      const typed = await this.#options.ask(`${questionWords(view)} `)
      if (typed === undefined) return ENDED
      const decision = await this.#follow(this.#keyOf(typed.trim().toLowerCase()))
      if (decision !== undefined) return decision
    }
  }

  #keyOf(typed: string): ApprovalKey | 'enter' | 'unknown' {
    if (typed === '') return this.#dangerous ? 'enter' : 'y'
    const word = typed === 'yes' ? 'y' : typed === 'no' ? 'n' : typed
    return keysOf(this.#options.view).find(({ key }) => key === word)?.key ?? 'unknown'
  }

  async #follow(key: ApprovalKey | 'enter' | 'unknown'): Answer {
    switch (key) {
      case 'y':
      case 'c':
        if (this.#dangerous && !this.#seen) {
          this.#whole()
          this.#tell(`That is all of the call. ${key} allows it.`)
          return undefined
        }
        return { type: 'approve', scope: key === 'y' ? 'once' : 'call' }
      case 't':
        return this.#tool()
      case 'a':
        return this.#always()
      case 'm':
        return this.#matching()
      case 'e':
        return this.#edit()
      case 'n':
        return this.#deny()
      case 'v':
        this.#whole()
        return undefined
      case 'enter':
        this.#tell('Enter answers nothing here: this call is dangerous. y runs it, n does not.')
        return undefined
      case 'unknown':
        this.#tell(`Please answer ${list(keysOf(this.#options.view).map((one) => one.key))}.`)
        return undefined
      default:
        return key satisfies never
    }
  }

  async #tool(): Answer {
    if (!this.#dangerous) return { type: 'approve', scope: 'tool' }
    this.#tell(toolGrantWords(this.#options.view))
    return (await this.#yes('Allow all of them? [y/N] ')) ? { type: 'approve', scope: 'tool' } : undefined
  }

  async #always(): Answer {
    const { view, ask } = this.#options
    if (hiddenCharacters(view.arguments) > 0 && !this.#seen) this.#whole()
    this.#tell('Always: this writes a rule, and what it fits is not asked about again.')
    this.#indent(saveRows(view.saves, this.#rows.width))
    const typed = (await ask(`Which? (1 to ${view.saves.length}, Enter: back) `))?.trim() ?? ''
    const choice = /^[1-9]$/.test(typed) ? view.saves[Number(typed) - 1] : undefined
    return choice === undefined ? undefined : { type: 'approve', scope: 'always', of: choice.of, tier: choice.tier }
  }

  async #matching(): Answer {
    const { view } = this.#options
    const options = { ...this.#rows, whole: true }
    this.#tell(`All ${1 + view.others} calls of ${view.tool} that wait:`)
    this.#indent(matchingRows(view, options))
    this.#tooMuch([view, ...view.matching()].flatMap((one) => one.arguments))
    return (await this.#yes(`Run all ${1 + view.others}? [y/N] `)) ? { type: 'approve', scope: 'matching' } : undefined
  }

  async #edit(): Answer {
    const { request, ask } = this.#options
    this.#options.say(`The arguments are ${printableArgument(JSON.stringify(request.call.input))}`)
    const typed = await ask('New arguments as JSON (Enter: back) ')
    if (typed === undefined || typed.trim() === '') return undefined
    const edited = parseEdited(typed)
    if (edited.ok) return { type: 'edit', input: edited.input }
    this.#tell(shorten(printableArgument(edited.problem), 300))
    return undefined
  }

  async #deny(): Answer {
    const reason = (await this.#options.ask('Why not? (Enter: no reason) '))?.trim() ?? ''
    return { type: 'deny', by: 'person', ...(reason === '' ? {} : { reason }) }
  }

  async #yes(question: string): Promise<boolean> {
    const typed = (await this.#options.ask(question))?.trim().toLowerCase()
    return typed === 'y' || typed === 'yes'
  }

  /** What fits, with what is dangerous wherever it stands; the rest counted. */
  #brief(): readonly Row[] {
    const rows = bodyRows(this.#options.view, this.#rows)
    if (rows.length <= SHOWN_ROWS) return rows
    const more = (from: number, to: number): readonly Row[] =>
      to > from ? [[span(`${this.#options.theme.symbols.ellipsis} ${to - from} more lines: v shows all`, 'warning')]] : []
    const at = markedRow(rows)
    if (at === undefined || at < SHOWN_ROWS) return [...rows.slice(0, SHOWN_ROWS), ...more(SHOWN_ROWS, rows.length)]
    const head = SHOWN_ROWS - 2 * AROUND
    const from = Math.max(head, at - AROUND)
    const to = Math.min(rows.length, from + 2 * AROUND)
    return [...rows.slice(0, head), ...more(head, from), ...rows.slice(from, to), ...more(to, rows.length)]
  }

  #whole(): void {
    const { view } = this.#options
    this.#seen = true
    this.#say([], ...headRows(view, this.#rows))
    this.#indent(bodyRows(view, { ...this.#rows, whole: true }))
    this.#tooMuch(view.arguments)
  }

  #tooMuch(args: ApprovalView['arguments']): void {
    const hidden = hiddenCharacters(args, true)
    if (hidden > 0) this.#tell(`${hidden} characters are too much to show even here`)
  }

  get #dangerous(): boolean {
    return this.#options.view.effect === 'dangerous'
  }

  #tell(text: string): void {
    this.#say(...wrapWords([span(text, 'warning')], this.#rows.width))
  }

  #say(...rows: readonly Row[]): void {
    for (const row of rows) this.#options.say(paintRow(row, this.#options.theme))
  }

  #indent(rows: readonly Row[]): void {
    this.#say(...rows.map((row) => [span('  '), ...row]))
  }
}

function list(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
}
