/**
 * Owns: where a text may be cut without harming a character. "Character" is what a reader sees as one: a grapheme cluster
 * (base and combining marks, a flag, a family emoji), so never half a surrogate pair and never between `\r` and `\n`.
 * Looks only at the surroundings of the cut, never at the whole text. Stateless.
 */

/** Code units looked at on each side at first, and at most: no cluster that a person sees as one character is longer. */
const FIRST_WINDOW = 128
const LAST_WINDOW = 4_096
/** A cluster found this close to where the window starts may begin before it: look further back. */
const DOUBT = 48

let segmenter: Intl.Segmenter | undefined

/** The greatest safe position at or before `at`. */
export function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  return isPlain(text, at) ? at : clusterAt(text, at).start
}

/** The smallest safe position at or after `at`. */
export function cutAfter(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  if (isPlain(text, at)) return at
  const { start, end } = clusterAt(text, at)
  return start === at ? at : end
}

/** Between two ASCII characters is always a boundary, save inside `\r\n`. */
function isPlain(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a)
}

function clusterAt(text: string, at: number): { readonly start: number; readonly end: number } {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  for (let size = FIRST_WINDOW; size <= LAST_WINDOW; size *= 2) {
    const from = windowStart(text, at, size)
    const to = alignForward(text, Math.min(text.length, at + size))
    const segment = segmenter.segment(text.slice(from, to)).containing(at - from)
    if (segment === undefined) break
    const start = from + segment.index
    const end = start + segment.segment.length
    const certain = (from === 0 || start - from >= DOUBT || isPlain(text, from)) && (to === text.length || end < to)
    if (certain) return { start, end }
  }
  // Longer than any character: a run made to be endless. Half a surrogate pair is still never left.
  return { start: alignBack(text, at), end: alignForward(text, at) }
}

/** A start from which clusters are found right: flags pair up from the start of their run, so a run is never entered midway. */
function windowStart(text: string, at: number, size: number): number {
  let from = alignBack(text, Math.max(0, at - size))
  while (from >= 2 && isRegionalIndicator(text, from - 2) && isRegionalIndicator(text, from)) from -= 2
  return from
}

function isRegionalIndicator(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1)
  return text.charCodeAt(at) === 0xd83c && low >= 0xdde6 && low <= 0xddff
}

function insidePair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}

function alignBack(text: string, at: number): number {
  return insidePair(text, at) ? at - 1 : at
}

function alignForward(text: string, at: number): number {
  return insidePair(text, at) ? at + 1 : at
}
