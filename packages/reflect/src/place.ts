import type { RegistryProblem } from '@adjutant/core'
import type ts from 'typescript6'

/**
 * Owns how a fault in a source file is said: `file:line:column: what is wrong`, and what to do about it. Lines and columns count
 * from 1, as editors do.
 */

/** A fault at a place, thrown by what reads one function and caught for that function only. */
export class ReflectFault extends Error {
  readonly node: ts.Node
  readonly hint: string

  constructor(node: ts.Node, message: string, hint: string) {
    super(message)
    this.name = 'ReflectFault'
    this.node = node
    this.hint = hint
  }
}

export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile()
  return placeAt(file, node.getStart(file))
}

export function placeAt(file: ts.SourceFile, offset: number): string {
  const { line, character } = file.getLineAndCharacterOfPosition(offset)
  return `${file.fileName}:${line + 1}:${character + 1}`
}

export function problemAt(node: ts.Node, message: string, hint: string, tool?: string): RegistryProblem {
  return {
    code: 'TOOL_INVALID',
    source: node.getSourceFile().fileName,
    ...(tool === undefined ? {} : { tool }),
    message: `${placeOf(node)}: ${message}`,
    hint,
  }
}
