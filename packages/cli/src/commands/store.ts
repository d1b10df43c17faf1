/** `adjutant store`: the database of what outlives the process. */
import { resolve } from 'node:path'
import { backup, check, migrate } from '@adjutant/store'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { openConfiguredStore } from '../work/open-configured-store.ts'
import { configOf } from '../work/open-work.ts'
import { sharedOptions } from './shared-options.ts'
import { addStoreOptions, text } from './store-desk.ts'

export function addStoreCommand(program: Command, io: CliIo): void {
  const store = program
    .command('store')
    .description('bring the database of what is kept up to date, check it, back it up')
    .addHelpText('after', '\nExample:\n  adjutant store check --store postgres://adjutant@db/agents')
  addStoreOptions(store.command('migrate').description('bring the tables to the version of this program'))
    .addHelpText('after', '\nForward only. Several processes at once: one does it, the others wait.\n\nExample:\n  adjutant store migrate')
    .action((_options, self: Command) => doMigrate(io, self))
  addStoreOptions(store.command('check').description('find what is damaged, missing or not as it should be'))
    .addHelpText('after', '\nChanges nothing. Exit: 0 nothing found, 1 something is wrong.\n\nExample:\n  adjutant store check --json')
    .action((_options, self: Command) => doCheck(io, self))
  addStoreOptions(store.command('backup').argument('<file>', 'a new file').description('copy all that is kept, while it is used'))
    .addHelpText('after', '\nOf SQLite a database file, of PostgreSQL JSON lines.\n\nExample:\n  adjutant store backup adjutant-backup.db')
    .action((file: string, _options, self: Command) => doBackup(io, self, file))
}

async function open(io: CliIo, command: Command, how: 'auto' | 'leave'): Promise<Awaited<ReturnType<typeof openConfiguredStore>>> {
  const config = await configOf(io, sharedOptions(command))
  return openConfiguredStore(io, config, text(command.optsWithGlobals().store), how)
}

async function doMigrate(io: CliIo, command: Command): Promise<void> {
  await using store = await open(io, command, 'leave')
  const outcome = await migrate(store.database)
  if (sharedOptions(command).json === true) await writeJson(io.stdout, outcome)
  else if (outcome.applied.length === 0) await write(io.stderr, `The tables have version ${outcome.to} already.\n`)
  else await write(io.stderr, `From version ${outcome.from} to ${outcome.to}: ${outcome.applied.join(', ')}.\n`)
}

async function doCheck(io: CliIo, command: Command): Promise<void> {
  await using store = await open(io, command, 'leave')
  const report = await check(store.database)
  if (sharedOptions(command).json === true) await writeJson(io.stdout, report)
  else {
    for (const { severity, check: what, message, hint } of report.findings) {
      await write(io.stdout, `${severity}  ${what}: ${printableLine(message)}\n  ${printableLine(hint)}\n`)
    }
    await write(io.stderr, report.findings.length === 0 ? `Nothing found in ${printableLine(store.database.shown)}.\n` : '')
  }
  if (!report.ok) io.exit(1)
}

async function doBackup(io: CliIo, command: Command, file: string): Promise<void> {
  await using store = await open(io, command, 'auto')
  const report = await backup(store.database, resolve(io.cwd, file))
  if (sharedOptions(command).json === true) await writeJson(io.stdout, report)
  else await write(io.stderr, `${printableLine(report.file)}${report.rows === undefined ? '' : `: ${report.rows} rows`}\n`)
}
