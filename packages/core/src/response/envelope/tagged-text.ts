import type { ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** Any opening or closing tag of the kind this wire is made of, however it is spaced or spelled. */
const OWN_TAG = /<(?=\s*\/?\s*tool[_-]?(?:result|use|call|response))/gi
const IN_ATTRIBUTE = /[&<>"'\s]/g
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
])

/**
 * `<tool_result id="…" name="…" status="ok">` … `</tool_result>`, one behind the other. Inside, only what looks like a tag of
 * this wire is escaped: a result cannot close its own tag or pass for a call, and everything else reads as it is.
 */
export function toTaggedText(results: readonly ToolResult[]): string {
  return results.map(toTag).join('\n')
}

function toTag(result: ToolResult): string {
  const text = textWithParts(result, () => false, undefined).replace(OWN_TAG, '&lt;')
  const head = `<tool_result id="${attribute(result.id)}" name="${attribute(result.name)}" status="${result.outcome}">`
  return `${head}\n${text}${text.endsWith('\n') ? '' : '\n'}</tool_result>`
}

function attribute(value: string): string {
  return value.replace(IN_ATTRIBUTE, (character) => ENTITIES.get(character) ?? ' ')
}
