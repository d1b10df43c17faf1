/** `adjutant work`: a process without a terminal that does what sessions leave to others, until it is told to stop. */
import { type Command, InvalidArgumentError } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { startWork, WORK_PARTS, type WorkPart, type WorkReport } from '../work/start-work.ts'
import { writeColumns } from './listing.ts'
import { positiveInteger, usage } from './shared-options.ts'
import { addStoreOptions, shownTime, withStore } from './store-desk.ts'

const HELP = `
--for names what it does, of: jobs (calls of tools that go on in the background, of this workspace), sessions (carries them on after a decision or the end of such
a call, with the model of the configuration), notifications (tells who is named under "notify"). Default: all, sessions only where a model is named.
Any number of these processes share a store. It must be named, by --store or in the configuration: sessions that are carried on work in the
workspace of this process.

On SIGTERM or Ctrl-C it takes nothing new and waits for what runs, at most --grace seconds; what then still runs is left to others. A second signal ends it
at once.

Exit: 143 after SIGTERM, 130 after Ctrl-C, 1 when the store cannot be reached at the start, 2 wrong usage.

Example:
  adjutant work --store postgres://adjutant@db/agents --concurrency 8`

export function addWorkCommand(program: Command, io: CliIo): void {
  const command = program.command('work').description('do what sessions leave to others: jobs, carrying on, notifications')
  addStoreOptions(command)
    .option('--model <spec>', 'which model decides in sessions that are carried on (default: the one of the configuration)')
    .option('--concurrency <n>', 'jobs at once (default: 4)', positiveInteger)
    .option('--for <parts>', `what it does: some of ${WORK_PARTS.join(',')}`, parts)
    .option('--grace <seconds>', 'how long what runs is waited for when it is told to stop (default: 30)', positiveInteger)
    .option('--list', 'only say which processes work on the store, and what they have in hand')
    .addHelpText('after', HELP)
    .action((_options, self: Command) => (self.opts().list === true ? list(io, self) : work(io, self)))
}

async function work(io: CliIo, command: Command): Promise<void> {
  const { model, concurrency, for: asked, grace } = command.opts()
  const named = asked === undefined ? undefined : WORK_PARTS.filter((part) => Array.isArray(asked) && asked.includes(part))
  await withStore(io, command, async ({ store, config, shared, json }) => {
    if (command.optsWithGlobals().store === undefined && config.store === undefined) {
      throw usage('no store is named', 'Give --store, or "store" in the configuration: what it does comes from there.')
    }
    const spec = typeof model === 'string' ? model : config.model
    if (spec === undefined && named?.includes('sessions') === true)
      throw usage('no model is named', 'Give --model, or set "model" in the configuration.')
    const does = named ?? WORK_PARTS.filter((part) => part !== 'sessions' || spec !== undefined)
    const report = (one: WorkReport): void => {
      if (json) void writeJson(io.stdout, one)
      else void write(io.stderr, `${printableLine(lineOf(one))}\n`)
    }
    const started = await startWork(io, {
      store,
      config,
      shared,
      does,
      report,
      ...(spec === undefined ? {} : { model: spec }),
      ...(typeof concurrency === 'number' ? { concurrency } : {}),
    })
    report({ type: 'ready', node: started.id, for: does, workspace: config.workspace, store: store.database.shown })
    await stopped(io.signal)
    report({ type: 'leaving', node: started.id })
    const { problems } = await started.stop({ graceMs: (typeof grace === 'number' ? grace : 30) * 1_000 })
    report({ type: 'left', node: started.id, problems })
  })
}

async function list(io: CliIo, command: Command): Promise<void> {
  await withStore(io, command, async ({ store, json }) => {
    const nodes = await store.nodes.list()
    if (json) {
      await writeJson(io.stdout, { nodes })
      return
    }
    await writeColumns(
      io,
      nodes.map(({ id, alive, startedAt, seenAt, sessions, jobs, does }) => [
        id,
        alive ? `since ${shownTime(startedAt)}` : `silent since ${shownTime(seenAt)}`,
        `${sessions} sessions`,
        `${jobs} jobs`,
        does.join(' '),
      ]),
    )
    if (nodes.length === 0) await write(io.stderr, 'No process works on it.\n')
  })
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function lineOf(one: WorkReport): string {
  switch (one.type) {
    case 'ready':
      return `${one.node} works on ${one.store} in ${one.workspace}: ${one.for.join(', ')}`
    case 'leaving':
      return `${one.node} takes nothing more`
    case 'left':
      return one.problems.length === 0 ? `${one.node} has left` : `${one.node} has left: ${one.problems.join('; ')}`
    case 'job':
      return `job ${one.id} (${one.what}), attempt ${one.attempt}: ${one.outcome}${one.why === undefined ? '' : `: ${one.why}`}`
    case 'delivery':
      return `told ${one.target}, attempt ${one.attempt}: ${one.outcome}${one.why === undefined ? '' : `: ${one.why}`}`
    case 'problem':
      return `! ${one.message}`
    default:
      return one satisfies never
  }
}

function parts(text: string): readonly WorkPart[] {
  const named = text.split(',').map((part) => part.trim())
  const wrong = named.find((part) => !WORK_PARTS.some((known) => known === part))
  if (wrong !== undefined) throw new InvalidArgumentError(`There are ${WORK_PARTS.join(', ')}.`)
  return WORK_PARTS.filter((part) => named.includes(part))
}
