/** `adjutant sessions`: the sessions that outlive their processes: what there is, what was said, going on with one. */
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { AdjutantError, type SessionId, type StepRecord, sessionId } from '@adjutant/core'
import { eraseSession, exportSession } from '@adjutant/store'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { resumeSession } from '../work/resume-session.ts'
import { writeColumns } from './listing.ts'
import { stepLine } from './session-lines.ts'
import { positiveInteger, usage } from './shared-options.ts'
import { addStoreOptions, type StoreDesk, shownTime, text, withStore } from './store-desk.ts'

const HELP = `
Sessions are kept by run and exec with --store, with --detach, or with "store" in the configuration.

Example:
  adjutant sessions list`

const RESUME_HELP = `
Takes the session over from a process that left it, was killed, or paused: what has its result keeps it, what was approved runs as it was
approved, what was running when the process died is settled first. With TASK the session gets its next task; without, it goes on with the one it has.

Exit: as run. 1 when another process has it, or there is nothing to go on with.

Example:
  adjutant sessions resume session_1 --model openai:gpt-5`

export function addSessionsCommand(program: Command, io: CliIo): void {
  const sessions = program.command('sessions').description('look at sessions that are kept, and carry them on').addHelpText('after', HELP)
  addStoreOptions(sessions.command('list').description('the sessions there are, the one that changed last first'))
    .addOption(new Option('--state <state>', 'only these').choices(['open', 'waiting', 'idle', 'ended']))
    .option('--limit <n>', 'at most so many (default: 100)', positiveInteger)
    .option('--after <place>', 'the next page: what the page before gave as "next"')
    .addHelpText('after', '\nExample:\n  adjutant sessions list --state waiting')
    .action((_options, self: Command) => withStore(io, self, (desk) => list(io, desk, self)))
  addStoreOptions(sessions.command('show').argument('<id>').description('what a session is, and what was said last'))
    .addHelpText('after', '\nExample:\n  adjutant sessions show session_1')
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => show(io, desk, id)))
  addStoreOptions(sessions.command('resume').argument('<id>').argument('[task]').description('carry a session on'))
    .option('--model <spec>', 'which model decides (default: the one of the configuration)')
    .option('--system <text>', 'system prompt')
    .option('--max-rounds <n>', 'rounds of calls before the model has to answer (default: 8)', positiveInteger)
    .option('--detach', 'leave when a person must decide, instead of asking here')
    .addHelpText('after', RESUME_HELP)
    .action((id: string, task: string | undefined, _options, self: Command) =>
      withStore(io, self, (desk) => resume(io, desk, self, id, task)),
    )
  addStoreOptions(sessions.command('replay').argument('<id>').description('all steps of a session, in order, as they were kept'))
    .option('--follow', 'go on with what is kept from now on, until the session ends')
    .addHelpText('after', '\nExample:\n  adjutant sessions replay session_1 --follow')
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => replay(io, desk, id, self.opts().follow === true)))
  addStoreOptions(sessions.command('export').argument('<id>').description('all that is kept of a session, as JSON lines'))
    .option('--out <file>', 'write it there (default: stdout)')
    .addHelpText('after', '\nExample:\n  adjutant sessions export session_1 --out session_1.jsonl')
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => exportTo(io, desk, id, text(self.opts().out))))
  addStoreOptions(sessions.command('erase').argument('<id>').description('remove all that is kept of a session'))
    .option('--yes', 'really')
    .addHelpText(
      'after',
      '\nWhat stays of it in the audit log is written in docs/reference/store.md.\n\nExample:\n  adjutant sessions erase session_1 --yes',
    )
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => erase(io, desk, id, self.opts().yes === true)))
}

