/** `git`, by subcommand. Settings given on the command line (`-c`) can make any subcommand run a program. */
import { GIT_DANGEROUS, GIT_HARM, GIT_LISTS, GIT_READS, GIT_SECOND } from '../data/git-commands.ts'
import { judgeReader, mayBecomeOption } from '../options.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import type { Word } from '../word.ts'

const HARMLESS_SETTING =
  /^(?:color\.[a-z.]+|core\.quotepath|log\.[a-z]+|diff\.(?:renames|noprefix|mnemonicprefix)|advice\.[a-z]+|column\.ui|core\.abbrev)=/i

export function judgeGit(words: readonly Word[]): Verdict {
  let own = read('reads a repository')
  let at = 0
  for (; at < words.length; at++) {
    const { text, lead } = words[at] ?? { text: undefined, lead: '' }
    if (text === undefined && !/^--(?:git-dir|work-tree|namespace)=/.test(lead))
      return dangerous('runs a git command that is only known when it runs')
    if (/^--(?:git-dir|work-tree|bare)/.test(lead))
      own = worst(own, write('takes a repository by its inner folder, whose settings can run programs'))
    if (text === '-C' || text === '--git-dir' || text === '--work-tree' || text === '--namespace') at++
    else if (text === '-c') {
      if (!HARMLESS_SETTING.test(words[++at]?.text ?? '')) own = worst(own, dangerous('takes settings that can run programs (-c)'))
    } else if (
      /^(?:--no-pager|-P|-p|--paginate|--no-replace-objects|--bare|--literal-pathspecs|--glob-pathspecs|--icase-pathspecs|--no-optional-locks)$/.test(
        text ?? '',
      ) ||
      /^--(?:git-dir|work-tree|namespace)=/.test(lead)
    )
      continue
    else if (/^(?:--version|-v|--help|-h|--html-path|--man-path|--info-path|--exec-path)$/.test(text ?? ''))
      return read('only says what it is')
    else if (text?.startsWith('-') === true) return dangerous(`has the option ${text.slice(0, 40)}, which can change what git runs`)
    else break
  }
  const command = words[at]?.text
  if (command === undefined) return worst(own, read('only says what it is'))
  return worst(own, judgeSubcommand(command, words.slice(at + 1)))
}

function judgeSubcommand(command: string, words: readonly Word[]): Verdict {
  if (command === 'ls-remote' && words.some((word) => word.pattern.includes('::') || word.substitution))
    return dangerous('runs another program')
  if (GIT_READS.has(command)) {
    const harm =
      command === 'grep' ? { ...GIT_HARM, '-O': GIT_HARM['--open-files-in-pager'] ?? ['dangerous', 'runs another program'] } : GIT_HARM
    return judgeReader(
      {
        reason: `git ${command} reads a repository`,
        harm: command === 'rev-parse' ? {} : harm,
        values: command === 'grep' ? 'ABCefm' : 'GSULO',
      },
      words,
    )
  }
  const [first] = words
  const list = GIT_LISTS[command]
  const second = first?.text === undefined ? undefined : `${command} ${first.text}`
  if (list !== undefined && words.every((word) => word.text !== undefined && list.test(word.text))) {
    if (command !== 'config' || words.some((word) => /^(?:--list|-l|list)$/.test(word.text ?? ''))) {
      if (!(words.length === 0 && (command === 'stash' || command === 'worktree'))) return read(`git ${command} lists`)
    }
  }
  if (second !== undefined && GIT_SECOND.has(second)) return judgeReader({ reason: `git ${second} lists`, harm: GIT_HARM }, words.slice(1))
  if (second === 'config --global' && /^(?:--get|--list|-l|--get-all)$/.test(words[1]?.text ?? '')) return read('git config shows settings')
  if (command === 'archive' && !words.some((word) => /^(?:-[a-z]*o|--out|--rem|--exec)/.test(word.lead) || mayBecomeOption(word)))
    return read('git archive prints files')
  if (command === 'clean' && words.some((word) => /^(?:-[a-z]*n[a-z]*|--dry-run)$/.test(word.text ?? '')))
    return read('git clean only says what it would delete')
  for (const [name, form, reason] of GIT_DANGEROUS) {
    if (name === command && (words.length === 0 ? form.test('') && form.source === '.*' : words.some((word) => form.test(word.pattern))))
      return dangerous(reason)
  }
  return write(`git ${command.slice(0, 40)} changes a repository`)
}
