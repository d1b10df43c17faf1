/**
 * Owns how code becomes a program of the box: what starts it, and what is put into a file because it is too long for an argument or cannot be one.
 */
import { randomBytes } from 'node:crypto'
import type { Files } from './files.ts'

export type E2bLanguage = 'bash' | 'python' | 'js'

/** What starts each language; looked for in the box's own `PATH`. */
export type E2bCommands = Readonly<Record<E2bLanguage, readonly [string, ...string[]]>>

export const COMMANDS: E2bCommands = {
  bash: ['/bin/bash', '--noprofile', '--norc'],
  python: ['python3'],
  js: ['node'],
}

/** Linux takes 131 072 of one argument. */
const MAX_ARGUMENT_BYTES = 100_000
/** More than this goes as a file: as input it is text in many requests. */
const MAX_INPUT_BYTES = 1 << 20
/** The first daemon whose input can be closed. */
const CLOSES_INPUT = [0, 5, 2] as const

/** As the short form does it: imports are looked for where the run is, names are global. */
const FROM_FILE: Readonly<Record<'python' | 'js', string>> = {
  python: 'import sys\nwith open(sys.argv.pop(), "rb") as __file: __file = __file.read()\nexec(compile(__file, "<string>", "exec"))',
  js: '(0, eval)(require("node:fs").readFileSync(process.argv.pop(), "utf8"))',
}

/** Output leaves at once: code that never rests would otherwise keep all of it to itself, beyond any limit. */
const UNBUFFERED = 'for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true); '

export interface Prepared {
  readonly argv: readonly [string, ...string[]]
  readonly stdin: Uint8Array | undefined
  /** Files that were written for it. */
  readonly kept: readonly string[]
}

/** @throws AdjutantError SANDBOX_FAILED, CANCELLED */
export async function prepare(
  run: { readonly lang: E2bLanguage; readonly code: string; readonly stdin: Uint8Array | undefined },
  box: { readonly files: Files; readonly commands: E2bCommands; readonly envdVersion: string; readonly signal: AbortSignal },
): Promise<Prepared> {
  const kept: string[] = []
  const keep = async (bytes: Uint8Array): Promise<string> => {
    const path = `/tmp/adjutant-${randomBytes(12).toString('hex')}`
    kept.push(path)
    await box.files.keep(path, bytes, box.signal)
    return path
  }
  try {
    const argv = await argvOf(run.lang, run.code, box.commands, keep)
    const { stdin } = run
    if (stdin === undefined || (stdin.length <= MAX_INPUT_BYTES && !isOlder(box.envdVersion, CLOSES_INPUT))) return { argv, stdin, kept }
    const path = await keep(stdin)
    return { argv: [...COMMANDS.bash, '-c', 'exec "$@" < "$0"', path, ...argv], stdin: undefined, kept }
  } catch (error) {
    for (const path of kept) await box.files.forget(path)
    throw error
  }
}

/** The code as text that an argument or an input can hold, or the path of the file that holds it. */
export function fitsArgument(code: string): boolean {
  return Buffer.byteLength(code) <= MAX_ARGUMENT_BYTES && !code.includes('\0')
}

async function argvOf(
  lang: E2bLanguage,
  code: string,
  commands: E2bCommands,
  keep: (bytes: Uint8Array) => Promise<string>,
): Promise<readonly [string, ...string[]]> {
  const command = commands[lang]
  // On the same line, so that the code's own lines keep their numbers.
  if (fitsArgument(code)) return lang === 'js' ? [...command, '-e', `${UNBUFFERED}${code}`] : [...command, '-c', code]
  const path = await keep(Buffer.from(code))
  switch (lang) {
    case 'bash':
      return [...command, path]
    case 'python':
      return [...command, '-c', FROM_FILE.python, path]
    case 'js':
      return [...command, '-e', `${UNBUFFERED}${FROM_FILE.js}`, path]
    default:
      return lang satisfies never
  }
}

function isOlder(version: string, than: readonly [number, number, number]): boolean {
  const [, major = '0', minor = '0', patch = '0'] = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(version) ?? []
  for (const [index, part] of [major, minor, patch].entries()) {
    const difference = Number(part) - (than[index] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
