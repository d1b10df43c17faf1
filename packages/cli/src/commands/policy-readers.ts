/** The readers of commands that rules on commands need. Opened when there is such a rule: the parsers take a while to load. */
import type { LoadPolicyOptions } from '@adjutant/core'

export const openReaders: NonNullable<LoadPolicyOptions['openCommands']> = async () => {
  const { openCommandReaders } = await import('@adjutant/tools/commands')
  const { bash, sql } = await openCommandReaders()
  return { bash, sql: sql('any'), 'sql:postgresql': sql('postgresql'), 'sql:sqlite': sql('sqlite') }
}
