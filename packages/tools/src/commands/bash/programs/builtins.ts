/** Commands of the shell itself that change its state. */

import { hidesCode } from '../hides-code.ts'
import { judgeAssignment } from '../judge-assignment.ts'
import type { Judge } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import type { Word } from '../word.ts'

/** In `a[…]` a shell runs the substitutions that it finds, even if they came quoted. */

function subscripts(words: readonly Word[]): Verdict {
  for (const word of words) {
    if (hidesCode(word.pattern)) return dangerous('runs what stands between the brackets')
    if (/^[A-Za-z_]\w*\[\0|^\0/.test(word.pattern) && word.opens.includes('script'))
      return write('names a variable that is only known when it runs')
  }
  return read('changes only this shell')
}

/** `read name`, `mapfile name`: the name may be one that decides what programs do. */
const judgeNaming: Judge = (words, _setting, name) => {
  let found = subscripts(words)
  for (const word of words) {
    if (/^-/.test(word.lead)) {
      if ((name === 'mapfile' || name === 'readarray') && /^-[a-zA-Z]*C/.test(word.lead))
        found = worst(found, dangerous('runs a command for each line'))
    } else if (/^[A-Za-z_]\w*$/.test(word.text ?? ''))
      found = worst(found, judgeAssignment(word.text ?? '', name === 'read' && word.text === 'IFS' ? 'exported' : 'alone'))
  }
  return found
}

const SET_FLAGS = /^[-+][euxvfhnBCHEPT]+$/
const SET_NAMES =
  /^(?:errexit|nounset|xtrace|verbose|noglob|noclobber|pipefail|errtrace|functrace|posix|emacs|vi|braceexpand|hashall|physical|ignoreeof)$/

const judgeSet: Judge = (words) => {
  for (const [at, word] of words.entries()) {
    if (word.text !== undefined && SET_FLAGS.test(word.text)) continue
    if (word.text !== undefined && /^[-+][euxvf]*o$/.test(word.text) && SET_NAMES.test(words[at + 1]?.text ?? 'errexit')) continue
    if (at > 0 && /o$/.test(words[at - 1]?.text ?? '') && SET_NAMES.test(word.text ?? '')) continue
    return write('changes how this shell works')
  }
  return read('shows or changes how this shell reads commands')
}

const SHOPT = /^(?:nullglob|globstar|dotglob|extglob|nocaseglob|nocasematch|failglob|lastpipe|globasciiranges|inherit_errexit)$/

const judgeShopt: Judge = (words) => {
  if (!words.some((word) => /^-[a-z]*[suo]/.test(word.lead)))
    return words.some((word) => word.text === undefined) ? write('changes how this shell works') : read('shows how this shell works')
  return words.every(
    (word) => word.text !== undefined && (word.text === '-s' || word.text === '-u' || word.text === '-q' || SHOPT.test(word.text)),
  )
    ? read('changes how this shell reads names')
    : write('changes how this shell works')
}

const judgeTest: Judge = (words) => {
  const found = subscripts(words)
  return found.effect === 'read' ? read('compares') : found
}

const judgePrintf: Judge = (words) => {
  const [first] = words
  if (first === undefined || !/^-v/.test(first.lead))
    return first?.text === undefined && first?.opens.includes('script') === true ? read('prints text') : undefined
  const name = first.text === '-v' ? words[1]?.text : first.text?.slice(2)
  if (name === undefined) return write('names a variable that is only known when it runs')
  return worst(subscripts(words), judgeAssignment(/^\w*/.exec(name)?.[0] ?? '', 'alone'))
}

const judgeHarmlessName: Judge = (words) => subscripts(words)

export const BUILTIN_JUDGES: Readonly<Record<string, Judge>> = {
  ':': () => read('does nothing'),
  read: judgeNaming,
  mapfile: judgeNaming,
  readarray: judgeNaming,
  getopts: judgeNaming,
  let: judgeHarmlessName,
  set: judgeSet,
  shopt: judgeShopt,
  test: judgeTest,
  '[': judgeTest,
  printf: judgePrintf,
  unalias: () => write('changes what a name runs'),
  fc: (words) =>
    words.length > 0 && words.every((word) => /^-[lnr\d]+$|^\d+$/.test(word.text ?? '')) && /l/.test(words[0]?.text ?? '')
      ? read('lists commands of before')
      : dangerous('runs a command of before'),
  fg: () => write('goes on with a stopped program'),
  bg: () => write('goes on with a stopped program'),
  disown: () => write('lets a program go on without this shell'),
  suspend: () => dangerous('stops this shell'),
  logout: () => read('ends this shell'),
  umask: (words) =>
    words.length === 0 || (words.length === 1 && /^-[Sp]+$/.test(words[0]?.text ?? ''))
      ? read('shows which rights new files get')
      : write('changes which rights new files get'),
  ulimit: (words) =>
    words.every((word) => /^-[a-zA-Z]+$/.test(word.text ?? ''))
      ? read('shows the limits of this shell')
      : write('changes the limits of this shell'),
}
