/** Owns how amounts are written in messages: digits grouped by commas, bytes in the unit that fits. */

const GROUPED = new Intl.NumberFormat('en-US')

export function grouped(count: number): string {
  return GROUPED.format(count)
}

/** @example plural(1, 'line') // '1 line' · plural(2_000, 'line') // '2,000 lines' */
export function plural(count: number, word: string, words = `${word}s`): string {
  return `${grouped(count)} ${count === 1 ? word : words}`
}

/** @example byteSize(1_536) // '1.5 KiB' */
export function byteSize(bytes: number): string {
  if (bytes < 1_024) return plural(bytes, 'byte')
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  let amount = bytes
  let unit = 'KiB'
  for (const next of units) {
    if (amount < 1_024) break
    amount /= 1_024
    unit = next
  }
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`
}
