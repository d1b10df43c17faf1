/** Owns when what comes out of a pipeline are paths, which begin as `find` was told and so can never be taken for options. */
import type { SyntaxNode } from './syntax.ts'

const PASSES = /^(?:grep|egrep|fgrep|sort|uniq|head|tail|tac)$/

const FIND_OTHERWISE = /^['"\\]?-(?:printf|exec|ok|files0|ls|fls|fprint)/

/**
 * @param command the last command of the pipeline so far
 * @param before whether the one before it put out paths; undefined for the first
 */
export function feedsPaths(command: SyntaxNode, source: string, before: boolean | undefined): boolean {
  if (command.type !== 'command') return false
  const words: string[] = []
  for (const child of command.children) {
    const text = source.slice(child.start, child.end)
    const plain =
      child.type === 'string' ? !/[$`\\]/.test(text) : /^(?:command_name|word|raw_string|number|concatenation)$/.test(child.type)
    if (!plain) return false
    words.push(text)
  }
  const [program = '', ...rest] = words
  if (before === undefined)
    return (
      program === 'find' &&
      rest.every((word) => !FIND_OTHERWISE.test(word) && (/^\\[()!;]$/.test(word) || !/[\\$`{]/.test(word.replace(/^\\\*/, ''))))
    )
  return before && PASSES.test(program) && !rest.some((word) => /^-[a-zA-Z]*[obcnHA-CZ]|^--|[$`]/.test(word))
}
