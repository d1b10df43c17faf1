/** `adjutant jobs`: what goes on behind sessions: look at it, end it. */
import { AdjutantError, isJsonObject, isToolJob, sessionId } from '@adjutant/core'
import type { Job, JobState } from '@adjutant/core/contract'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { writeColumns } from './listing.ts'
import { positiveInteger, usage } from './shared-options.ts'
import { addStoreOptions, type StoreDesk, shownTime, text, withStore } from './store-desk.ts'

const HELP = `
Jobs are calls of tools that go on in the background, and the carrying on of sessions. adjutant work does them; run and exec do their own
where it does not run.

Example:
  adjutant jobs list --state running`

const CANCEL_HELP = `
One that has not begun never does. One that runs is told to end: what it did until then stays done.

Exit: 0 cancelled or told, 1 it has ended already or is not there.

Example:
  adjutant jobs cancel job_1`

const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'lost', 'dead'] as const satisfies readonly JobState[]

export function addJobsCommand(program: Command, io: CliIo): void {
  const jobs = program.command('jobs').description('what goes on behind sessions: look at it, end it').addHelpText('after', HELP)
  addStoreOptions(jobs.command('list').description('the jobs there are, the newest first'))
    .addOption(new Option('--state <state>', 'only these').choices(STATES))
    .option('--session <id>', 'only of this session')
    .option('--kind <kind>', 'only of this kind, e.g. session.resume')
    .option('--limit <n>', 'at most so many (default: 100)', positiveInteger)
    .option('--after <place>', 'the next page: what the page before gave as "next"')
    .addHelpText('after', '\nExample:\n  adjutant jobs list --session session_1')
    .action((_options, self: Command) => withStore(io, self, (desk) => list(io, desk, self)))
  addStoreOptions(jobs.command('show').argument('<id>').description('what a job is, and what became of it'))
    .addHelpText('after', '\nExample:\n  adjutant jobs show job_1')
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => show(io, desk, id)))
  addStoreOptions(jobs.command('cancel').argument('<id>').description('end a job'))
    .addHelpText('after', CANCEL_HELP)
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => cancel(io, desk, id)))
}

async function list(io: CliIo, { store, principal, json }: StoreDesk, command: Command): Promise<void> {
  const { state, session, kind, limit, after } = command.opts()
  const found = STATES.find((each) => each === state)
  const page = await store.jobs.list(principal.tenantId, {
    ...(found === undefined ? {} : { state: found }),
    ...(typeof session === 'string' ? { sessionId: sessionOf(session) } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
    ...(typeof after === 'string' ? { after } : {}),
  })
  if (json) {
    await writeJson(io.stdout, page)
    return
  }
  await writeColumns(
    io,
    page.items.map((job) => [
      job.id,
      job.cancelling === true ? 'ending' : job.state,
      shownTime(job.createdAt),
      job.sessionId ?? '',
      whatOf(job),
    ]),
  )
  if (page.items.length === 0) await write(io.stderr, 'There are none.\n')
  if (page.next !== undefined) await write(io.stderr, `There are more: --after ${page.next}\n`)
}

async function show(io: CliIo, { store, principal, json }: StoreDesk, id: string): Promise<void> {
  const job = await store.jobs.get(principal.tenantId, id)
  if (job === undefined) throw unknown(id)
  if (json) {
    await writeJson(io.stdout, job)
    return
  }
  const rows: (readonly string[])[] = [
    ['job', job.id],
    ['what', whatOf(job)],
    ['state', `${job.state}${job.cancelling === true && job.endedAt === undefined ? ', told to end' : ''}`],
    ['attempt', `${job.attempt} of ${job.maxAttempts}`],
    ['made', shownTime(job.createdAt)],
  ]
  if (job.sessionId !== undefined) rows.push(['session', job.sessionId])
  if (job.state === 'queued' && job.runAt > job.createdAt) rows.push(['not before', shownTime(job.runAt)])
  if (job.startedAt !== undefined) rows.push(['begun', shownTime(job.startedAt)])
  if (job.progress !== undefined && job.endedAt === undefined) rows.push(['progress', JSON.stringify(job.progress)])
  if (job.endedAt !== undefined) rows.push(['ended', shownTime(job.endedAt)])
  if (job.error !== undefined) rows.push(['why', `${job.error.code}: ${job.error.message}`])
  await writeColumns(io, rows)
  if (job.result === undefined) return
  const said = isJsonObject(job.result) ? text(job.result.text) : undefined
  const lines = (said ?? JSON.stringify(job.result, null, 2)).split('\n')
  await write(io.stdout, `\n${lines.map(printableLine).join('\n')}\n`)
}

async function cancel(io: CliIo, { store, principal, json }: StoreDesk, id: string): Promise<void> {
  const job = await store.jobs.cancel(principal.tenantId, id)
  if (json) await writeJson(io.stdout, job)
  else await write(io.stderr, job.endedAt === undefined ? `${printableLine(id)} is told to end.\n` : `${printableLine(id)} is cancelled.\n`)
}

/** For people: the tool of a call, else the kind. */
function whatOf({ kind, payload }: Job): string {
  return isToolJob(kind) && typeof payload.name === 'string' ? payload.name : kind
}

function sessionOf(name: string): ReturnType<typeof sessionId> {
  try {
    return sessionId(name)
  } catch {
    throw usage(`${JSON.stringify(name.slice(0, 60))} is no id of a session`, 'See adjutant sessions list.')
  }
}

function unknown(id: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no job ${JSON.stringify(id.slice(0, 80))}`, { hint: 'See adjutant jobs list.' })
}
