/** Owns how the nodes of a word become words: which of its parts are only known when it runs, and how much is known of them. */
import type { SyntaxNode } from './syntax.ts'
import { COMPUTED, type Variables } from './variables.ts'
import { type Hole, plainWord, readWord, type Word, type WordProblem } from './word.ts'

/** Prints a path from the root, or nothing. */
const GIVES_PATH =
  /^(?:\$\(|`)\s*(?:pwd(?:\s+-[LP])?|which\s+[\w.-]+|type\s+-p\s+[\w.-]+|(?:realpath|readlink\s+-f)\s+[\w./-]+|git\s+rev-parse\s+--show-toplevel)\s*[)`]$/
/** Forms that give a value of the caller's as it is, or a word that does not begin with a dash. All others can cut any text out of one. */
const AS_IT_IS = /^\$(?:\w+|\{\w+(?:\[[^\]]*\])?(?::?[-=+?](?:"?[\w./~][^$`'\\]*)?)?\})$/
const COUNTS = /^\$(?:\{#|[#?$!])/

/** @param nodes all that lie between `start` and `end` */
export function wordsIn(
  source: string,
  start: number,
  end: number,
  nodes: readonly SyntaxNode[],
  variables: Variables,
): readonly Word[] | WordProblem {
  const holes: Hole[] = []
  for (const node of nodes) addHoles(node, source, variables, holes)
  const [only] = holes
  // A variable alone, not quoted, becomes as many words as its value has.
  if (only?.value !== undefined && only.start === start && only.end === end && !/[*?[]/.test(only.value)) {
    return only.value
      .split(/[ \t\n]+/)
      .filter((text) => text !== '')
      .map((text) => plainWord(text, { start, end }))
  }
  return readWord(source, start, end, holes)
}

export function addHoles(node: SyntaxNode, source: string, variables: Variables, holes: Hole[]): void {
  const { start, end } = node
  switch (node.type) {
    case 'command_substitution':
      holes.push({ start, end, kind: GIVES_PATH.test(source.slice(start, end)) ? 'environment' : 'script', substitution: true })
      return
    case 'process_substitution':
      holes.push({ start, end, kind: 'file', substitution: false })
      return
    case 'arithmetic_expansion':
      holes.push({ start, end, kind: 'number', substitution: false })
      return
    case 'simple_expansion':
    case 'expansion':
      holes.push(expansionHole(node, source.slice(start, end), variables))
      return
    default:
      for (const child of node.children) addHoles(child, source, variables, holes)
  }
}

function expansionHole({ start, end, children }: SyntaxNode, text: string, variables: Variables): Hole {
  const name = /^\$\{?!?([A-Za-z_]\w*|\d+|[@*])/.exec(text)?.[1] ?? ''
  const substitution = children.some((child) => child.type === 'command_substitution')
  if (COUNTS.test(text)) return { start, end, kind: 'number', substitution }
  // `$@`: all words that a script was called with; as a rule options are among them.
  const own = name === '' || name === '@' || name === '*' || variables.has(name) || !AS_IT_IS.test(text)
  const value = /^\$(?:\w+|\{\w+\})$/.test(text) ? variables.get(name) : undefined
  return { start, end, kind: own ? 'script' : 'environment', substitution, ...(value === undefined || value === COMPUTED ? {} : { value }) }
}
