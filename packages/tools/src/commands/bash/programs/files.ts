/** Programs that change files, with the line between a write and what is dangerous. */
import { isNothing, systemPath } from '../data/paths.ts'
import { mayBecomeOption } from '../options.ts'
import type { Judge } from '../setting.ts'
import { dangerous, read, write } from '../verdict.ts'
import type { Word } from '../word.ts'

const operandsOf = (words: readonly Word[]): readonly Word[] => words.filter((word) => !/^-./.test(word.lead))

const judgeTee: Judge = (words) => {
  const files = operandsOf(words)
  for (const file of files) {
    const reason = systemPath(file.pattern)
    if (reason !== undefined && !isNothing(file.pattern)) return dangerous(reason)
  }
  // `>(…)` is judged where it stands.
  return files.every((file) => file.text !== undefined && isNothing(file.text)) && !words.some((word) => mayBecomeOption(word))
    ? read('prints what comes in')
    : write('writes a file')
}

const judgeDd: Judge = (words) => {
  if (words.some((word) => word.text === undefined && !/^(?:if|bs|ibs|obs|cbs|count|skip|seek|conv|iflag|status|of)=/.test(word.lead)))
    return dangerous('has operands that are only known when it runs')
  const out = words.find((word) => word.lead.startsWith('of='))
  if (out === undefined) return read('copies bytes to its output')
  if (out.text === undefined && out.lead === 'of=') return dangerous('writes where only the run will tell')
  const path = out.pattern.slice(3)
  if (isNothing(path)) return read('copies bytes to nowhere')
  return systemPath(path) === undefined ? write('writes a file') : dangerous(systemPath(path) ?? '')
}

const judgeMode: Judge = (words, _setting, name) => {
  if (words.some((word) => /^-[a-zA-Z]*R|^--rec/.test(word.lead) || mayBecomeOption(word)))
    return dangerous(`changes ${name === 'chmod' ? 'rights' : 'owners'} of whole folders`)
  const mode = words.find((word) => !/^-[a-zA-Z]*[vcfRh]/.test(word.lead) && !word.lead.startsWith('--'))?.pattern ?? ''
  if (
    name === 'chmod' &&
    (/^[0-7]*[2367]$/.test(mode) ||
      /^[2-7][0-7]{3}$/.test(mode) ||
      /(?:^|,)[ugoa]*[oa][ugoa]*[+=][rxXst]*w/.test(mode) ||
      /[+=][rwxX]*[st]/.test(mode))
  )
    return dangerous('gives everybody rights, or a program the rights of its owner')
  if (name === 'chown' && /^(?:root|0)(?:[:.]|$)/.test(mode)) return dangerous('gives a file to root')
  return undefined
}

const judgeMktemp: Judge = (words) =>
  words.some((word) => /^-[a-z]*u|^--dry-run$/.test(word.text ?? '')) ? read('prints a name for a file') : undefined

const judgeXxd: Judge = (words) => {
  const files = operandsOf(
    words.filter(
      (word, at) => !/^-[clsgoRC]$|^-(?:cols|len|seek|groupsize|offset)$/.test(words[at - 1]?.text ?? '') || word.text === undefined,
    ),
  )
  return files.length > 1 ? write('writes into its second file') : read('prints bytes')
}

const judgeKill: Judge = (words) => {
  const [first] = words
  return words.length > 0 && /^(?:-l|-L|--list|--table)$/.test(first?.text ?? '') ? read('lists signals') : undefined
}

const judgeDate: Judge = (words) => {
  // A bare number sets the clock: MMDDhhmm.
  for (const [at, word] of words.entries()) {
    if (/^(?:-[dfrv]|--date|--file|--reference)$/.test(words[at - 1]?.text ?? '') && !word.splits) continue
    if (word.opens[0] === 'script' && word.lead === '') return write('has operands that are only known when it runs')
    if (/^\0*\d/.test(word.pattern)) return dangerous('sets the clock')
  }
  return undefined
}

export const FILE_JUDGES: Readonly<Record<string, Judge>> = {
  tee: judgeTee,
  dd: judgeDd,
  chmod: judgeMode,
  chown: judgeMode,
  chgrp: judgeMode,
  mktemp: judgeMktemp,
  xxd: judgeXxd,
  kill: judgeKill,
  date: judgeDate,
  crontab: (words) => (words.length === 1 && words[0]?.text === '-l' ? read('lists what runs later') : undefined),
  sysctl: (words) =>
    words.length > 0 && words.every((word) => word.text !== undefined && (/^-[anNe]+$/.test(word.text) || /^[a-z0-9_.]+$/.test(word.text)))
      ? read('shows settings of the kernel')
      : undefined,
  iptables: (words) =>
    words.some((word) => /^-[LS]$/.test(word.text ?? '')) &&
    words.every((word) => /^(?:-[LSnvtx]+|--line-numbers|[A-Za-z]+)$/.test(word.text ?? '')) &&
    !words.some((word) => /Z|F/.test(word.text ?? '') && (word.text ?? '').startsWith('-'))
      ? read('lists rules of the network')
      : undefined,
  fdisk: (words) => (words[0]?.text === '-l' ? read('lists disks') : undefined),
  at: (words) => (words.length === 1 && words[0]?.text === '-l' ? read('lists what runs later') : undefined),
}
