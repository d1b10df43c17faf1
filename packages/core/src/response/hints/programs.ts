/** Owns: which programs a command line runs, as far as a hint needs to know. A guess about text, never a judgement about safety. */

const WRAPPERS = new Set([
  'sudo',
  'env',
  'time',
  'timeout',
  'nice',
  'nohup',
  'command',
  'exec',
  'npx',
  'bunx',
  'pnpx',
  'xargs',
  'uv',
  'poetry',
  'run',
  'then',
  'do',
  'if',
  '!',
])
const LONGEST_COMMAND = 4_000

/** Names without folder, in order; the last one is the one whose exit code is seen. */
export function programsOf(command: string): readonly string[] {
  const programs: string[] = []
  for (const part of command.slice(0, LONGEST_COMMAND).split(/[|&;\n()]+/)) {
    const program = programOf(part)
    if (program !== undefined) programs.push(program)
  }
  return programs
}

function programOf(part: string): string | undefined {
  const words = part.trim().split(/\s+/)
  for (const [at, word] of words.entries()) {
    if (word === '' || /^\w+=/.test(word) || word.startsWith('-') || /^[\d.]+[smhd]?$/.test(word) || /^[<>\d]/.test(word)) continue
    const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).replace(/\.exe$/i, '')
    if (WRAPPERS.has(name)) continue
    // python -m pytest
    if (/^python[\d.]*$/.test(name) && words[at + 1] === '-m' && words[at + 2] !== undefined) return words[at + 2]
    return name
  }
  return undefined
}
