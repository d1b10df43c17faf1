/** Programs of many commands: the first words that are no options say which. */
import { COMMANDS, type Commands } from '../data/subcommands.ts'
import { judgeReader, mayBecomeOption } from '../options.ts'
import type { Judge, Setting } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import type { Word } from '../word.ts'
import { judgeSuffixes } from './runners.ts'

function judgeCommands(commands: Commands): Judge {
  const reads = new Set(commands.reads.split(' '))
  const values = new Set((commands.values ?? '').split(' '))
  return (words, setting, program) => {
    const [first, second, rest] = commandOf(words, values)
    const pair = `${first}|${second}`
    const worse = commands.worse?.[`${first} ${second}`] ?? commands.worse?.[first ?? '']
    if (worse !== undefined) return { effect: worse[0], reason: worse[1] }
    if (first !== undefined && (reads.has(first) || (second !== undefined && reads.has(pair)))) {
      const harm = commands.harm ?? {}
      return judgeReader(
        { reason: `${program} ${first} shows something`, harm, wholeWords: true },
        rest.filter((word) => word.text !== '--'),
      )
    }
    return CONTAINERS.has(program) ? judgeContainer(first, words, setting) : undefined
  }
}

/** Options in front of the command must be known: one with a value of its own would hide it. */
function commandOf(
  words: readonly Word[],
  values: ReadonlySet<string>,
): readonly [string | undefined, string | undefined, readonly Word[]] {
  let at = 0
  for (; at < words.length; at++) {
    const text = words[at]?.text
    if (text === undefined || !text.startsWith('-')) break
    if (values.has(text)) at++
    else if (!/^--[a-z-]+=/.test(text) && !(at === 0 && words.length === 1)) return [undefined, undefined, words]
    else if (at === 0 && words.length === 1) return [text, undefined, []]
  }
  return [words[at]?.text, words[at + 1]?.text, words.slice(at + 1)]
}

const CONTAINERS = new Set(['docker', 'podman', 'nerdctl', 'kubectl', 'docker-compose'])

function judgeContainer(command: string | undefined, words: readonly Word[], setting: Setting): Verdict | undefined {
  const open = words.find(
    (word) =>
      /^(?:--privileged|--pid=host|--net=host|--network=host|--ipc=host|--userns=host|--cap-add|--device|--security-opt)/.test(word.lead) ||
      /^(?:-v|--volume=|--mount=)?(?:.*(?:src|source)=)?(?:\/:|\/(?:etc|var\/run|root|home|usr|boot)\b)/.test(word.pattern),
  )
  if (open !== undefined) return dangerous('gives a container the machine itself')
  if (command !== 'run' && command !== 'exec' && command !== 'compose' && command !== 'create') return undefined
  return worst(write('runs something in a container'), judgeSuffixes(words.slice(1), { ...setting, piped: false }))
}

const judgeService: Judge = (words) => {
  const [first, second] = words
  if (words.length === 1 && first?.text === '--status-all') return read('lists services')
  if (words.length === 2 && second?.text === 'status' && first?.text !== undefined) return read('shows a service')
  return words.some((word) => word.text === 'stop') ? dangerous('stops what others may need') : undefined
}

const judgeDpkg: Judge = (words, _setting, name) => {
  const [first] = words
  const form =
    name === 'rpm'
      ? /^-q[a-zA-Z]*$|^-V[a-z]*$|^--query$|^-qa$/
      : /^(?:-[lLsSpcIW]|--(?:list|listfiles|status|search|get-selections|print-architecture|print-avail|contents|info|show|compare-versions|verify))$/
  if (
    first?.text !== undefined &&
    form.test(first.text) &&
    words.every(
      (word) =>
        !mayBecomeOption(word) &&
        !/^--(?:pre-invoke|post-invoke|eval|pipe|define|load|rcfile|macros|root|admindir|instdir)/.test(word.lead) &&
        !/^-[DE]/.test(word.lead),
    )
  )
    return read('shows what is installed')
  return /^(?:-r|-P|-e|--remove|--purge|--erase)$/.test(first?.text ?? '') ? dangerous('removes software') : undefined
}

const judgePacman: Judge = (words) =>
  /^-Q[a-z]*$|^-S[si]+$/.test(words[0]?.text ?? '')
    ? read('shows what is installed')
    : /^-R/.test(words[0]?.text ?? '')
      ? dangerous('removes software')
      : undefined

export const SUBCOMMAND_JUDGES: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries([...COMMANDS].filter(([name]) => name !== 'crontab').map(([name, commands]) => [name, judgeCommands(commands)])),
  service: judgeService,
  dpkg: judgeDpkg,
  'dpkg-query': judgeDpkg,
  rpm: judgeDpkg,
  pacman: judgePacman,
}
