/**
 * Owns the cheap look at a text that decides whether anything dearer is needed. Tokens of services are long words without a space or a
 * quote, which plain text hardly has: looking at every sixteenth character finds each of them without reading most of the rest.
 */

/** The shortest token that is only known by its form is an access key id of 20 characters. */
export const MIN_RUN = 16

/** Printable ASCII without what ends a word in text, JSON and source code. */
const IN_RUN = new Uint8Array(128)
for (let code = 33; code < 127; code += 1) {
  if (!'"\'`,;()[]{}<>|\\'.includes(String.fromCharCode(code))) IN_RUN[code] = 1
}

/** A run of at least 16 such characters. */
export interface LongRun {
  readonly start: number
  readonly end: number
}

/**
 * The next run that ends behind `from` and begins before `to`. A run that began long before `from` is given from shortly before it.
 *
 * @param before the run that was given before; undefined for the first
 */
export function nextLongRun(text: string, from: number, to: number, before: LongRun | undefined): LongRun | undefined {
  const { length } = text
  let left = before?.end ?? (from > MIN_RUN ? from - MIN_RUN : 0)
  let at = before === undefined ? left + MIN_RUN - 1 : left + MIN_RUN
  while (at < length) {
    if (!inRun(text.charCodeAt(at))) {
      left = at + 1
      at += MIN_RUN
      continue
    }
    let start = at
    while (start > left && inRun(text.charCodeAt(start - 1))) start -= 1
    if (start >= to) return undefined
    let end = at + 1
    while (end < length && inRun(text.charCodeAt(end))) end += 1
    if (end - start >= MIN_RUN) return { start, end }
    left = end
    at = end + MIN_RUN
  }
  return undefined
}

export function inRun(code: number): boolean {
  return code < 128 && IN_RUN[code] === 1
}
