/**
 * Owns how any text of JavaScript goes into a text column and comes back exactly. PostgreSQL takes no NUL, and neither database keeps half of a surrogate
 * pair: both are written behind a sign that hardly any text holds. Every other text is itself, so that what looks alike to a person looks alike in a query.
 */

const SIGN = '\u001a'
const SPECIAL = /[\u0000\u001a]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const WRITTEN = /\u001a([0-9a-f]{4})/g

/** Different texts give different columns. */
export function toColumn(text: string): string {
  if (!text.includes(SIGN) && !text.includes('\u0000') && text.isWellFormed()) return text
  return text.replace(SPECIAL, (unit) => `${SIGN}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function fromColumn(column: string): string {
  return column.includes(SIGN) ? column.replace(WRITTEN, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : column
}
