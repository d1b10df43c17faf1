/**
 * Owns what a page says to a reader: the text of its main content with headings, lists, tables, code, and links as `[text](address)`; no
 * scripts, styles, hidden parts or navigation. Linear in the length of the page; never throws; the text is at most a few times as long.
 */
import { OpenElements, type Scope } from './open-elements.ts'
import { parseHtml } from './parse-html.ts'
import { TextWriter } from './text-writer.ts'

export interface ReadableText {
  /** '' where there is none. */
  readonly title: string
  readonly text: string
  /** What stands around the main content was left out. */
  readonly reduced: boolean
  /** The page is longer than what is read of it. */
  readonly cut: boolean
}

/** A piece of the page in its order; which are shown is known only at its end. */
interface Piece {
  readonly scope: Scope
  readonly kind: 'text' | 'mark' | 'break'
  text: string
  /** Of a break: line ends, 1 or 2. */
  readonly lines: number
}

/** Read at once, while nothing else runs: some tenths of a second at most. Pages for people have fewer. */
const MAX_CHARS = 4_000_000
const MAX_TAGS = 120_000
/** Less than this is a teaser and not the content. */
const CONTENT_CHARS = 200
const MAX_TITLE = 300
const MAX_LINK = 2_000
/** Addresses are written in full: a long base times many short links must not fill the memory. */
const LINK_CHARS_EXTRA = 100_000

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const PARAGRAPHS = words('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre figure article section main hr details')
const LINES = words(
  'div tr li dt dd address header footer nav aside form fieldset figcaption body option caption summary center legend thead tbody menu',
)

/** @param base the address that the page was read from */
export function readableText(html: string, base: string): ReadableText {
  const whole = html.length <= MAX_CHARS
  const read = whole ? html : html.slice(0, MAX_CHARS).toWellFormed()
  const page = new Page(read.length, base)
  const all = parseHtml(read, page, MAX_TAGS)
  return { ...page.read(), cut: !all || !whole }
}

class Page {
  readonly #elements = new OpenElements()
  readonly #pieces: Piece[] = []
  readonly #lists: { readonly ordered: boolean; count: number }[] = []
  #title = ''
  #titled = false
  #base: string
  #baseSaid = false
  #linkChars: number
  #link: { readonly mark: Piece; readonly from: number; readonly address: string } | undefined

