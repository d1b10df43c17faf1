/** `find`: its tests read; `-delete`, `-exec` and the `-f…` actions do what they say. */

import { isNothing } from '../data/paths.ts'
import { mayBecomeOption } from '../options.ts'
import type { Setting } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import { openWord, type Word } from '../word.ts'

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const FILES = new Set(['-fprint', '-fprint0', '-fls', '-fprintf'])

const ACTION = /^-(?:delete|exec|execdir|ok|okdir|fls|fprint|fprint0|fprintf)$/
/** Tests that take the next word whatever it is. */
const TAKES_VALUE =
  /^-(?:a|c|m)(?:min|time)$|^-(?:i?name|i?path|i?wholename|i?regex|i?lname|type|xtype|size|perm|user|group|uid|gid|newer..|newer|anewer|cnewer|maxdepth|mindepth|links|inum|samefile|used|fstype|printf|regextype|context|files0-from|D|Bmin|Bnewer|Btime|flags|xattrname)$/

export function judgeFind(words: readonly Word[], setting: Setting): Verdict {
  let found = read('lists files')
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    const value = words[at + 1]
    if (
      TAKES_VALUE.test(word.text ?? '') &&
      value !== undefined &&
      !(value.splits && value.opens.includes('script')) &&
      !ACTION.test(value.text ?? '')
    ) {
      at++
      continue
    }
    if (word.text === undefined) {
      if (mayBecomeOption(word)) found = worst(found, write('has tests or actions that are only known when it runs'))
      continue
    }
    if (word.text === '-delete') found = worst(found, dangerous('deletes files (-delete)'))
    else if (FILES.has(word.text)) {
      const file = words[at + 1]?.text
      if (file === undefined || !isNothing(file)) found = worst(found, write(`writes a file (${word.text})`))
      at++
    } else if (RUNS.has(word.text)) {
      const inner: Word[] = []
      for (at++; at < words.length; at++) {
        const next = words[at]
        if (next === undefined || next.text === ';' || (next.text === '+' && inner.at(-1)?.pattern === '\0')) break
        inner.push(withName(next))
      }
      found = worst(
        found,
        inner.length === 0
          ? dangerous(`runs something that is not said (${word.text})`)
          : setting.command(inner, { ...setting, piped: false }),
      )
    }
  }
  return found.program === undefined ? found : { ...found, reason: `${found.reason}, on each file that is found` }
}

/** `{}` stands for the name of a file, also within a word. Such a name begins with where the search began, never with a dash of its own. */
function withName(word: Word): Word {
  if (!word.pattern.includes('{}')) return word
  const lead = word.lead.split('{}', 1)[0] ?? ''
  return { ...openWord('file', word), lead, pattern: word.pattern.replaceAll('{}', '\0') }
}
