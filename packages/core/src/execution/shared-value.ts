import { isDeepStrictEqual } from 'node:util'
import { ToolOutput } from '../contract/tool.ts'

/** Owns how a result goes to other processes: as JSON, and only where JSON gives back the same. */

/** @returns `undefined` for what JSON does not carry */
export function toSharedText(output: unknown): string | undefined {
  try {
    const written =
      output instanceof ToolOutput
        ? { parts: output.parts, isError: output.isError, ...(output.structured === undefined ? {} : { structured: output.structured }) }
        : { value: output }
    const text = JSON.stringify(written)
    return isDeepStrictEqual(JSON.parse(text), written) ? text : undefined
  } catch {
    return undefined
  }
}

/** @returns `undefined` when it is none that {@link toSharedText} wrote */
export function fromSharedText(text: string): { readonly output: unknown } | undefined {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read !== 'object' || read === null) return undefined
    if ('value' in read) return { output: read.value }
    if (!isOutput(read)) return undefined
    const { parts, isError, structured } = read
    return { output: new ToolOutput(parts, { isError, ...(structured === undefined ? {} : { structured }) }) }
  } catch {
    return undefined
  }
}

/** The one that wrote it checked it; it was sealed since, or lay in the own database. */
function isOutput(read: object): read is Pick<ToolOutput, 'parts' | 'isError' | 'structured'> {
  return 'parts' in read && Array.isArray(read.parts) && 'isError' in read && typeof read.isError === 'boolean'
}
