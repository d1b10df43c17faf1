/** `adjutant audit`: whether logs are whole, and what they tell. Reads files and changes nothing. */
import { resolve } from 'node:path'
import { AdjutantError, type AuditRecord, type AuditReport, systemClock } from '@adjutant/core'
import { type Command, InvalidArgumentError } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { auditFolderBeside } from '../config/audit-folder.ts'
import { loadConfig } from '../config/load-config.ts'
import { personOf } from '../config/principal.ts'
import { printableLine } from '../terminal/printable.ts'
import { openConfiguredStore } from '../work/open-configured-store.ts'
import { type AuditLog, logsOfFolder, logsOfStore } from './audit-logs.ts'
import { type CallRow, CallRows, milliseconds, type TimelineRow, timelineRow } from './audit-timeline.ts'
import { writeColumns } from './listing.ts'
import { usage } from './shared-options.ts'

/** Where the key of sealed logs is: never on the command line, where others see it. */
const KEY_VARIABLE = 'ADJUTANT_AUDIT_KEY'

const VERIFY_HELP = `
LOG is a session's id or a file; without one, all logs of the folder are checked. Each changed, removed, inserted or moved record is found
and named. What was cut off at the end is found with --head, a hash that you noted elsewhere, or with --strict, which takes a log that was
not closed for broken. Logs that were sealed with a key need it in the environment variable ${KEY_VARIABLE}.
With --json one document: {"ok","logs":[{"file","ok","records","head","closed","problems":[…]}]}.
Exit: 0 all whole, 1 a log is broken or is not there, 2 wrong usage.

Example:
  adjutant audit verify session_1 --head sha256:9f2c…`

const SHOW_HELP = `
LOG is a session's id or a file; without one, the log that was written last is shown. Times are UTC. --since takes a time
(2026-11-30T08:00) or an age (90m, 12h, 7d). With --json JSON lines: the records as they are, or one line for each call.
Exit: 0 shown, 1 there is no such log, 2 wrong usage.

Example:
  adjutant audit show --calls --since 2h`

export function addAuditCommand(program: Command, io: CliIo): void {
  const audit = program
    .command('audit')
    .description('check that audit logs are whole, or show what they tell')
    .addHelpText('after', '\nExample:\n  adjutant audit verify')
  withLog(audit.command('verify').description('find out whether a log was changed'))
    .option('--head <hash>', 'a hash that the log must hold', hashOption)
    .option('--strict', 'a log that was not closed is broken')
    .option('--json', 'print one JSON document')
    .addHelpText('after', VERIFY_HELP)
    .action(async (log: string | undefined, _options, self: Command) => verify(io, log, self.optsWithGlobals()))
  withLog(audit.command('show').description('show what happened in a session'))
    .option('--calls', 'one row for each call: who, what, decision, outcome')
    .option('--since <time>', 'only what is younger', sinceOption)
    .option('--json', 'print JSON lines')
    .addHelpText('after', SHOW_HELP)
    .action(async (log: string | undefined, _options, self: Command) => show(io, log, self.optsWithGlobals()))
}

type Options = Readonly<Record<string, unknown>>

function withLog(command: Command): Command {
  return command
    .argument('[log]', 'a session id, or the file of a log')
    .option('--folder <path>', 'the folder of audit logs (default: the one that run and exec write to)')
    .option('--store [url]', 'logs that are kept in a store, and not in files (default: that of the configuration)')
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the workspace that the command was run for (default: that of the configuration, or this folder)')
}