async function list(io: CliIo, { store, principal, json }: StoreDesk, command: Command): Promise<void> {
  const { state, limit, after } = command.opts()
  const page = await store.sessions.list(principal.tenantId, {
    ...(isState(state) ? { state } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
    ...(typeof after === 'string' ? { after } : {}),
  })
  if (json) {
    await writeJson(io.stdout, page)
    return
  }
  await writeColumns(
    io,
    page.items.map((each) => [
      each.sessionId,
      each.state,
      shownTime(each.updatedAt),
      each.holder === undefined ? '' : `with ${each.holder.node}`,
      each.title ?? '',
    ]),
  )
  if (page.items.length === 0) await write(io.stderr, 'There are no sessions.\n')
  if (page.next !== undefined) await write(io.stderr, `There are more: --after ${page.next}\n`)
}

async function show(io: CliIo, { store, principal, json }: StoreDesk, name: string): Promise<void> {
  const id = idOf(name)
  const key = { tenantId: principal.tenantId, sessionId: id }
  const loaded = await store.sessions.find(key)
  if (loaded === undefined) throw unknownSession(name)
  const waiting = (await store.sessions.approvals.list(principal.tenantId, { sessionId: id, state: 'pending' })).items
  if (json) {
    await writeJson(io.stdout, { ...loaded.session, waiting: waiting.map((each) => each.id) })
    return
  }
  const { session } = loaded
  const rows: (readonly string[])[] = [
    ['session', session.sessionId],
    ['state', session.state],
    ['user', `${session.principal.userId} of ${session.principal.tenantId}`],
    ['began', shownTime(session.createdAt)],
    ['changed', shownTime(session.updatedAt)],
    ['steps', `${session.steps}`],
  ]
  if (session.holder !== undefined) rows.push(['held by', `${session.holder.node}, until ${shownTime(session.holder.until)}`])
  for (const { id: approval, tool, reason } of waiting) rows.push(['waits for', `${approval}: ${tool}, ${reason}`])
  await writeColumns(io, rows)
  const last: StepRecord[] = []
  for await (const step of store.sessions.steps(key)) {
    last.push(step)
    if (last.length > 12) last.shift()
  }
  await write(io.stdout, '\n')
  for (const step of last) await writeStep(io, step)
}

async function resume(io: CliIo, desk: StoreDesk, command: Command, name: string, task: string | undefined): Promise<void> {
  const { model, system, maxRounds, detach } = command.opts()
  await resumeSession(io, {
    shared: desk.shared,
    config: desk.config,
    model: text(model),
    system: text(system) ?? desk.config.system,
    maxRounds: typeof maxRounds === 'number' ? maxRounds : desk.config.maxRounds,
    stdinIsData: false,
    ...(task === undefined ? {} : { task }),
    durable: { store: desk.store, id: idOf(name), defers: detach === true },
  })
}

async function replay(io: CliIo, { store, principal, json }: StoreDesk, name: string, follow: boolean): Promise<void> {
  const key = { tenantId: principal.tenantId, sessionId: idOf(name) }
  if ((await store.sessions.find(key)) === undefined) throw unknownSession(name)
  const tell = (step: StepRecord): Promise<void> => (json ? writeJson(io.stdout, step) : writeStep(io, step))
  if (follow) for await (const { step } of store.sessions.follow(key, { signal: io.signal })) await tell(step)
  else for await (const step of store.sessions.steps(key)) await tell(step)
}

async function exportTo(io: CliIo, { store, principal, json }: StoreDesk, name: string, out: string | undefined): Promise<void> {
  const subject = { tenantId: principal.tenantId, sessionId: idOf(name) }
  if (out === undefined) {
    await exportSession(store.database, subject, (line) => write(io.stdout, `${line}\n`))
    return
  }
  // Never over another file: an export may be all that is left of a session.
  const file = createWriteStream(resolve(io.cwd, out), { flags: 'wx', mode: 0o600 })
  const failed = new Promise<never>((_resolve, reject) => file.on('error', reject))
  failed.catch(() => {})
  const report = await Promise.race([exportSession(store.database, subject, (line) => write(file, `${line}\n`)), failed])
  await Promise.race([new Promise<void>((done) => file.end(done)), failed])
  if (json) await writeJson(io.stdout, { file: resolve(io.cwd, out), ...report })
  else await write(io.stderr, `${report.rows} rows in ${out}\n`)
}

async function erase(io: CliIo, { store, principal, json }: StoreDesk, name: string, really: boolean): Promise<void> {
  const subject = { tenantId: principal.tenantId, sessionId: idOf(name) }
  if ((await store.sessions.find(subject)) === undefined) throw unknownSession(name)
  if (!really) throw usage(`${name} would be gone for good`, 'Export it first if you need it; then give --yes.')
  const report = await eraseSession(store.database, subject)
  if (json) await writeJson(io.stdout, report)
  else await write(io.stderr, `${name} is erased.\n`)
}

async function writeStep(io: CliIo, step: StepRecord): Promise<void> {
  const line = stepLine(step)
  if (line !== undefined) await write(io.stdout, `${printableLine(line)}\n`)
}

function idOf(name: string): SessionId {
  try {
    return sessionId(name)
  } catch {
    throw usage(`${JSON.stringify(name.slice(0, 60))} is no id of a session`, 'See adjutant sessions list.')
  }
}

function unknownSession(name: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no session ${JSON.stringify(name.slice(0, 80))}`, { hint: 'See adjutant sessions list.' })
}

function isState(value: unknown): value is 'open' | 'waiting' | 'idle' | 'ended' {
  return value === 'open' || value === 'waiting' || value === 'idle' || value === 'ended'
}
