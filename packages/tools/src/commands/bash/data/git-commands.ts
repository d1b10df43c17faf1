/** Data: what the subcommands of git do. */
import type { Effect } from '../verdict.ts'

type Harm = readonly [Effect, string]

const FILE: Harm = ['write', 'writes a file']
const RUNS: Harm = ['dangerous', 'runs another program']

/** Options that any reading subcommand might take. */
export const GIT_HARM: Readonly<Record<string, Harm>> = {
  '--output': FILE,
  '--ext-diff': RUNS,
  '--textconv': RUNS,
  '--filters': RUNS,
  '--open-files-in-pager': RUNS,
  '--upload-pack': RUNS,
  '--receive-pack': RUNS,
  '--exec': RUNS,
  '--lost-found': FILE,
  '--web': RUNS,
}

/** They read whatever else they are given. */
export const GIT_READS: ReadonlySet<string> = new Set(
  (
    'status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file show-ref show-branch name-rev merge-base for-each-ref diff-tree ' +
    'diff-files diff-index diff-pairs count-objects whatchanged range-diff cherry check-ignore check-attr check-mailmap check-ref-format verify-commit verify-tag verify-pack var version ' +
    'grep get-tar-commit-id patch-id stripspace fsck ls-remote column merge-tree'
  ).split(' '),
)

/** They read only when every word after them is one of these forms; `git branch NAME` makes a branch. */
export const GIT_LISTS: Readonly<Record<string, RegExp>> = {
  branch:
    /^(?:-[avrqi]+|-vv|--(?:list|all|remotes|show-current|verbose|no-color|color|column|no-column|sort=.*|format=.*|points-at=.*|contains=.*|merged=.*|no-merged=.*|abbrev(?:=.*)?))$/,
  tag: /^(?:-n\d*|--(?:column|no-column|sort=.*|format=.*|points-at=.*|contains=.*|merged=.*|no-merged=.*|color|no-color))$/,
  remote: /^(?:-v|--verbose)$/,
  stash: /^$/,
  reflog: /^(?:show|-n\d*|-\d+|--(?:oneline|all|date=.*|format=.*|pretty=.*|no-abbrev|abbrev(?:=\d+)?)|HEAD.*)$/,
  worktree: /^$/,
  submodule: /^(?:status|summary|--recursive|--cached)$/,
  bisect: /^(?:log|view|visualize)$/,
  notes: /^(?:list|show)$/,
  config:
    /^(?:--list|-l|list|get|--show-origin|--show-scope|--name-only|-z|--null|--global|--local|--system|--get|--get-all|--get-regexp|--includes)$/,
  help: /^[a-z-]+$/,
  'symbolic-ref': /^(?:--short|-q|HEAD)$/,
  lfs: /^(?:ls-files|status|env|version)$/,
}

/** `git <subcommand> <word>` that reads whatever follows. */
export const GIT_SECOND: ReadonlySet<string> = new Set([
  'branch --list',
  'branch -l',
  'branch --contains',
  'branch --merged',
  'branch --no-merged',
  'tag -l',
  'tag --list',
  'tag --contains',
  'tag --points-at',
  'remote show',
  'remote get-url',
  'stash list',
  'stash show',
  'worktree list',
  'config --get',
  'config --get-all',
  'config --get-regexp',
  'config get',
  'notes show',
])

/** What cannot be undone, or reaches others. Each: the subcommand, a form that one of its words has, and why. */
export const GIT_DANGEROUS: readonly (readonly [string, RegExp, string])[] = [
  ['push', /^(?:-[a-zA-Z]*[fd]|--force.*|--delete|--mirror|--prune|\+.+|:.+)$/, 'overwrites or deletes what others have'],
  ['push', /^--(?:rec|exe).*/, 'runs another program'],
  ['fetch', /^--upl.*/, 'runs another program'],
  ['pull', /^--upl.*/, 'runs another program'],
  ['clone', /^(?:-u.*|--upl.*|-c.*|--conf.*|ext::.*|--template.*)$/, 'runs another program'],
  ['reset', /^--(?:hard|merge|keep)$/, 'throws changes away'],
  ['clean', /^(?:-[a-zA-Z]*[fdxX][a-zA-Z]*|--force)$/, 'deletes files, which cannot be undone'],
  ['checkout', /^(?:--|\.|-f|--force|-B|--ours|--theirs|-[a-zA-Z]*f)$/, 'throws changes away'],
  ['switch', /^(?:-f|--force|--discard-changes|-C|--force-create)$/, 'throws changes away'],
  ['restore', /^(?!--staged$|-S$).*/, 'throws changes away'],
  ['branch', /^(?:-[a-zA-Z]*[DdMCf]|--delete|--force)$/, 'deletes or overwrites a branch'],
  ['tag', /^(?:-d|-f|--delete|--force)$/, 'deletes or overwrites a tag'],
  ['stash', /^(?:drop|clear|pop)$/, 'throws changes away'],
  ['reflog', /^(?:expire|delete)$/, 'deletes the way back'],
  ['worktree', /^(?:remove|prune)$/, 'deletes a folder'],
  ['remote', /^(?:remove|rm|set-url|prune)$/, 'changes where pushes go'],
  ['update-ref', /.*/, 'overwrites what a name stands for'],
  ['filter-branch', /.*/, 'rewrites history and runs commands'],
  ['filter-repo', /.*/, 'rewrites history'],
  ['gc', /^--(?:prune.*|aggressive)$/, 'deletes the way back'],
  ['prune', /.*/, 'deletes the way back'],
  ['rebase', /^(?:-x.*|--exec.*|-i|--interactive|--root|-f|--force-rebase)$/, 'rewrites history or runs commands'],
  ['bisect', /^run$/, 'runs commands'],
  ['submodule', /^foreach$/, 'runs commands'],
  ['config', /^(?!--(?:list|get|show|name|null|global|local|system|unset$)).*/, 'changes settings that can run programs'],
  ['rm', /.*/, 'deletes files'],
  ['daemon', /.*/, 'opens a way in for others'],
  ['instaweb', /.*/, 'opens a way in for others'],
  ['difftool', /.*/, 'runs another program'],
  ['mergetool', /.*/, 'runs another program'],
  ['credential', /.*/, 'shows or changes passwords'],
  ['hook', /.*/, 'runs another program'],
]
