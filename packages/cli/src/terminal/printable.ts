/**
 * Makes text from outside safe to show. What a model, a tool or a server wrote may hold escape sequences that clear the screen,
 * move the cursor over a question or turn the reading direction round: such characters are SHOWN (as `\x1b`, `\u202e`),
 * never obeyed. Everything that goes to a terminal and was not written in this program passes here.
 */

// C0 and C1 controls, DEL; zero-width and joiner-less invisibles; line and paragraph separators; bidirectional marks, embeddings,
// overrides and isolates; the byte order mark; tag characters (invisible letters); lone surrogates. ZWJ (200D) stays: emoji need it.
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const short = SHORT[character]
  if (short !== undefined) return short
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * For a place that holds one line: line ends and tabs are shown too.
 *
 * @example
 * ```ts
 * printableLine('rm\u001b[1A\u001b[2K -rf\n/') // 'rm\\x1b[1A\\x1b[2K -rf\\n/'
 * ```
 */
export function printableLine(text: string): string {
  return text.replace(UNSAFE, shown)
}

/** For a place that holds many lines: `\n` ends a line and `\r\n` counts as one; a tab becomes two spaces; all else is shown. */
export function printableLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSAFE, (character) => (character === '\n' ? '\n' : character === '\t' ? '  ' : shown(character)))
}

/** At most `width` characters, the cut marked by `…`; never inside a surrogate pair. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text
  if (width <= 1) return width === 1 ? '…' : ''
  const end = width - 1
  const last = text.charCodeAt(end - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`
}
