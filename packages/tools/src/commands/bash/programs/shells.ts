/** Shells, and what makes this shell run text: `bash -c`, `eval`, `source`, `trap`, `alias`, `su -c`. */
import { splitWords } from '../options.ts'
import type { Judge, Setting } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import { plainWord, type Word } from '../word.ts'

const judgeShell: Judge = (words, setting, name) => {
  // Other shells read almost the same language; almost is not enough to call something a read.
  const own = /^(?:ba|da|a|k)?sh$/.test(name) ? read(`runs ${name}`) : write(`runs ${name}, whose language is another one`)
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    if (word.text === undefined) return dangerous('runs a script that is only known when it runs')
    if (/^[-+][oO]$/.test(word.text)) {
      at++
      continue
    }
    if (/^--(?:login|norc|noprofile|posix|verbose|restricted)$/.test(word.text) || /^[-+][abefhiklmnptuvxBCEHPTlr]+$/.test(word.text))
      continue
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.text)) return worst(own, judgeScriptWord(words.slice(at + 1), setting))
    if (word.text === '-' || word.text === '--') continue
    if (word.text.startsWith('-')) return dangerous(`runs ${name} with the option ${word.text.slice(0, 40)}`)
    return /^\/dev\/(?:stdin|fd\/|tcp\/)/.test(word.text)
      ? dangerous('runs what comes in as a program')
      : write(`runs the script ${word.text.slice(0, 60)}`)
  }
  return setting.piped ? dangerous('runs what comes in as a program') : write('opens a shell')
}

/** The first word that is no option is the script. */
function judgeScriptWord(words: readonly Word[], setting: Setting): Verdict {
  const script = words.find((word) => !/^[-+]./.test(word.lead))
  if (script === undefined) return dangerous('runs a script that is not said')
  if (script.text === undefined) return dangerous('runs a script that is only known when it runs')
  return setting.script(script.text, script, setting.piped)
}

/** Words that a program joins with blanks and hands to a shell. */
export function judgeJoined(words: readonly Word[], setting: Setting): Verdict {
  const [first] = words
  if (first === undefined) return dangerous('runs a command that is not said')
  const texts = words.map((word) => word.text)
  if (texts.includes(undefined)) return dangerous('runs a command that is only known when it runs')
  return setting.script(texts.join(' '), { ...plainWord('', first), end: words.at(-1)?.end ?? first.end }, setting.piped)
}

const judgeEval: Judge = (words, setting) => (words.length === 0 ? read('runs nothing') : judgeJoined(words, setting))

const judgeSource: Judge = (words) => {
  const file = words.find((word) => word.text !== '--')
  if (file?.text === undefined) return dangerous('runs a script that is only known when it runs')
  if (/^\/dev\//.test(file.text)) return dangerous('runs what comes in as a program')
  return write(`runs the script ${file.text.slice(0, 60)} in this shell`)
}

const judgeTrap: Judge = (words, setting) => {
  const script = words.find((word) => word.text !== '--')
  if (script === undefined || /^(?:-[lp]+|-|\d+|)$/.test(script.text ?? '\0')) return read('shows or resets what signals do')
  return script.text === undefined
    ? dangerous('runs a script that is only known when it runs')
    : setting.script(script.text, script, setting.piped)
}

const judgeAlias: Judge = (words, setting) => {
  let found = read('lists aliases')
  for (const word of words) {
    const equals = word.pattern.indexOf('=')
    if (equals < 1) continue
    found = worst(found, write('changes what a name runs'))
    if (word.text !== undefined) found = worst(found, setting.script(word.text.slice(equals + 1), word, setting.piped))
  }
  return found
}

const judgeSu: Judge = (words, setting) => {
  for (const [at, word] of words.entries()) {
    const joined = /^--command=(.*)$/s.exec(word.text ?? '')
    const script =
      joined === null ? (/^(?:-[a-z]*c|--command)$/.test(word.text ?? '') ? words[at + 1] : undefined) : plainWord(joined[1] ?? '', word)
    if (script?.text === undefined) continue
    const verdict = setting.script(script.text, script, setting.piped)
    return verdict.effect === 'read'
      ? write('runs as another user')
      : { ...verdict, effect: 'dangerous', reason: `${verdict.reason}, as another user` }
  }
  return dangerous('opens a shell as another user')
}

const judgeWatch: Judge = (words, setting) => {
  const split = splitWords(words, {
    values: 'nqs',
    attached: 'd',
    flags: 'bcegprtvwx',
    longValues: ['--interval', '--equexit', '--shotsdir'],
    longFlags: [
      '--beep',
      '--color',
      '--no-color',
      '--errexit',
      '--chgexit',
      '--precise',
      '--no-title',
      '--no-wrap',
      '--exec',
      '--differences',
    ],
  })
  if (split === undefined) return dangerous('has options that hide what watch runs')
  return judgeJoined(split.operands, setting)
}

const judgeScript: Judge = (words, setting) => {
  const at = words.findIndex((word) => /^(?:-[a-zA-Z]*c|--command)$/.test(word.text ?? ''))
  const script = words[at + 1]
  if (at === -1) return write('records a shell into a file')
  if (script?.text === undefined) return dangerous('runs a script that is only known when it runs')
  return worst(write('records a command into a file'), setting.script(script.text, script, setting.piped))
}

const SHELLS = 'bash sh zsh dash ksh ash mksh fish csh tcsh rbash yash'.split(' ')

export const SHELL_JUDGES: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(SHELLS.map((name) => [name, judgeShell])),
  eval: judgeEval,
  source: judgeSource,
  '.': judgeSource,
  trap: judgeTrap,
  alias: judgeAlias,
  su: judgeSu,
  runuser: judgeSu,
  watch: judgeWatch,
  script: judgeScript,
}
