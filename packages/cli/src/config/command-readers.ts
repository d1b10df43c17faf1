/** The readers of commands, opened once for the process: their parsers take a while to load, and most sessions need none. */
import type { CommandLanguage, ReadCommand } from '@adjutant/core'
import type { CommandReaders } from '@adjutant/tools/commands'

let opening: Promise<CommandReaders> | undefined

async function open(): Promise<CommandReaders> {
  const { openCommandReaders } = await import('@adjutant/tools/commands')
  return openCommandReaders()
}

/** @throws Error when the file of a grammar cannot be read */
export async function commandReaders(): Promise<Readonly<Record<CommandLanguage, ReadCommand>>> {
  opening ??= open()
  const readers = await opening
  return {
    bash: readers.bash,
    sql: readers.sql('any'),
    'sql:postgresql': readers.sql('postgresql'),
    'sql:sqlite': readers.sql('sqlite'),
  }
}
