/** What commands do: shell commands and SQL are read before they run. Opened once by whoever classifies, decides or shows commands. */
import type { ReadCommand } from '@adjutant/core'
import { openBashReader } from './bash/open-bash-reader.ts'
import { openSqlReader, type SqlDialect } from './sql/index.ts'

export { openBashReader } from './bash/open-bash-reader.ts'
export { type HostKind, type HttpCall, type HttpReading, type HttpReadOptions, hostKindOf, readHttpCall } from './http/index.ts'
export { openSqlReader, type SqlDialect } from './sql/index.ts'

export interface CommandReaders {
  readonly bash: ReadCommand
  /** `any`: the worse of what the dialects that can parse it say. */
  sql(dialect: SqlDialect): ReadCommand
}

/**
 * Loads all parsers, about 150 ms and some megabytes of memory, which live as long as the process; nothing is to be closed.
 *
 * @throws Error when the file of a grammar cannot be read: the installation is broken
 * @example
 * ```ts
 * const readers = await openCommandReaders()
 * readers.bash('ls | xargs rm').effect // 'dangerous'
 * readers.sql('postgresql')('SELECT 1').effect // 'read'
 * ```
 */
export async function openCommandReaders(): Promise<CommandReaders> {
  const [bash, sql] = await Promise.all([openBashReader(), openSqlReader()])
  return { bash, sql }
}
