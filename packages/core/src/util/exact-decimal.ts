const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/

/** Longer spellings of a number are not looked at: no double keeps so many digits. */
const LONGEST = 400

/**
 * One text for all spellings of a decimal number: sign, digits without zeros at their ends, power of ten. Two spellings mean the same
 * number exactly if these are equal, whatever a double makes of them.
 * @returns undefined for what is no decimal number, or is longer than 400 characters
 *
 * @example
 * ```ts
 * exactDecimal('1.50') === exactDecimal('15e-1') // true
 * exactDecimal('9007199254740993') === exactDecimal(String(Number('9007199254740993'))) // false: rounded
 * ```
 */
export function exactDecimal(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  const found = NUMBER.exec(text)
  if (found === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = found
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign === '-' ? '-' : ''}${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`
}
