/** All programs with rules of their own. */
import type { Judge } from '../setting.ts'
import { ARCHIVE_JUDGES } from './archives.ts'
import { judgeAwk } from './awk.ts'
import { BUILTIN_JUDGES } from './builtins.ts'
import { FILE_JUDGES } from './files.ts'
import { judgeFind } from './find.ts'
import { judgeGit } from './git.ts'
import { NETWORK_JUDGES } from './network.ts'
import { RUNNER_JUDGES } from './runners.ts'
import { judgeSed } from './sed.ts'
import { SHELL_JUDGES } from './shells.ts'
import { SUBCOMMAND_JUDGES } from './subcommands.ts'

export const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...Object.entries({
    ...ARCHIVE_JUDGES,
    ...BUILTIN_JUDGES,
    ...FILE_JUDGES,
    ...NETWORK_JUDGES,
    ...RUNNER_JUDGES,
    ...SHELL_JUDGES,
    ...SUBCOMMAND_JUDGES,
    find: judgeFind,
    gfind: judgeFind,
    git: judgeGit,
    sed: judgeSed,
    gsed: judgeSed,
    awk: judgeAwk,
    gawk: judgeAwk,
    mawk: judgeAwk,
    nawk: judgeAwk,
  }),
])
