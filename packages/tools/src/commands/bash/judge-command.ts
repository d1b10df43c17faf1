/**
 * Owns what one simple command does: its program is looked up by name, behind any wrapper, and its words are judged by that program's own rules. What no
 * table knows is a write: it may do anything, and only what is known to read is called a read.
 */

import { systemPath } from './data/paths.ts'
import { PROGRAMS, RESERVED, WRITES_ITS_WORDS } from './data/programs.ts'
import { ASKS_ONLY, READERS } from './data/readers.ts'
import { RAISES, WRAPPERS, type Wrapper } from './data/wrappers.ts'
import { judgeAssignment } from './judge-assignment.ts'
import { judgeReader, splitWords } from './options.ts'
import { JUDGES } from './programs/index.ts'
import type { Setting } from './setting.ts'
import { dangerous, isWorse, read, type Verdict, worst, write } from './verdict.ts'
import type { Word } from './word.ts'

/** Where an operating system keeps its own programs: a name in another folder is another program. */
const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/

export function judgeCommand(words: readonly Word[], setting: Setting): Verdict {
  const [head, ...rest] = words
  if (head === undefined) return read('runs nothing')
  if (words.some((word) => word.disguised)) return dangerous('hides plain letters behind escapes')
  if (head.text === undefined) return dangerous('runs a program that is only known when it runs')
  const name = head.text.slice(head.text.lastIndexOf('/') + 1)
  const verdict = judgeProgram(head.text, name, rest, setting)
  return verdict.program === undefined ? { ...verdict, program: name, words: rest.map((word) => word.text) } : verdict
}

function judgeProgram(path: string, name: string, words: readonly Word[], setting: Setting): Verdict {
  if (name === '') return dangerous('runs a program without a name')
  if (!/^[\x21-\x7e]+$/.test(name)) return dangerous('runs a program whose name has unusual characters')
  if (RESERVED.has(path) || /^[!-]/.test(name)) return dangerous(`${shown(name)} is not understood as a program`)
  if (setting.functions.has(path)) return write(`calls ${shown(name)}, which the command defines itself`)
  const known = judgeByName(name, words, setting)
  const foreign = path.includes('/') && !SYSTEM_FOLDER.test(path)
  if (known !== undefined && !(foreign && known.effect === 'read')) return known
  if (foreign) return write(`runs the program ${shown(path)}`)
  // On a file system that ignores case, RM is rm. It is never a reason to trust a name.
  const plain = name.toLowerCase().replace(/\.(?:exe|com|bat|cmd)$/, '')
  const alike = plain === name ? undefined : judgeByName(plain, words, setting)
  if (alike !== undefined && alike.effect !== 'read') return alike
  return write(`runs ${shown(name)}, which is not known to only read`)
}

function judgeByName(name: string, words: readonly Word[], setting: Setting): Verdict | undefined {
  const [only] = words
  if (words.length === 1 && (only?.text === '--version' || only?.text === '--help') && (ASKS_ONLY.has(name) || READERS.has(name)))
    return read('only says what it is')
  const special = JUDGES.get(name)?.(words, setting, name)
  if (special !== undefined) return withSystemPaths(name, words, special)
  const wrapper = WRAPPERS.get(name)
  if (wrapper !== undefined) return judgeWrapper(name, wrapper, words, setting)
  const reader = READERS.get(name)
  if (reader !== undefined) return judgeReader(reader, words)
  const [effect, reason] = PROGRAMS.get(name) ?? []
  return effect === undefined || reason === undefined ? undefined : withSystemPaths(name, words, { effect, reason })
}

function withSystemPaths(name: string, words: readonly Word[], verdict: Verdict): Verdict {
  if (verdict.effect !== 'write' || !WRITES_ITS_WORDS.has(name)) return verdict
  for (const word of words) {
    const reason = systemPath(word.pattern.replace(/^(?:-[A-Za-z]|--?[a-z-]+=|[a-z]+=)(?=[/~.])/, ''))
    if (reason !== undefined && !isSource(name, word, words)) return dangerous(reason)
  }
  return verdict
}

/** What a copy is made of is only read; the last word is where it goes, unless `-t` says so before. */
function isSource(name: string, word: Word, words: readonly Word[]): boolean {
  if (!/^(?:cp|install|rsync|scp|ln)$/.test(name) || words.some(({ lead }) => /^(?:-[A-Za-z]*t|--t)/.test(lead))) return false
  return words.at(-1) !== word
}

function judgeWrapper(name: string, wrapper: Wrapper, words: readonly Word[], setting: Setting): Verdict {
  const split = splitWords(words, wrapper.grammar)
  if (split === undefined) return dangerous(`has options that hide what ${name} runs`)
  let own = wrapper.adds === undefined ? read(`runs a command with ${name}`) : { effect: wrapper.adds[0], reason: wrapper.adds[1] }
  for (const option of split.options) {
    const harm = wrapper.harm?.[option.name]
    if (harm !== undefined) own = worst(own, { effect: harm[0], reason: harm[1] })
  }
  let at = wrapper.skip ?? 0
  for (; wrapper.assignments === true && at < split.operands.length; at++) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(split.operands[at]?.lead ?? '')
    if (match === null) break
    own = worst(own, judgeAssignment(match[1] ?? '', 'before-command'))
  }
  const inner = split.operands.slice(at)
  if (inner.length === 0) {
    const alone = wrapper.alone ?? (['write', `runs nothing that is said with ${name}`] as const)
    return worst(own, { effect: alone[0], reason: alone[1] })
  }
  const verdict = setting.command(inner, setting)
  const behind = { program: verdict.program ?? name, words: verdict.words ?? [] }
  if (RAISES.has(name) && verdict.effect !== 'read')
    return { ...behind, effect: 'dangerous', reason: `${verdict.reason}, with more rights (${name})` }
  return isWorse(own.effect, verdict.effect) ? { ...own, ...behind } : { ...verdict, ...behind }
}

function shown(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}
