import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { AdjutantError } from '../../contract/errors.ts'

/**
 * Owns the text of a policy document: its value, and the place of each part. YAML and JSON are read by one parser (JSON is a part of
 * YAML 1.2).
 */

export type SourcePath = readonly (string | number)[]

export interface PolicySource {
  readonly file: string
  readonly value: unknown
  readonly document: Document
  /** `file:line:column` of a value, or of its key. */
  place(path: SourcePath, of?: 'key' | 'value'): string
}

/** A person writes it; what is larger is another file. */
export const MAX_POLICY_BYTES = 1024 * 1024

/** @throws AdjutantError CONFIG_INVALID with the place */
export function readPolicySource(text: string, file: string): PolicySource {
  if (text.length > MAX_POLICY_BYTES) {
    throw invalidPolicy(file, `is longer than ${MAX_POLICY_BYTES} characters`, 'Name the policy file itself.')
  }
  const lines = new LineCounter()
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const { document, value } = parsed(text, file, lines, at)
  return {
    file,
    value,
    document,
    place(path, of = 'value') {
      if (of === 'key') {
        const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
        const pair = isMap(parent) ? parent.items.find((item) => isPair(item) && keyOf(item.key) === String(path.at(-1))) : undefined
        const start = rangeStart(pair?.key)
        if (start !== undefined) return at(start)
      }
      for (let length = path.length; length >= 0; length--) {
        const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
        const start = rangeStart(node)
        if (start !== undefined) return at(start)
      }
      return at(0)
    },
  }
}

function parsed(text: string, file: string, lines: LineCounter, at: (offset: number) => string): { document: Document; value: unknown } {
  try {
    const document: Document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
    const first = document.errors[0]
    if (first !== undefined) {
      throw invalidPolicy(at(first.pos[0]), first.message.split('\n')[0] ?? 'cannot be read', 'Correct the syntax at this place.')
    }
    return { document, value: document.toJS({ maxAliasCount: 100 }) }
  } catch (error) {
    if (AdjutantError.isInstance(error)) throw error
    throw invalidPolicy(file, error instanceof Error ? error.message : String(error), 'Write it with less nesting and fewer aliases.')
  }
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}

function rangeStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

export function invalidPolicy(place: string, message: string, hint?: string): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `${place}: ${message}`, hint === undefined ? {} : { hint })
}
