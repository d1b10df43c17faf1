/**
 * Owns the way from text to a plain tree: the parser's nodes live outside the garbage-collected heap, so they are copied and freed at once.
 * Refuses what costs too much to parse. One parser, used synchronously: calls never overlap.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Language, Parser, type TreeCursor } from 'web-tree-sitter'
import { MOST_DEPTH, MOST_NODES, MOST_STEPS } from './limits.ts'

export interface SyntaxNode {
  readonly type: string
  readonly named: boolean
  /** The parser put it there itself because it expected it. */
  readonly missing: boolean
  /** UTF-16 offsets. */
  readonly start: number
  readonly end: number
  readonly children: readonly SyntaxNode[]
}

/** A tree, or why there is none. */
export type ParseSyntax = (source: string) => SyntaxNode | string

/** @throws Error when the grammar's file cannot be read: the installation is broken */
export async function openSyntax(): Promise<ParseSyntax> {
  await Parser.init()
  const grammar = await Language.load(await readFile(fileURLToPath(import.meta.resolve('tree-sitter-bash/tree-sitter-bash.wasm'))))
  const parser = new Parser().setLanguage(grammar)
  return (source) => {
    let steps = 0
    const progressCallback = (): boolean => ++steps > MOST_STEPS
    const tree = parser.parse(source, null, { progressCallback })
    if (tree === null) {
      parser.reset()
      return 'too tangled to be read'
    }
    const cursor = tree.walk()
    try {
      return copy(cursor, source)
    } finally {
      cursor.delete()
      tree.delete()
    }
  }
}

interface OpenNode extends Omit<SyntaxNode, 'children'> {
  readonly children: OpenNode[]
}

/** Without recursion: the depth is the caller's to bound, not the stack's. */
function copy(cursor: TreeCursor, source: string): SyntaxNode | string {
  const root = nodeAt(cursor, source)
  const above: OpenNode[] = []
  let node = root
  let count = 1
  for (;;) {
    if (cursor.gotoFirstChild()) {
      above.push(node)
      if (above.length > MOST_DEPTH) return 'nested too deep to be read'
    } else {
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return root
        above.pop()
      }
    }
    if (++count > MOST_NODES) return 'too long to be read'
    node = nodeAt(cursor, source)
    above.at(-1)?.children.push(node)
  }
}

const EXPANSIONS = new Set(['command_substitution', 'simple_expansion', 'expansion', 'arithmetic_expansion', 'process_substitution'])

function nodeAt(cursor: TreeCursor, source: string): OpenNode {
  const type = cursor.nodeType
  let start = cursor.startIndex
  // The grammar counts blanks before some expansions as theirs.
  if (EXPANSIONS.has(type)) while (/[ \t\n]/.test(source.charAt(start))) start++
  return {
    type,
    named: cursor.nodeIsNamed,
    missing: cursor.nodeIsMissing,
    start,
    end: cursor.endIndex,
    children: [],
  }
}