  constructor(length: number, base: string) {
    this.#base = base
    this.#linkChars = length + LINK_CHARS_EXTRA
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'base' && !this.#baseSaid && attributes.href !== undefined) {
      this.#baseSaid = true
      this.#base = URL.parse(attributes.href, this.#base)?.href.slice(0, MAX_LINK) ?? this.#base
    }
    const scope = this.#elements.push(name, attributes)
    if (scope.dropped) return
    this.#break(name, scope)
    switch (name) {
      case 'a':
        this.#endLink(scope)
        this.#beginLink(attributes.href, scope)
        break
      case 'ul':
      case 'ol':
      case 'menu':
        this.#lists.push({ ordered: name === 'ol', count: 0 })
        break
      case 'li':
        this.#mark(this.#bullet(), scope)
        break
      case 'br':
        this.#add('break', '', scope, 1)
        break
      case 'hr':
        this.#mark('---', scope)
        this.#break(name, scope)
        break
      case 'td':
      case 'th':
        this.#add('text', ' ', scope)
        this.#add('mark', '| ', scope)
        break
      case 'pre':
        this.#mark('```\n', scope)
        break
      case 'blockquote':
        this.#mark('> ', scope)
        break
      case 'img':
        if ((attributes.alt ?? '').trim() !== '') this.#add('text', ` [image: ${(attributes.alt ?? '').trim().slice(0, 500)}] `, scope)
        break
      default:
        if (/^h[1-6]$/.test(name)) this.#mark(`${'#'.repeat(Number(name.charAt(1)))} `, scope)
    }
  }

  ontext(text: string): void {
    // The first title; one inside of a drawing is that drawing's.
    if (this.#elements.has('title') && !this.#elements.has('svg')) {
      if (!this.#titled && this.#title.length < 4 * MAX_TITLE) this.#title += text.slice(0, 4 * MAX_TITLE)
      return
    }
    const { scope } = this.#elements
    if (!scope.dropped) this.#add('text', text, scope)
  }

  onclosetag(name: string): void {
    const { scope } = this.#elements
    if (name === 'title' && this.#title !== '') this.#titled = true
    if (!scope.dropped && this.#elements.has(name)) {
      if (name === 'a') this.#endLink(scope)
      else if (name === 'ul' || name === 'ol' || name === 'menu') this.#lists.pop()
      else if (name === 'pre') this.#add('mark', '\n```', scope)
      this.#break(name, scope)
    }
    this.#elements.close(name)
  }

  read(): Omit<ReadableText, 'cut'> {
    this.#endLink(this.#elements.scope)
    const title = this.#title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed()
    const selections: readonly ((scope: Scope) => boolean)[] = [
      (scope) => scope.main && !scope.around,
      (scope) => scope.article && !scope.around,
      (scope) => !scope.around,
    ]
    for (const selects of selections) {
      const text = this.#write(selects)
      if (text.length < CONTENT_CHARS) continue
      return {
        title,
        text,
        reduced: this.#pieces.some((piece) => piece.kind === 'text' && piece.text.trim() !== '' && !selects(piece.scope)),
      }
    }
    return { title, text: this.#write(() => true), reduced: false }
  }

  #write(selects: (scope: Scope) => boolean): string {
    const writer = new TextWriter()
    for (const { scope, kind, text, lines } of this.#pieces) {
      if (!selects(scope)) continue
      if (kind === 'break') writer.break(lines)
      else if (kind === 'mark') writer.mark(text)
      else if (scope.preformatted) writer.exact(text)
      else writer.flow(text)
    }
    return writer.end()
  }

  #add(kind: Piece['kind'], text: string, scope: Scope, lines = 0): Piece {
    const piece: Piece = { kind, text, scope, lines }
    this.#pieces.push(piece)
    return piece
  }

  #mark(text: string, scope: Scope): void {
    this.#add('mark', text, scope)
  }

  #break(name: string, scope: Scope): void {
    const lines = PARAGRAPHS.has(name) ? 2 : LINES.has(name) ? 1 : 0
    // A list in a list goes on with the next line.
    if (lines > 0) this.#add('break', '', scope, lines === 2 && this.#lists.length > 0 && name !== 'pre' ? 1 : lines)
  }

  #bullet(): string {
    const list = this.#lists.at(-1)
    if (list === undefined) return '- '
    list.count += 1
    return `${'  '.repeat(Math.min(this.#lists.length - 1, 8))}${list.ordered ? `${list.count}. ` : '- '}`
  }

  #beginLink(href: string | undefined, scope: Scope): void {
    const address = href === undefined ? undefined : this.#address(href.trim())
    if (address === undefined) return
    this.#link = { mark: this.#add('mark', '[', scope), from: this.#pieces.length, address }
  }

  #endLink(scope: Scope): void {
    const link = this.#link
    if (link === undefined) return
    this.#link = undefined
    if (this.#says(link.from)) this.#add('mark', `](${link.address})`, scope)
    else link.mark.text = ''
  }

  /** Each piece belongs to one link at most, so that all looks together are linear. */
  #says(from: number): boolean {
    for (let index = from; index < this.#pieces.length; index += 1) {
      const piece = this.#pieces[index]
      if (piece?.kind === 'text' && piece.text.trim() !== '') return true
    }
    return false
  }

  /** In full; undefined for what leads nowhere else. */
  #address(href: string): string | undefined {
    if (href === '' || href.startsWith('#') || href.length > MAX_LINK || this.#linkChars <= 0) return undefined
    const url = URL.parse(href, this.#base)
    if (url === null || !/^(?:https?|mailto|tel|ftp):$/.test(url.protocol)) return undefined
    const address = url.href.replaceAll('(', '%28').replaceAll(')', '%29')
    this.#linkChars -= address.length
    return this.#linkChars > 0 && address.length <= MAX_LINK ? address : undefined
  }
}
