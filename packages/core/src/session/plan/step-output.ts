import { readFile } from 'node:fs/promises'
import type { JsonValue } from '../../contract/json.ts'
import type { ToolResult } from '../../contract/result.ts'
import { isSuspect, MAX_DEPTH, parseExactly } from '../../intake/arguments.ts'
import { measureJson } from '../../intake/json-scanner.ts'

/**
 * Owns what a settled step offers to the steps after it: its text whole (also where the model gets it clipped) and, where that is JSON, its
 * value with all digits.
 */

export interface StepOutput {
  readonly text: string
  /** The text itself where it is no JSON. */
  readonly value: JsonValue
}

/** Bytes of a kept result that are read back. A result that is larger is used as far as the model gets it. */
const LARGEST = 16 * 1024 * 1024

/** Reads what a result gave. Only a result that was clipped is read from disk. */
export async function outputOf(result: ToolResult): Promise<StepOutput> {
  const { spill } = result
  const text = spill === undefined || spill.bytes > LARGEST ? result.text : await readFile(spill.path, 'utf8')
  return { text, value: parsedText(text) }
}

/** One output for the items of a step that ran several times: a list. */
export function listOf(outputs: readonly (StepOutput | undefined)[]): StepOutput {
  return {
    text: outputs.map((output) => output?.text ?? '').join('\n'),
    value: outputs.map((output) => output?.value ?? null),
  }
}

function parsedText(text: string): JsonValue {
  if (!/^\s*(?:[[{"\d-]|true|false|null)/.test(text) || measureJson(text).deepest > MAX_DEPTH) return text
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  return isSuspect(text) ? (parseExactly(text)?.value ?? text) : value
}
