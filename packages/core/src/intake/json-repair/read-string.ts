import type { RepairLog } from './repair-log.ts'

/**
 * Owns reading one string of a JSON text that may be wrong: which quotes open and close it, and what stands raw inside. A quote inside a
 * string that nobody escaped is taken as part of it only where no other reading holds: see {@link closes}.
 */

/** Where the string stands: it decides what may follow its closing quote. */
export type StringPlace = 'key' | 'member' | 'item'

/** `fault`: why it cannot be read. */
export type StringRead =
  | { readonly value: string; readonly end: number /** Quotes taken as part of it. */; readonly inner: number }
  | { readonly fault: string; readonly at: number }

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

const HEX = /[0-9a-fA-F]{4}/y
const SPACE = /[ \t\r\n]*/y
/** A key and its colon, as far as it can be told from afar. Bounded, so that looking ahead stays cheap. */
const KEY_AHEAD = /(?:"[^"\\\n]{0,128}"|'[^'\\\n]{0,128}'|[“”][^“”\n]{0,128}”|[A-Za-z_$][\w$-]{0,127})[ \t\r\n]*:/y
const LETTER = /[\p{L}\p{N}]/u

/** The closing quote for an opening one; undefined when it is no quote. Typographic quotes come from word processors and some models. */
export function closingQuote(open: string): string | undefined {
  switch (open) {
    case '"':
    case "'":
      return open
    case '“':
    case '”':
      return '”'
    case '‘':
    case '’':
      return '’'
    default:
      return undefined
  }
}

function afterSpace(text: string, from: number): number {
  SPACE.lastIndex = from
  SPACE.exec(text)
  return SPACE.lastIndex
}

export function keyAhead(text: string, from: number): boolean {
  KEY_AHEAD.lastIndex = from
  return KEY_AHEAD.test(text)
}

/** `inside`: part of the string. `unclear`: both readings hold, or none. */
type Reading = 'end' | 'inside' | 'unclear'

/** Whether the quote at `at` closes its string. `inner`, `apostrophes`: quotes taken as part of it before this one. */
function closes(text: string, at: number, place: StringPlace, inner: number, apostrophes: number): Reading {
  const next = afterSpace(text, at + 1)
  // A text that ends here may have been going on with a quoted word.
  if (next >= text.length) return inner + apostrophes === 0 ? 'end' : 'unclear'
  const sign = text.charAt(next)
  if (place === 'key') return ':/#'.includes(sign) ? 'end' : 'unclear'
  switch (sign) {
    case ':':
      return 'unclear'
    case ',':
      return afterComma(text, next + 1, place, inner)
    case '}':
    case ']':
      return (sign === '}') === (place === 'member') ? afterBracket(text, next + 1, inner) : inner === 0 ? 'end' : 'unclear'
    case '/':
    case '#':
      return inner === 0 ? 'end' : 'unclear'
    default:
      if (place === 'member' && keyAhead(text, next)) return 'end'
      // Two strings side by side: joined by some languages, a lost comma in others.
      return closingQuote(sign) === undefined || next === at + 1 ? 'inside' : 'unclear'
  }
}

function afterComma(text: string, from: number, place: StringPlace, inner: number): Reading {
  const next = afterSpace(text, from)
  if (place === 'item') return inner === 0 ? 'end' : 'unclear'
  if (next >= text.length || keyAhead(text, next)) return 'end'
  const sign = text.charAt(next)
  if (sign === '}' || sign === '/' || sign === '#') return inner === 0 ? 'end' : 'unclear'
  // A key too long to be seen from here, or with escapes; or a quoted word in a quoted text.
  if (closingQuote(sign) !== undefined) return inner === 0 ? 'end' : 'inside'
  return 'inside'
}

function afterBracket(text: string, from: number, inner: number): Reading {
  if (inner === 0) return 'end'
  const next = afterSpace(text, from)
  return next >= text.length || ',}]'.includes(text.charAt(next)) ? 'end' : 'inside'
}

function isApostrophe(text: string, at: number): boolean {
  return LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at + 1))
}

/**
 * Reads the string that opens at `from`. One pass; looks no further ahead than white space and one short key.
 */
export function readString(text: string, from: number, place: StringPlace, log: RepairLog): StringRead {
  const close = closingQuote(text.charAt(from))
  if (close === undefined) return { fault: 'no quote opens here', at: from }
  const pieces: string[] = []
  let start = from + 1
  let firstRaw = -1
  let raw = 0
  let firstInner = -1
  let inner = 0
  let apostrophes = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) {
      const sign = text.charAt(at + 1)
      pieces.push(text.slice(start, at))
      const plain = ESCAPES.get(sign)
      if (plain !== undefined) {
        pieces.push(plain)
        at++
      } else if (sign === "'" || sign === close) {
        pieces.push(sign)
        if (close !== sign) log.add('escaped-quote', at, `read \\${sign} as ${sign}`)
        at++
      } else {
        HEX.lastIndex = at + 2
        const digits = sign === 'u' ? HEX.exec(text)?.[0] : undefined
        if (digits === undefined) return { fault: `the escape \\${sign} is unknown or not whole`, at }
        pieces.push(String.fromCharCode(Number.parseInt(digits, 16)))
        at += 5
      }
      start = at + 1
      continue
    }
    if (code < 0x20) {
      if (place === 'key') return { fault: 'a raw control character stands in a key', at }
      if (raw++ === 0) firstRaw = at
      continue
    }
    if (text.charAt(at) !== close) continue
    if ((close === "'" || close === '’') && place !== 'key' && isApostrophe(text, at)) {
      if (apostrophes++ === 0 && firstInner === -1) firstInner = at
      continue
    }
    const reading = closes(text, at, place, inner, apostrophes)
    if (reading === 'unclear') return { fault: 'where the string ends is not certain', at }
    if (reading === 'inside') {
      if (inner++ === 0 && firstInner === -1) firstInner = at
      continue
    }
    if (inner % 2 === 1) return { fault: 'a quote inside the string has no partner, so that its end is not certain', at: firstInner }
    pieces.push(text.slice(start, at))
    if (raw > 0) log.add('control-character', firstRaw, `kept ${raw} raw control characters (line breaks, tabs) of a string as they are`)
    if (inner + apostrophes > 0) log.add('inner-quotes', firstInner, `took ${inner + apostrophes} unescaped quotes as part of the string`)
    return { value: pieces.join(''), end: at + 1, inner }
  }
  return { fault: 'the string has no end', at: from }
}
