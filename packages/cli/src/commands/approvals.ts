/** `adjutant approvals`: calls that wait for a person, and the answer to them, from any process and any machine. */
import { userInfo } from 'node:os'
import {
  AdjutantError,
  ApprovalConflict,
  type ApprovalDecision,
  approvalId,
  isJsonObject,
  type StoredApproval,
  sessionId,
} from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { writeColumns } from './listing.ts'
import { positiveInteger, usage } from './shared-options.ts'
import { addStoreOptions, type StoreDesk, shownTime, text, withStore } from './store-desk.ts'

const APPROVE_HELP = `
--scope: "once" this call (default), "call" these very arguments for the rest of the session, "tool" this tool for the rest of the session.
--edit runs the call with other arguments: they are validated, classified and checked again. --version names the one that you looked at:
when it has changed since, nothing is decided.

Exit: 0 decided, 1 somebody else was first, it has expired or is not there, 2 wrong usage.

Example:
  adjutant approvals approve approval_1 --scope once`

const STATES = ['pending', 'approved', 'edited', 'denied', 'expired', 'cancelled'] as const

export function addApprovalsCommand(program: Command, io: CliIo): void {
  const approvals = program
    .command('approvals')
    .description('calls that wait for a person: look at them, approve, deny')
    .addHelpText('after', '\nExample:\n  adjutant approvals list')
  addStoreOptions(approvals.command('list').description('what waits, the longest first'))
    .addOption(new Option('--state <state>', 'which ones').choices([...STATES, 'all']).default('pending'))
    .option('--session <id>', 'only of this session')
    .option('--limit <n>', 'at most so many (default: 100)', positiveInteger)
    .option('--after <place>', 'the next page: what the page before gave as "next"')
    .addHelpText('after', '\nExample:\n  adjutant approvals list --json')
    .action((_options, self: Command) => withStore(io, self, (desk) => list(io, desk, self)))
  addStoreOptions(approvals.command('show').argument('<id>').description('one call with its arguments, and what became of it'))
    .addHelpText('after', '\nExample:\n  adjutant approvals show approval_1')
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => show(io, desk, id)))
  const answer = (name: string, said: string): Command =>
    addStoreOptions(approvals.command(name).argument('<id>').description(said))
      .option('--version <n>', 'only if it is still this version', positiveInteger)
      .option('--by <name>', 'who decides (default: the user of this process)')
  answer('approve', 'let the call run')
    .addOption(new Option('--scope <scope>', 'for how long').choices(['once', 'call', 'tool']).default('once'))
    .option('--edit <json>', 'run it with these arguments instead')
    .addHelpText('after', APPROVE_HELP)
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => decide(io, desk, self, id, approval(self))))
  answer('deny', 'do not let the call run')
    .option('--reason <text>', 'for the model: what it should do instead')
    .addHelpText('after', '\nExample:\n  adjutant approvals deny approval_1 --reason "use the copy in staging"')
    .action((id: string, _options, self: Command) => withStore(io, self, (desk) => decide(io, desk, self, id, denial(self))))
}

