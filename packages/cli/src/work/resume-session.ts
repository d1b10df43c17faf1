/** Carries on what another process left: a task with its model, or a batch that came without one. */
import { SessionPaused, toToolMessages } from '@adjutant/core'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { personOf } from '../config/principal.ts'
import { resultsLine } from './json-lines.ts'
import { type DurableWork, openWork } from './open-work.ts'
import { type RunInput, runTask } from './run-task.ts'
import { tellJobs } from './tell-jobs.ts'

export async function resumeSession(io: CliIo, input: RunInput & { readonly durable: DurableWork }): Promise<void> {
  if (input.task === undefined && (await isBatchAlone(input))) await resumeBatch(io, input)
  else await runTask(io, input)
}

/** The session was given calls, and no task: there is no model to ask. */
export async function isBatchAlone({
  durable,
  config,
  shared,
}: Pick<RunInput, 'config' | 'shared'> & { readonly durable: DurableWork }): Promise<boolean> {
  if (durable.id === undefined) return false
  const { tenantId } = personOf(config, shared.role).principal
  let alone = false
  for await (const step of durable.store.sessions.steps({ tenantId, sessionId: durable.id })) {
    if (step.type === 'batch') alone = true
    if (step.type === 'user' || step.type === 'model') alone = false
  }
  return alone
}

async function resumeBatch(io: CliIo, { shared, config, durable }: RunInput & { readonly durable: DurableWork }): Promise<void> {
  const json = shared.json === true
  const work = await openWork(io, { shared, config, stdinIsData: false, durable, catalog: { notLoaded: 'run' } })
  try {
    if (work.session.state?.open !== undefined) work.ui.expect(work.session.state.open.calls)
    const results = await work.session.resume({ signal: io.signal })
    const message = toToolMessages('openai-chat', results)
    if (json) await writeJson(io.stdout, resultsLine(results, message))
    else await write(io.stdout, `${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    if (results.some((result) => result.isError)) io.exit(1)
    if (!durable.defers) await tellJobs(io, work.session, json)
  } catch (error) {
    if (!(error instanceof SessionPaused)) throw error
    if (json) await writeJson(io.stdout, { type: 'answer', text: '', reason: 'paused', waiting: error.waiting })
    else for (const id of error.waiting) work.ui.note(`waits for a person: adjutant approvals show ${id}`)
  } finally {
    await work.close()
  }
}
