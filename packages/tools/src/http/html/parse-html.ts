/**
 * Owns cutting HTML into tags and text, as far as reading it needs: no tree is built, so that neither depth nor size matters. Any text is taken; what
 * is malformed is cut as browsers do. Linear in the length; never throws.
 */
import { decodeReferences } from './character-references.ts'

export interface HtmlEvents {
  /** Names in lower case; the first of two attributes with one name counts. Void elements get no close of their own. */
  onopentag(name: string, attributes: Readonly<Record<string, string>>): void
  ontext(text: string): void
  /** Also for what was never opened. */
  onclosetag(name: string): void
}

/** Their content is text up to their own end, whatever is in it. */
const RAW_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'textarea', 'title'])
/** In these, references count. */
const REFERENCES_IN: ReadonlySet<string> = new Set(['textarea', 'title'])
const FOREIGN: ReadonlySet<string> = new Set(['svg', 'math'])
const MAX_ATTRIBUTES = 64

const NAME = /[^\s/>]+/y
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))?)?/y
const COMMENT_END = /--!?>/g
const LETTER = /[A-Za-z]/

/** @returns false when there are more than `maxTags` tags: the rest was not looked at */
export function parseHtml(html: string, events: HtmlEvents, maxTags = Number.POSITIVE_INFINITY): boolean {
  let at = 0
  let tags = 0
  let textFrom = 0
  const flush = (to: number): void => {
    if (to > textFrom) events.ontext(decodeReferences(html.slice(textFrom, to)))
  }
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) break
    const sign = html.charAt(open + 1)
    const closing = sign === '/'
    if (LETTER.test(closing ? html.charAt(open + 2) : sign)) {
      flush(open)
      tags += 1
      if (tags > maxTags) return false
      at = closing ? closeTag(html, open, events) : openTag(html, open, events)
      textFrom = at
    } else if (sign === '!' || sign === '?' || closing) {
      flush(open)
      at = commentEnd(html, open)
      textFrom = at
    } else at = open + 1
  }
  flush(html.length)
  return true
}

function commentEnd(html: string, open: number): number {
  if (!html.startsWith('<!--', open)) return after(html, '>', open + 2)
  if (html.startsWith('>', open + 4) || html.startsWith('->', open + 4)) return after(html, '>', open + 4)
  COMMENT_END.lastIndex = open + 4
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length
}

function closeTag(html: string, open: number, events: HtmlEvents): number {
  events.onclosetag(nameAt(html, open + 2))
  return after(html, '>', open + 2)
}

function openTag(html: string, open: number, events: HtmlEvents): number {
  const name = nameAt(html, open + 1)
  const attributes: Record<string, string> = Object.create(null)
  ATTRIBUTE.lastIndex = open + 1 + name.length
  let at = ATTRIBUTE.lastIndex
  for (let count = 0; ; count += 1) {
    const found = ATTRIBUTE.exec(html)
    if (found === null) break
    at = ATTRIBUTE.lastIndex
    const key = (found[1] ?? '').toLowerCase()
    if (count < MAX_ATTRIBUTES && !(key in attributes)) attributes[key] = decodeReferences(found[2] ?? found[3] ?? found[4] ?? '', true)
  }
  const end = after(html, '>', at)
  // A tag that never ends is none.
  if (end === html.length && !html.endsWith('>')) return end
  events.onopentag(name, attributes)
  if (FOREIGN.has(name) && html.charAt(end - 2) === '/') events.onclosetag(name)
  return RAW_TEXT.has(name) ? rawText(html, name, end, events) : end
}

function rawText(html: string, name: string, from: number, events: HtmlEvents): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  close.lastIndex = from
  const found = close.exec(html)
  const to = found?.index ?? html.length
  const text = html.slice(from, to)
  if (text !== '') events.ontext(REFERENCES_IN.has(name) ? decodeReferences(text) : text)
  events.onclosetag(name)
  return found === null ? html.length : after(html, '>', close.lastIndex)
}

function nameAt(html: string, at: number): string {
  NAME.lastIndex = at
  return NAME.exec(html)?.[0]?.toLowerCase() ?? ''
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}
