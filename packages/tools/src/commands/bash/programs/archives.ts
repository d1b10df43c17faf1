/** Archives and compressed files: listing them and printing what is in them reads, everything else writes. */
import { mayBecomeOption } from '../options.ts'
import type { Judge } from '../setting.ts'
import { dangerous, read, type Verdict, write } from '../verdict.ts'
import type { Word } from '../word.ts'

const TAR_RUNS = /^--(?:to-c|us|checkpoint-|inf|new-|rs|rm|comp)/

/** The mode stands in the first word, with or without a dash, or in a later cluster. */
const judgeTar: Judge = (words): Verdict => {
  if (words.some((word) => mayBecomeOption(word, 'fC'))) return write('has options that are only known when it runs')
  // `host:file` is an archive on another machine.
  if (words.some((word) => /^[^/=]*:/.test(word.pattern) || /^--f[a-z]*=[^/]*:/.test(word.pattern)))
    return write('works on an archive of another machine')
  let mode = ''
  let listing = words.some((word) => word.text === '--list')
  let more = false
  for (const [at, word] of words.entries()) {
    const { lead } = word
    if (TAR_RUNS.test(lead) || /^--?I/.test(lead)) return dangerous('runs another program')
    if (lead.startsWith('--')) {
      if (/^--(?:ext|get|cre|app|upd|cat|conc|del|diff|comp|remove|index|vol|list-)/.test(lead)) more = true
      continue
    }
    if (!(lead.startsWith('-') || at === 0)) continue
    // A cluster ends where a letter takes its value from the same word.
    const cluster = lead.startsWith('-') ? (/^-[^fCbTXKNHVgLF]*[fCbTXKNHVgLF]?/.exec(lead)?.[0] ?? lead) : lead
    if (/[IF]/.test(cluster)) return dangerous('runs another program')
    mode += cluster.replace(/[^txcruAd]/g, '')
  }
  listing ||= mode.includes('t')
  if (/d/.test(mode) && !/[xcruA]/.test(mode) && !more) return read('compares an archive')
  if (listing && !/[xcruAd]/.test(mode) && !more) return read('lists an archive')
  return write('packs or unpacks files')
}

/** Options that take no value and name no file; among them those that make it print. */
const PLAIN_OPTION = /^-[cdefkNqvtlz0-9]+$|^--(?:stdout|to-stdout|list|test|decompress|uncompress|keep|force|quiet|verbose|best|fast)$/
const PRINTS = /^-[a-zA-Z0-9]*[clt]|^--(?:stdout|to-stdout|list|test)$/

/** Given no file they work from input to output. */
const judgeCompressor: Judge = (words): Verdict | undefined => {
  if (words.some((word) => mayBecomeOption(word))) return undefined
  const options = words.filter((word) => /^-./.test(word.lead))
  const toOutput = options.every((word) => PLAIN_OPTION.test(word.text ?? '')) && options.some((word) => PRINTS.test(word.text ?? ''))
  const noFile =
    options.length === words.length && options.every((word) => /^-[a-zA-Z0-9]+$/.test(word.text ?? '') && !/[oOS]/.test(word.lead))
  return toOutput || noFile ? read('prints a file or a part of it') : undefined
}

const judgeUnzip: Judge = (words): Verdict | undefined => {
  const [first] = words
  return first?.text !== undefined &&
    /^-[a-zA-Z]*[lpptvzZc]/.test(first.text) &&
    !words.some((word) => /^-[a-zA-Z]*d/.test(word.lead) || mayBecomeOption(word))
    ? read('lists or prints an archive')
    : undefined
}

const judgeSeven: Judge = (words): Verdict | undefined =>
  words[0]?.text === 'l' || words[0]?.text === 't' ? read('lists an archive') : undefined

const judgeCpio: Judge = (words): Verdict | undefined => {
  const letters = words
    .filter((word: Word) => /^-[a-z]/.test(word.lead))
    .map((word) => word.lead.slice(1))
    .join('')
  return letters.includes('t') && !/[opFOCHMR]/.test(letters) && words.every((word) => /^-[a-z]+$/.test(word.text ?? ''))
    ? read('lists an archive')
    : undefined
}

export const ARCHIVE_JUDGES: Readonly<Record<string, Judge>> = {
  tar: judgeTar,
  gtar: judgeTar,
  bsdtar: judgeTar,
  ...Object.fromEntries('gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd pigz pbzip2'.split(' ').map((name) => [name, judgeCompressor])),
  unzip: judgeUnzip,
  zipinfo: () => read('lists an archive'),
  '7z': judgeSeven,
  '7za': judgeSeven,
  cpio: judgeCpio,
}
