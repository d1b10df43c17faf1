/** `sed`: prints text changed, unless a command of its script writes or runs something, or `-i` changes the files. */
import { systemPath } from '../data/paths.ts'
import { mayBecomeOption } from '../options.ts'
import type { Judge } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import type { Word } from '../word.ts'
import { readSedScript } from './sed-script.ts'

export const judgeSed: Judge = (words) => {
  let found = read('prints what it is given, changed')
  const scripts: Word[] = []
  const operands: Word[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    if (mayBecomeOption(word, 'el')) return write('has options or a script that are only known when it runs')
    const { lead } = word
    if (lead.startsWith('--')) {
      const value = word.pattern.includes('=') ? { ...word, pattern: word.pattern.slice(word.pattern.indexOf('=') + 1) } : undefined
      if (/^--i/.test(lead)) found = worst(found, write('changes files (--in-place)'))
      else if (/^--f/.test(lead) && !/^--fo/.test(lead)) found = worst(found, write('runs a sed script out of a file'))
      else if (/^--e/.test(lead)) {
        const script = value ?? words[++at]
        if (script !== undefined) scripts.push(script)
      } else if (/^--l/.test(lead) && value === undefined) at++
      continue
    }
    if (!lead.startsWith('-') || lead === '-') {
      operands.push(word)
      continue
    }
    for (let index = 1; index < lead.length; index++) {
      const letter = lead.charAt(index)
      const rest = word.pattern.slice(index + 1)
      if (letter === 'i' || letter === 'I') {
        found = worst(found, write('changes files (-i)'))
        // GNU takes a suffix from the same word only; elsewhere the next word is one, and the script comes after it.
        break
      }
      if (letter === 'f') {
        found = worst(found, write('runs a sed script out of a file'))
        if (rest === '') at++
        break
      }
      if (letter === 'e') {
        const script = rest === '' ? words[++at] : { ...word, pattern: rest }
        if (script !== undefined) scripts.push(script)
        break
      }
      if (letter === 'l') {
        if (rest === '') at++
        break
      }
    }
  }
  const given = scripts.length > 0 ? scripts : operands.splice(0, 1)
  found = worst(found, ...given.map(judgeScript))
  if (found.effect === 'write')
    for (const { pattern } of operands) if (systemPath(pattern) !== undefined) return dangerous(systemPath(pattern) ?? '')
  return found
}

function judgeScript(word: Word): Verdict {
  if (word.opens.includes('script') && /^\s*\0/.test(word.pattern)) return write('runs a sed script that is only known when it runs')
  return readSedScript(word.pattern, word.opens.length > 0)
}