async function list(io: CliIo, { store, principal, json }: StoreDesk, command: Command): Promise<void> {
  const { state, session, limit, after } = command.opts()
  const found = STATES.find((each) => each === state)
  const page = await store.sessions.approvals.list(principal.tenantId, {
    ...(found === undefined ? {} : { state: found }),
    ...(typeof session === 'string' ? { sessionId: sessionId(session) } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
    ...(typeof after === 'string' ? { after } : {}),
  })
  if (json) {
    await writeJson(io.stdout, page)
    return
  }
  await writeColumns(
    io,
    page.items.map((each) => [each.id, each.state, shownTime(each.createdAt), each.tool, JSON.stringify(each.shown)]),
  )
  if (page.items.length === 0) await write(io.stderr, found === 'pending' ? 'Nothing waits for a person.\n' : 'There are none.\n')
  if (page.next !== undefined) await write(io.stderr, `There are more: --after ${page.next}\n`)
}

async function show(io: CliIo, { store, principal, json }: StoreDesk, name: string): Promise<void> {
  const found = await store.sessions.approvals.get(principal.tenantId, approvalId(name))
  if (found === undefined) throw unknown(name)
  if (json) await writeJson(io.stdout, found)
  else await tell(io, found)
}

async function tell(io: CliIo, approval: StoredApproval): Promise<void> {
  const { decision } = approval
  const rows: (readonly string[])[] = [
    ['approval', `${approval.id}, version ${approval.version}`],
    ['state', approval.state],
    ['session', approval.sessionId],
    ['call', `${approval.tool} (${approval.callId}), ${approval.effect}`],
    ['why', `${approval.reason} [${approval.rule}]`],
    ['asked', shownTime(approval.createdAt)],
  ]
  if (approval.expiresAt !== undefined) rows.push(['until', shownTime(approval.expiresAt)])
  if (approval.decidedAt !== undefined) rows.push(['decided', `${shownTime(approval.decidedAt)} by ${approval.decidedBy ?? 'nobody'}`])
  if (decision?.type === 'deny' && decision.reason !== undefined) rows.push(['said', decision.reason])
  if (approval.consumedAt !== undefined) rows.push(['taken', shownTime(approval.consumedAt)])
  await writeColumns(io, rows)
  const lines = JSON.stringify(approval.shown, null, 2).split('\n')
  await write(io.stdout, `\n${lines.map(printableLine).join('\n')}\n`)
  if (decision?.type === 'edit') {
    await write(io.stdout, `\ninstead:\n${JSON.stringify(decision.input, null, 2).split('\n').map(printableLine).join('\n')}\n`)
  }
}

async function decide(
  io: CliIo,
  { store, principal, json }: StoreDesk,
  command: Command,
  name: string,
  decision: ApprovalDecision,
): Promise<void> {
  const { version, by } = command.opts()
  try {
    const decided = await store.sessions.approvals.decide(principal.tenantId, approvalId(name), {
      decision,
      by: text(by) ?? userInfo().username,
      ...(typeof version === 'number' ? { version } : {}),
    })
    if (json) await writeJson(io.stdout, decided)
    else
      await write(io.stderr, `${decided.tool} is ${decided.state}. Carry the session on: adjutant sessions resume ${decided.sessionId}\n`)
  } catch (error) {
    if (!(error instanceof ApprovalConflict) || !json) throw error
    await writeJson(io.stdout, { conflict: error.current })
    io.exit(1)
  }
}

function approval(command: Command): ApprovalDecision {
  const { scope, edit } = command.opts()
  if (typeof edit === 'string') {
    if (scope !== 'once') throw usage('other arguments hold once', 'Leave --scope out, or approve the call as it is.')
    return { type: 'edit', input: argumentsOf(edit) }
  }
  return { type: 'approve', scope: scope === 'call' || scope === 'tool' ? scope : 'once' }
}

function argumentsOf(edit: string): Extract<ApprovalDecision, { type: 'edit' }>['input'] {
  let value: unknown
  try {
    value = JSON.parse(edit)
  } catch (error) {
    throw usage(
      `--edit is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      `Give one object, e.g. --edit '{"path":"a.txt"}'.`,
    )
  }
  if (isJsonObject(value)) return value
  throw usage('--edit is no object', `Give the arguments as one object, e.g. --edit '{"path":"a.txt"}'.`)
}

function denial(command: Command): ApprovalDecision {
  const reason = text(command.opts().reason)
  return { type: 'deny', by: 'person', ...(reason === undefined ? {} : { reason }) }
}

function unknown(name: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no approval ${JSON.stringify(name.slice(0, 80))}`, {
    hint: 'See adjutant approvals list --state all.',
  })
}
