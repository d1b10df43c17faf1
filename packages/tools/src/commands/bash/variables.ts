/** Owns which variables a script sets itself, and to what: their values are the script's words, not the caller's. */
import type { SyntaxNode } from './syntax.ts'

/** The value came out of a command or from the input: nothing is known of it. No literal value has this character. */
export const COMPUTED = '\0'

/** A name with one literal value, or `undefined` for a name whose value is only known when it runs. */
export type Variables = ReadonlyMap<string, string | undefined>

const NAMING = /^(?:read|mapfile|readarray|getopts|printf|let|declare|typeset|local|readonly|export|unset|wait|coproc|set|shift)$/

export function collectVariables(root: SyntaxNode, source: string, inherited: Variables): Variables {
  const found = new Map(inherited)
  const set = (name: string, value: string | undefined): void => {
    const before = found.get(name)
    found.set(name, before === COMPUTED || value === COMPUTED ? COMPUTED : found.has(name) && before !== value ? undefined : value)
  }
  const text = (node: SyntaxNode | undefined): string => (node === undefined ? '' : source.slice(node.start, node.end))
  const waiting = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    waiting.push(...node.children)
    switch (node.type) {
      case 'variable_assignment': {
        const [name, operator, value] = node.children
        const plain = name?.type === 'variable_name' && operator?.type === '=' && node.children.length <= 3
        set(
          /^\w*/.exec(text(name))?.[0] ?? '',
          plain || operator?.type === '+='
            ? ((plain ? literal(value, text(value)) : undefined) ?? (value !== undefined && computes(value) ? COMPUTED : undefined))
            : undefined,
        )
        break
      }
      case 'for_statement': {
        const name = node.children.find((child) => child.type === 'variable_name')
        const at = name === undefined ? -1 : node.children.indexOf(name)
        const values = node.children
          .slice(at + 1)
          .filter((child) => child.named && child.type !== 'do_group' && child.type !== 'compound_statement')
        // Names of files that a glob finds are taken as operands, as they are where the glob stands itself.
        if (values.length === 0 || values.some((child) => !isGlob(child, text(child)))) set(text(name), undefined)
        break
      }
      case 'command': {
        const name = node.children.find((child) => child.type === 'command_name')
        if (name === undefined || !NAMING.test(text(name))) break
        if (text(name) === 'set') for (const position of '123456789@*') set(position, undefined)
        for (const child of node.children) {
          const word = /^[A-Za-z_]\w*/.exec(text(child).replace(/^['"]/, ''))
          if (child !== name && word !== null) set(word[0], /^(?:read|mapfile|readarray|printf)$/.test(text(name)) ? COMPUTED : undefined)
        }
        break
      }
      case 'function_definition':
        // Called with words of the script.
        for (const position of '123456789@*') set(position, undefined)
        break
      case 'expansion': {
        const [, name, operator] = node.children
        if (operator?.type === '=' || operator?.type === ':=') set(text(name), undefined)
        break
      }
      case 'postfix_expression':
      case 'unary_expression':
      case 'binary_expression':
        // Arithmetic sets numbers only.
        break
    }
  }
  return found
}

function computes(node: SyntaxNode): boolean {
  if (
    node.type === 'command_substitution' ||
    node.type === 'simple_expansion' ||
    node.type === 'expansion' ||
    node.type === 'ansi_c_string'
  )
    return true
  return node.type !== 'arithmetic_expansion' && node.children.some(computes)
}

function isGlob(node: SyntaxNode, text: string): boolean {
  return node.type === 'word' && /[*?]/.test(text) && !text.startsWith('-') && !/[\\{]/.test(text)
}

function literal(node: SyntaxNode | undefined, text: string): string | undefined {
  if (node === undefined) return ''
  if (node.type === 'raw_string') return text.slice(1, -1)
  if (node.type === 'number' || node.type === 'word') return /[\\*?[\]{}~$`]/.test(text) ? undefined : text
  if (node.type === 'string') return /[\\$`]/.test(text) ? undefined : text.slice(1, -1)
  return undefined
}
