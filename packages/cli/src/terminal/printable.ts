/**
 * Makes text from outside safe to show. What a model, a tool or a server wrote may hold escape sequences that clear the screen,
 * move the cursor over a question or turn the reading direction round: such characters are SHOWN (as `\x1b`, `\u202e`),
 * never obeyed. Everything that goes to a terminal and was not written in this program passes here.
 */

// C0 and C1 controls and DEL; all that a terminal draws as nothing (zero-width characters, bidirectional marks, embeddings, overrides and
// isolates, the byte order mark, fillers, variation selectors, tag characters); line and paragraph separators, interlinear marks; the braille
// cell without dots; lone surrogates.
const UNSAFE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\u2800\p{Surrogate}]/gu

// Blanks that look like a space and are none: `rm -rf\u00a0/` is one word to a shell. The ideographic space stays: it is as wide as it looks.
const BLANK = /[\u00a0\u1680\u2000-\u200a\u202f\u205f]/g

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const short = SHORT[character]
  if (short !== undefined) return short
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u

/** The two invisible characters that emoji are made with, where they make one. */
function joinsEmoji(character: string, at: number, text: string): boolean {
  if (character !== '\u200d' && character !== '\ufe0f') return false
  const before = text.slice(Math.max(0, at - 2), at)
  const after = text.slice(at + 1, at + 3)
  if (character === '\u200d') return EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)
  return (EMOJI_BEFORE.test(before) && !before.endsWith('\ufe0f')) || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'))
}

function shownUnlessEmoji(character: string, at: number, text: string): string {
  return joinsEmoji(character, at, text) ? character : shown(character)
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
  return text.replace(UNSAFE, shownUnlessEmoji)
}

/** For a place that holds many lines: `\n` ends a line and `\r\n` counts as one; a tab becomes two spaces; all else is shown. */
export function printableLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSAFE, (character, at: number, whole: string) =>
      character === '\n' ? '\n' : character === '\t' ? '  ' : shownUnlessEmoji(character, at, whole),
    )
}

/**
 * For one line of what a person decides on: blanks that only look like a space are shown as well. A tab becomes two spaces.
 *
 * @example
 * ```ts
 * printableArgument('rm -rf\u00a0/') // 'rm -rf\\xa0/'
 * ```
 */
export function printableArgument(text: string): string {
  return printableLine(text.replaceAll('\t', '  ')).replace(BLANK, shown)
}

/** At most `width` characters, the cut marked by `…`; never inside a surrogate pair. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text
  if (width <= 1) return width === 1 ? '…' : ''
  const end = width - 1
  const last = text.charCodeAt(end - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`
}
