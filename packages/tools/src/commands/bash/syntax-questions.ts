/** Questions about a syntax tree that need no state. */
import type { SyntaxNode } from './syntax.ts'
import { COMPUTED, type Variables } from './variables.ts'

const SPACE = /^(?:[ \t\n]|\\\n)*$/
/** Children of these lie apart in the text, or hold text that is no syntax. */
const LOOSE = new Set('heredoc_redirect heredoc_body string translated_string expansion array regex extglob_pattern subscript'.split(' '))

/** Within one command a newline that is not continued ends it. */
const ONE_LINE = /^(?:[ \t]|\\\n)*$/
const SIMPLE = new Set(
  'command redirected_statement file_redirect herestring_redirect declaration_command unset_command variable_assignments variable_assignment concatenation'.split(
    ' ',
  ),
)

export function isSpace(text: string): boolean {
  return SPACE.test(text)
}

/** Where between what the parser names something stands that it passed over. */
export function gapsOf(node: SyntaxNode, source: string): readonly (readonly [number, number])[] {
  if (!node.named || LOOSE.has(node.type)) return []
  const gaps: (readonly [number, number])[] = []
  const blank = SIMPLE.has(node.type) ? ONE_LINE : SPACE
  let at = node.start
  for (const child of node.children) {
    if (child.start > at && !blank.test(source.slice(at, child.start))) gaps.push([at, child.start])
    at = Math.max(at, child.end)
  }
  if (node.children.length > 0 && at < node.end && !blank.test(source.slice(at, node.end))) gaps.push([at, node.end])
  return gaps
}

/** Where a redirection goes; what comes after that is given to it by the parser, and to the command by a shell. */
export function targetsOf(redirection: SyntaxNode): readonly SyntaxNode[] {
  return redirection.children.filter((child) => child.named && child.type !== 'file_descriptor')
}

const COMPARES_NUMBERS = /^\[\[[\s\S]*\s-(?:eq|ne|lt|le|gt|ge)\s/

export function calculates(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case 'arithmetic_expansion':
    case 'c_style_for_statement':
      return true
    case 'compound_statement':
      return node.children[0]?.type === '(('
    case 'test_command':
      return COMPARES_NUMBERS.test(source.slice(node.start, node.end))
    default:
      return false
  }
}

/** Whether arithmetic uses a value that came out of a command: it reads such a value as arithmetic again, and runs substitutions in its brackets. */
export function usesComputed(node: SyntaxNode, source: string, variables: Variables): boolean {
  const waiting =
    node.type === 'c_style_for_statement'
      ? node.children.filter((child) => child.type !== 'do_group' && child.type !== 'compound_statement')
      : [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'command_substitution') continue
    waiting.push(...next.children)
    if ((next.type === 'variable_name' || next.type === 'word') && variables.get(source.slice(next.start, next.end)) === COMPUTED)
      return true
  }
  return false
}

export function functionNames(root: SyntaxNode, source: string): readonly string[] {
  const names: string[] = []
  const waiting = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    waiting.push(...node.children)
    const name = node.type === 'function_definition' ? node.children.find((child) => child.named) : undefined
    if (name !== undefined) names.push(source.slice(name.start, name.end))
  }
  return names
}

/** Whether a function calls itself. */
export function callsItself(body: SyntaxNode, name: string, source: string): boolean {
  const waiting = [body]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'command_name' && source.slice(node.start, node.end) === name) return true
    waiting.push(...node.children)
  }
  return false
}

/** Nodes whose text the grammar does not always take apart. */
const OPAQUE = new Set('expansion arithmetic_expansion test_command subscript array regex extglob_pattern'.split(' '))
const KNOWN = new Set(['command_substitution', 'process_substitution'])

/**
 * Whether a substitution stands in an expansion, a test or a calculation that the parser has no node for: `${x:-\`…\`}`, `"${x:-'$(…)'}"`. What stands in single quotes
 * counts too, except in tests: within double quotes they quote nothing.
 */
export function hidesSubstitution(node: SyntaxNode, source: string): boolean {
  const header = node.type === 'c_style_for_statement' || (node.type === 'compound_statement' && node.children[0]?.type === '((')
  if (!OPAQUE.has(node.type) && !header) return false
  const [opening] = node.children
  let at = opening !== undefined && !opening.named ? opening.end : node.start
  // In arithmetic `<(` compares.
  const form = header || node.type === 'arithmetic_expansion' ? OLD_OR_DOLLAR : SUBSTITUTION
  const waiting = [...node.children].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const known = KNOWN.has(next.type) || OPAQUE.has(next.type) || next.type === 'do_group' || next.type === 'compound_statement'
    if (!known && !(next.type === 'raw_string' && node.type === 'test_command')) {
      for (let child = next.children.length - 1; child >= 0; child--) {
        const inner = next.children[child]
        if (inner !== undefined) waiting.push(inner)
      }
      continue
    }
    if (next.start > at && form.test(source.slice(at, next.start))) return true
    at = Math.max(at, next.end)
  }
  return form.test(source.slice(at, node.end))
}

const SUBSTITUTION = /`|[$<>]\(/
const OLD_OR_DOLLAR = /`|\$\(/

/** Whether a comment is one to a shell: it stands alone or after a blank, and not after a continued line. */
export function isComment({ start, end }: SyntaxNode, source: string): boolean {
  let before = start
  while (before >= 2 && source.startsWith('\\\n', before - 2)) before -= 2
  return (before === 0 || /[\s;&|()`]/.test(source.charAt(before - 1))) && !source.slice(start, end).includes('\n')
}

/** `[` is a command like others, which a newline ends; `[[` goes on. */
export function isBrokenTest({ start, end }: SyntaxNode, source: string): boolean {
  return source.charAt(start + 1) !== '[' && /(?:^|[^\\])\n/.test(source.slice(start, end))
}
