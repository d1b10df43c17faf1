import type { ErrorCode } from '../contract/errors.ts'
import { clipped, providerError } from './wire.ts'

/** Characters of a page that are kept: its title is at the beginning. */
const KEPT = 16_384

/** Owns what is said of a page of HTML that came in the place of a stream: a proxy's, mostly, with its own reason in the title. */
export class HtmlPage {
  #text = ''

  /** True for the first line of a page. */
  static isBegunBy(line: string): boolean {
    return /^\s*(?:<!--|<!doctype html|<\?xml|<(?:html|head|title|body|center|h1|div|p)\b)/i.test(line)
  }

  add(line: string): void {
    if (this.#text.length < KEPT) this.#text += `${line.slice(0, KEPT)}\n`
  }

  get problem(): { readonly code: ErrorCode; readonly message: string } {
    const title = /<title[^>]*>([^<]*)/i.exec(this.#text)?.[1] ?? ''
    const words = (title.trim() === '' ? bareWords(this.#text) : title).replace(/\s+/g, ' ').trim()
    const said = words === '' ? '' : `: ${clipped(words, 120)}`
    const message = `a page of HTML came in the place of the answer${said}; a proxy on the way, or a wrong address, answers so`
    return { code: providerError(words).code, message }
  }
}

/** Tags, scripts and styles taken off, by one look at each character. */
function bareWords(html: string): string {
  const parts: string[] = []
  let skipped = ''
  for (const piece of html.split('<')) {
    const name = /^\/?[a-z0-9]*/i.exec(piece)?.[0].toLowerCase() ?? ''
    if (skipped === '' && (name === 'script' || name === 'style')) skipped = name
    if (skipped === '') parts.push(piece.slice(piece.indexOf('>') + 1))
    if (name === `/${skipped}`) skipped = ''
  }
  return parts.join(' ')
}
