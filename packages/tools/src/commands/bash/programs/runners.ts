/** Programs that run others with rules that the table of wrappers cannot say: `xargs`, `parallel`, `flock`, interpreters, `command`. */
import { splitWords } from '../options.ts'
import type { Judge, Setting } from '../setting.ts'
import { dangerous, isWorse, read, type Verdict, worst, write } from '../verdict.ts'
import { openWord, type Word } from '../word.ts'
import { judgeJoined } from './shells.ts'

const XARGS = {
  values: 'adEInPsLJRS',
  attached: 'eil',
  flags: '0rtpxo',
  longValues: ['--arg-file', '--delimiter', '--max-args', '--max-procs', '--max-chars', '--process-slot-var'],
  longFlags: [
    '--null',
    '--no-run-if-empty',
    '--verbose',
    '--interactive',
    '--exit',
    '--open-tty',
    '--show-limits',
    '--replace',
    '--max-lines',
    '--eof',
  ],
} as const

const judgeXargs: Judge = (words, setting) => {
  const split = splitWords(words, XARGS)
  if (split === undefined) return dangerous('has options that hide what xargs runs')
  const inner: Setting = { ...setting, piped: false }
  if (split.operands.length === 0) return read('prints what comes in')
  let replaced: string | undefined
  for (const { name, value } of split.options) {
    if (name === 'I' || name === 'J' || name === '--replace' || name === 'i') {
      const text = typeof value === 'string' ? value : (value?.text ?? (name === '--replace' || name === 'i' ? '' : undefined))
      if (text === undefined) return dangerous('has options that hide what xargs runs')
      replaced = text === '' ? '{}' : text
    }
  }
  const last = split.operands.at(-1)
  const kind = setting.pathsIn ? 'file' : 'script'
  const given =
    replaced === undefined
      ? [...split.operands, openWord(kind, last ?? { start: 0, end: 0 })]
      : split.operands.map((word) => withInput(word, replaced, kind))
  return setting.command(given, inner)
}

function withInput(word: Word, replaced: string, kind: 'file' | 'script'): Word {
  if (!word.pattern.includes(replaced)) return word
  const lead = word.lead.split(replaced, 1)[0] ?? ''
  return { ...openWord(kind, word), lead, pattern: word.pattern.replaceAll(replaced, '\0') }
}

/** Its own options are many and its command goes through a shell: at least a write, and as bad as what can be seen of it. */
const judgeParallel: Judge = (words, setting) => {
  const at = words.findIndex((word) => !/^-/.test(word.lead))
  if (at === -1) return dangerous('runs what comes in as commands')
  const end = words.findIndex((word, index) => index > at && /^:::/.test(word.lead))
  const inner = words.slice(at, end === -1 ? undefined : end)
  if (inner.length === 0) return dangerous('runs its words as commands')
  const own = write('runs commands at the same time')
  return worst(own, inner.length === 1 ? judgeJoined(inner, setting) : setting.command(inner, setting), judgeSuffixes(words, setting))
}

const judgeFlock: Judge = (words, setting) => {
  const split = splitWords(words, {
    values: 'wE',
    flags: 'sexunoFv',
    longValues: ['--timeout', '--conflict-exit-code'],
    longFlags: ['--shared', '--exclusive', '--unlock', '--nonblock', '--nb', '--close', '--no-fork', '--verbose'],
  })
  if (split === undefined) return dangerous('has options that hide what flock runs')
  const [, first, ...rest] = split.operands
  const own = write('makes a lock file')
  if (first === undefined) return own
  const verdict =
    first.text === '-c' || first.text === '--command' ? judgeJoined(rest, setting) : setting.command(split.operands.slice(1), setting)
  return worst(own, verdict)
}

const judgeCommandBuiltin: Judge = (words, setting) => {
  const split = splitWords(words, { values: '', flags: 'pvV' })
  if (split === undefined) return dangerous('has options that hide what command runs')
  if (split.options.some(({ name }) => name === 'v' || name === 'V')) return read('says where a program is')
  return split.operands.length === 0 ? read('runs nothing') : setting.command(split.operands, setting)
}

/**
 * For programs that run a command somewhere in their words, behind options that no table here lists: the worst command that begins at any of the
 * words. The work is bounded by looking only at words that name a program which could be dangerous.
 */
