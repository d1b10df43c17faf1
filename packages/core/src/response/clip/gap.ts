/**
 * Owns: the one line that stands for what was left out of a text: how many lines, how many characters, and how the rest can be
 * read. In a small limit it says less, so that at least a part of the text is shown. Stateless.
 */

export interface GapForm {
  /** Characters to keep free for it and the line ends around it. */
  readonly reserve: number
  /** @param insideLine the gap begins or ends inside of a line */
  write(lines: number, chars: number, insideLine: boolean): string
}

/**
 * The most telling form that leaves at least half of the limit to the text; in a very small limit a shorter one.
 *
 * @param noun what a line is called, e.g. `row`
 */
export function gapForm(totalLines: number, totalChars: number, rest: string | undefined, limit: number, noun = 'line'): GapForm {
  const fits = (form: GapForm['write'], share: number): GapForm | undefined => {
    const reserve = Math.max(form(Math.max(2, totalLines), totalChars, true).length, form(0, totalChars, true).length) + 2
    return reserve <= limit * share ? { reserve, write: form } : undefined
  }
  const full: GapForm['write'] = (lines, chars, inside) =>
    `[… ${leftOut(lines, chars, inside, noun)} left out${rest === undefined ? '' : `; ${rest}`} …]`
  const plain: GapForm['write'] = (lines, chars, inside) => `[… ${leftOut(lines, chars, inside, noun)} left out …]`
  const short: GapForm['write'] = (lines, chars) => `[… ${lines === 0 ? `${chars} chars` : plural(lines, noun)} …]`
  return fits(full, 0.5) ?? fits(plain, 0.75) ?? fits(short, 1) ?? { reserve: limit, write: () => '…' }
}

function leftOut(lines: number, chars: number, insideLine: boolean, noun: string): string {
  if (lines === 0) return `${plural(chars, 'character')} of a long ${noun}`
  const parts = insideLine ? ' and parts of others' : ''
  return `${plural(lines, noun)}${parts} (${plural(chars, 'character')})`
}

/** `1 line`, `2 lines`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
