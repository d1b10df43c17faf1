/**
 * Owns which elements are open around a place of a document, and what that makes of it: dropped, part of the main content, part of what stands
 * around it. Ends that are left out are filled in. Each element is pushed and popped once.
 */

export interface Scope {
  /** Not shown: scripts, styles, what is hidden. */
  readonly dropped: boolean
  readonly main: boolean
  readonly article: boolean
  /** Navigation, head and foot of the page, what stands beside. */
  readonly around: boolean
  readonly preformatted: boolean
}

interface Open {
  readonly name: string
  readonly scope: Scope
}

const PAGE: Scope = Object.freeze({ dropped: false, main: false, article: false, around: false, preformatted: false })

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const VOID = words('area base br col embed hr img input link meta param source track wbr')
const DROPPED = words(
  'script style template svg math iframe object canvas audio video select datalist button dialog noembed noframes textarea title head',
)
const AROUND = words('nav aside footer')
/** Their end may be left out: another one of the list ends the one that is open. */
const ENDED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['li', words('li')],
  ['dt', words('dt dd')],
  ['dd', words('dt dd')],
  ['tr', words('tr tbody thead tfoot')],
  ['td', words('td th tr tbody tfoot')],
  ['th', words('td th tr tbody tfoot')],
  ['head', words('body main article section div p h1 h2 h3 ul ol table nav header footer aside')],
  [
    'p',
    words(
      'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul',
    ),
  ],
])
const HIDING = /(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden)/i

export class OpenElements {
  readonly #open: Open[] = []
  readonly #counts = new Map<string, number>()

  get scope(): Scope {
    return this.#open.at(-1)?.scope ?? PAGE
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  /** The scope of the element itself. */
  push(name: string, attributes: Readonly<Record<string, string>>): Scope {
    for (let top = this.#open.at(-1); top !== undefined && ENDED_BY.get(top.name)?.has(name) === true; top = this.#open.at(-1)) this.#pop()
    const scope = scopeWithin(this.scope, name, attributes)
    if (VOID.has(name)) return scope
    this.#open.push({ name, scope })
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    return scope
  }

  /** Closes the innermost of this name and all in it; an end without a beginning closes nothing. */
  close(name: string): void {
    if (!this.has(name)) return
    while (this.#open.length > 0) if (this.#pop() === name) return
  }

  #pop(): string {
    const name = this.#open.pop()?.name ?? ''
    this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1)
    return name
  }
}

function scopeWithin(outer: Scope, name: string, attributes: Readonly<Record<string, string>>): Scope {
  if (outer.dropped) return outer
  const role = attributes.role?.toLowerCase()
  const dropped = DROPPED.has(name) || isHidden(attributes)
  const main = outer.main || name === 'main' || role === 'main'
  const article = outer.article || name === 'article' || role === 'article'
  const inContent = main || article
  const around =
    outer.around ||
    AROUND.has(name) ||
    role === 'navigation' ||
    role === 'complementary' ||
    // The head of an article holds its title; the head of a page holds its menus.
    (!inContent && (name === 'header' || role === 'banner' || role === 'contentinfo'))
  const preformatted = outer.preformatted || name === 'pre'
  const same =
    dropped === outer.dropped &&
    main === outer.main &&
    article === outer.article &&
    around === outer.around &&
    preformatted === outer.preformatted
  return same ? outer : { dropped, main, article, around, preformatted }
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true
  return attributes['aria-hidden']?.toLowerCase() === 'true' || HIDING.test((attributes.style ?? '').slice(0, 2_000))
}