export function judgeSuffixes(words: readonly Word[], setting: Setting): Verdict {
  let found = read('runs a command')
  let tried = 0
  for (const [at, word] of words.entries()) {
    if (word.text === undefined || !/^[A-Za-z0-9_./-]+$/.test(word.text) || word.text.startsWith('-')) continue
    if (++tried > 8) return worst(found, dangerous('runs a command that cannot be told from its options'))
    const verdict = setting.command(words.slice(at), setting)
    if (isWorse(verdict.effect, found.effect)) found = verdict
    if (found.effect === 'dangerous') return found
  }
  return found
}

/** Code in another language is not read here: it could do anything, and nobody sees it in a file first. */
const CODE: Readonly<Record<string, RegExp>> = {
  python: /^-[bBdEhiIOqsSuvVWxX]*c/,
  perl: /^-[a-zA-Z0-9]*[eE]/,
  ruby: /^-[a-zA-Z]*e/,
  node: /^(?:-[a-z]*[ep]|--eval|--print)/,
  php: /^-[rBREF]/,
  lua: /^-e/,
  deno: /^eval$/,
  bun: /^(?:-e|--eval|-p|--print)/,
  R: /^-e/,
  awk: /^$/,
}

function judgeInterpreter(language: string): Judge {
  const code = CODE[language] ?? /^-[ce]/
  return (words, setting, name) => {
    for (const [at, word] of words.entries()) {
      if (word.text === undefined) return dangerous('runs a program that is only known when it runs')
      if (code.test(word.text)) return dangerous(`runs ${language} code that is not read here`)
      if (language === 'python' && word.text === '-m') {
        const [module, ...rest] = words.slice(at + 1)
        return module?.text === 'json.tool' &&
          rest.filter(({ lead }) => !lead.startsWith('-')).length < 2 &&
          rest.every(({ text }) => text !== undefined)
          ? read('prints JSON')
          : write(`runs the module ${(module?.text ?? '').slice(0, 60)}`)
      }
      if (words.length === 1 && /^-(?:v|V|version)$/.test(word.text)) return read('only says what it is')
      if (word.text === '-' || word.text === '/dev/stdin') return dangerous('runs what comes in as a program')
      if (!word.text.startsWith('-')) return write(`runs the program ${word.text.slice(0, 60)}`)
    }
    return setting.piped ? dangerous('runs what comes in as a program') : write(`opens ${name}`)
  }
}

const LANGUAGES: readonly (readonly [string, string])[] = [
  ['python', 'python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython'],
  ['perl', 'perl perl5 raku'],
  ['ruby', 'ruby irb jruby'],
  ['node', 'node nodejs tsx ts-node electron'],
  ['php', 'php'],
  ['lua', 'lua luajit'],
  ['deno', 'deno'],
  ['R', 'R Rscript julia octave ghci groovy scala guile racket sbcl elixir erl tclsh wish'],
]

const judgeRemoteShell: Judge = (words, setting) => {
  const split = splitWords(words, { values: 'BbcDEeFIiJLlmOopQRSWw', flags: '46AaCfGgKkMNnqsTtVvXxYy' })
  if (split === undefined) return dangerous('has options that hide what ssh runs')
  let own = write('opens a session on another machine')
  for (const { name, value } of split.options) {
    const text = typeof value === 'string' ? value : value?.text
    if (
      name === 'F' ||
      name === 'I' ||
      (name === 'o' && !/^\s*(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|ServerAlive\w+|LogLevel|User|Port)\b/i.test(text ?? ''))
    )
      own = worst(own, dangerous('takes settings that can run programs'))
    if (name === 'R' || name === 'D' || name === 'w') own = worst(own, dangerous('opens a way in for others'))
  }
  const remote = split.operands.slice(1)
  return remote.length === 0 ? own : worst(own, judgeJoined(remote, { ...setting, piped: false }))
}

export const RUNNER_JUDGES: Readonly<Record<string, Judge>> = {
  xargs: judgeXargs,
  gxargs: judgeXargs,
  parallel: judgeParallel,
  flock: judgeFlock,
  command: judgeCommandBuiltin,
  ssh: judgeRemoteShell,
  entr: (words, setting) => worst(write('runs a command whenever a file changes'), judgeSuffixes(words, setting)),
  ...Object.fromEntries(LANGUAGES.flatMap(([language, names]) => names.split(' ').map((name) => [name, judgeInterpreter(language)]))),
}
