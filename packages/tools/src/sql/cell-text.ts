/**
 * Owns how a value of SQLite is written to a model: as JSON, so that NULL, '' and 'NULL' differ and no text in a cell can look like
 * the end of a row. Integers are exact whatever their size, a real number with a whole value keeps its `.0`, a blob is `<blob n bytes>`.
 */
export function writeCell(value: unknown, maxChars: number): { readonly text: string; readonly cut: boolean } {
  switch (typeof value) {
    case 'bigint':
      return { text: value.toString(), cut: false }
    case 'number':
      return { text: Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value), cut: false }
    case 'string': {
      if (value.length <= maxChars) return { text: JSON.stringify(value), cut: false }
      const last = value.charCodeAt(maxChars - 1)
      const end = last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars
      return { text: `${JSON.stringify(value.slice(0, end))}<cut, ${value.length - end} more characters>`, cut: true }
    }
    default:
      return { text: value instanceof Uint8Array ? `<blob ${value.byteLength} bytes>` : 'null', cut: false }
  }
}
