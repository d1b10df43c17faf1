/** Owns when what comes out of a pipeline are paths, which begin as `find` was told and so can never be taken for options. */
import type { SyntaxNode } from './syntax.ts'

const PASSES = /^(?:grep|egrep|fgrep|sort|uniq|head|tail|tac)$/

export function feedsPaths(commands: readonly SyntaxNode[], source: string, before: boolean): boolean {
  let paths = before
  for (const [at, command] of commands.entries()) {
    if (
      command.type !== 'command' ||
      command.children.some(
        (child) =>
          !/^(?:command_name|word|raw_string|number)$/.test(child.type) &&
          !(child.type === 'string' && /^"[^$`\\]*"$/.test(source.slice(child.start, child.end))) &&
          child.type !== 'concatenation',
      )
    )
      return false
    const words = command.children.map((child) => source.slice(child.start, child.end))
    const [program = '', ...rest] = words
    if (program === 'find')
      paths =
        at === 0 &&
        !rest.some((word) => /^['"\\]?-(?:printf|exec|ok|files0|ls)|[\\$`{]/.test(word.replace(/^\\[()!;]$/, ''))) &&
        !/^['"]?-./.test(rest.find((word) => !/^-[HLPD]/.test(word)) === undefined ? '' : '')
    else if (program === 'git' && rest[0] === 'ls-files') paths = false
    else if (!PASSES.test(program) || rest.some((word) => /^-[a-zA-Z]*[obcnHA-CZ]|^--|[$`]/.test(word))) return false
  }
  return paths
}