function hashOption(text: string): string {
  if (/^(?:hmac-)?sha256:[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('It must be sha256: or hmac-sha256: and 64 hex digits, as verify prints it.')
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds since 1970. */
function sinceOption(text: string): number {
  const age = /^(\d{1,9})([smhd])$/.exec(text)
  if (age !== null) return systemClock.now() - Number(age[1]) * (UNITS[age[2] ?? ''] ?? 0)
  // Without a zone it is UTC, as all times of a log are.
  const time = /^\d{4}-\d\d-\d\d/.test(text)
    ? Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`)
    : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError('It must be a time like 2026-11-30T08:00, or an age like 90m, 12h or 7d.')
}

/** What was named, else where `run` and `exec` would write with this configuration. @throws AdjutantError CONFIG_INVALID */
async function folderOf(io: CliIo, options: Options): Promise<string> {
  if (typeof options.folder === 'string') return resolve(io.cwd, options.folder)
  const { config, workspace } = options
  const loaded = await loadConfig(io, typeof config === 'string' ? config : undefined, typeof workspace === 'string' ? { workspace } : {})
  return loaded.auditFolder ?? auditFolderBeside(loaded.sessionsFolder)
}

/** Works with the logs that are meant, of the store where one is named, else of the folder. */
async function withLogs(
  io: CliIo,
  log: string | undefined,
  options: Options,
  work: (logs: readonly AuditLog[], place: string) => Promise<void>,
): Promise<void> {
  if (options.store === undefined) {
    const folder = await folderOf(io, options)
    await work(await logsOfFolder(folder, io.cwd, log), folder)
    return
  }
  const { config, workspace, store: place } = options
  const loaded = await loadConfig(io, typeof config === 'string' ? config : undefined, typeof workspace === 'string' ? { workspace } : {})
  await using store = await openConfiguredStore(io, loaded, typeof place === 'string' ? place : undefined)
  await work(await logsOfStore(store, personOf(loaded, undefined).principal.tenantId, log), store.database.shown)
}

function verify(io: CliIo, log: string | undefined, options: Options): Promise<void> {
  return withLogs(io, log, options, (logs, place) => verifyLogs(io, log, options, logs, place))
}

async function verifyLogs(io: CliIo, log: string | undefined, options: Options, logs: readonly AuditLog[], place: string): Promise<void> {
  const { head, strict, json } = options
  if (typeof head === 'string' && log === undefined) throw usage('--head is the end of one log', 'Name the session or the file as well.')
  const key = io.env[KEY_VARIABLE]
  const reports: { readonly file: string; readonly report: AuditReport }[] = []
  for (const { name: path, sessionId, verify: check } of logs) {
    const report = await check({
      ...(key === undefined ? {} : { key }),
      ...(typeof head === 'string' ? { head } : {}),
      // A file that was put in another one's place.
      ...(sessionId === '' ? {} : { sessionId }),
      closed: strict === true,
    })
    reports.push({ file: path, report })
    if (json !== true) await tellReport(io, path, report)
  }
  const ok = reports.every(({ report }) => report.ok)
  if (json === true) await writeJson(io.stdout, { ok, logs: reports.map(({ file, report }) => ({ file, ...report })) })
  else if (logs.length === 0) await write(io.stderr, `There are no audit logs in ${printableLine(place)}.\n`)
  if (!ok) io.exit(1)
}

async function tellReport(io: CliIo, path: string, report: AuditReport): Promise<void> {
  const { ok, records, head, closed, keyed, problems, firstAt, lastAt, erased } = report
  await write(io.stdout, `${ok ? 'whole ' : 'BROKEN'}  ${printableLine(path)}\n`)
  for (const { record, message } of problems)
    await write(io.stdout, `        ${record === 0 ? 'log' : `line ${record}`}: ${printableLine(message)}\n`)
  const count = records === 1 ? '1 record' : `${records} records`
  const times = firstAt === undefined || lastAt === undefined ? '' : `, ${shortTime(firstAt)} to ${shortTime(lastAt)}`
  const gone = erased === undefined ? '' : `, ${erased} erased on request`
  const end = closed ? ', closed' : records === 0 ? '' : ', not closed: the session runs, was killed, or the end was cut off'
  await write(io.stdout, `        ${printableLine(`${count}${times}${gone}${end}${keyed ? ', sealed with the key' : ''}`)}\n`)
  if (head !== undefined) await write(io.stdout, `        head ${head}\n`)
}

function shortTime(at: string): string {
  return at.replace('T', ' ').replace(/\.\d+Z$/, '')
}

function show(io: CliIo, log: string | undefined, options: Options): Promise<void> {
  return withLogs(io, log, options, (logs, place) => showLog(io, options, logs, place))
}

async function showLog(io: CliIo, options: Options, [file]: readonly AuditLog[], place: string): Promise<void> {
  if (file === undefined) {
    throw new AdjutantError('NOT_FOUND', `there are no audit logs in ${place}`, {
      hint: 'Name the folder with --folder, or the store with --store.',
    })
  }
  const since = typeof options.since === 'number' ? options.since : Number.NEGATIVE_INFINITY
  const records: AuditRecord[] = []
  let unreadable = 0
  for await (const read of file.records()) {
    if (!read.ok) unreadable += 1
    else if (Date.parse(read.record.at) >= since) records.push(read.record)
  }
  if (options.calls === true) await showCalls(io, records, options.json === true)
  else if (options.json === true) for (const record of records) await writeJson(io.stdout, record)
  else await showTimeline(io, records)
  const key = io.env[KEY_VARIABLE]
  const report = await file.verify(key === undefined ? {} : { key })
  if (unreadable > 0 || report.problems.some(({ kind }) => kind !== 'unchecked')) {
    await write(
      io.stderr,
      `! this log is broken: see adjutant audit verify ${printableLine(file.sessionId === '' ? file.name : file.sessionId)}\n`,
    )
  }
}

async function showTimeline(io: CliIo, records: readonly AuditRecord[]): Promise<void> {
  let who = ''
  let rows: TimelineRow[] = []
  for (const record of records) {
    const { sessionId, tenant, user, traceId } = record
    const now = `session ${sessionId}  user ${user}  tenant ${tenant}  trace ${traceId}`
    if (now !== who) {
      await writeColumns(io, rows)
      await write(io.stdout, `${rows.length > 0 ? '\n' : ''}${printableLine(now)}\n`)
      rows = []
      who = now
    }
    rows.push(timelineRow(record))
  }
  await writeColumns(io, rows)
}

async function showCalls(io: CliIo, records: readonly AuditRecord[], json: boolean): Promise<void> {
  const calls = new CallRows()
  const rows: CallRow[] = []
  for (const record of records) {
    const row = calls.take(record)
    if (row !== undefined) rows.push(row)
  }
  rows.push(...calls.rest())
  if (json) {
    for (const row of rows) await writeJson(io.stdout, row)
    return
  }
  if (rows.length === 0) return
  await writeColumns(io, [
    ['time (UTC)', 'user', 'tool', 'effect', 'decision', 'approval', 'outcome', 'took', 'arguments'],
    ...rows.map((row) => [
      shortTime(row.at),
      row.user,
      row.tool,
      row.effect === '' ? '-' : row.effect,
      row.decision,
      row.approval === '' ? '-' : row.approval,
      row.outcome === '' ? 'no result' : row.outcome,
      row.durationMs === undefined ? '-' : milliseconds(row.durationMs),
      row.arguments,
    ]),
  ])
}
