/** Owns carrying sessions on where nobody is at a terminal: each with its own tools, and the model of this process. What a person must decide is left. */
import { Readable, Writable } from 'node:stream'
import { AdjutantError, modelFromSpec, runAgent, type SessionId, sessionResumeHandler } from '@adjutant/core'
import type { JobHandler } from '@adjutant/core/contract'
import type { Store } from '@adjutant/store'
import type { CliIo } from '../cli-io.ts'
import type { SharedOptions } from '../commands/shared-options.ts'
import type { Config } from '../config/config.ts'
import { personOf } from '../config/principal.ts'
import { openWork } from './open-work.ts'
import { isBatchAlone } from './resume-session.ts'
import { answersBefore, systemPrompt } from './run-task.ts'

export interface ResumeHandlerOptions {
  readonly store: Store
  readonly config: Config
  readonly shared: SharedOptions
  readonly model?: string
  readonly node: string
  readonly report: (one: { readonly type: 'problem'; readonly message: string }) => void
}

export function resumeHandler(io: CliIo, options: ResumeHandlerOptions): JobHandler {
  return async (cx) => {
    const close: (() => Promise<void>)[] = []
    try {
      const handler = sessionResumeHandler({
        open: async (tenantId, id) => {
          const opened = await open(io, options, tenantId, id)
          close.push(opened.close)
          return opened
        },
      })
      return await handler(cx)
    } finally {
      for (const each of close) await each()
    }
  }
}

type Opened = Parameters<typeof sessionResumeHandler>[0]['open'] extends (...args: never) => Promise<infer R>
  ? R & { close(): Promise<void> }
  : never

async function open(io: CliIo, options: ResumeHandlerOptions, tenantId: string, id: SessionId): Promise<Opened> {
  const { store, config, node } = options
  const shared = { ...options.shared, json: false }
  if (personOf(config, shared.role).principal.tenantId !== tenantId) {
    throw new AdjutantError('UNSUPPORTED', `sessions of the tenant ${JSON.stringify(tenantId)} are not carried on here`, {
      grade: 'retry',
      outcome: 'not-run',
    })
  }
  const durable = { store, id, defers: true, node }
  const asked = { shared, config, durable }
  const alone = await isBatchAlone(asked)
  const handle =
    alone || options.model === undefined
      ? undefined
      : await modelFromSpec(options.model, { env: io.env, cwd: io.cwd, answered: await answersBefore(asked) })
  const work = await openWork(quiet(io, options.report), {
    shared,
    config,
    stdinIsData: false,
    durable,
    ...(alone ? { catalog: { notLoaded: 'run' } } : { saysFence: true }),
  }).catch(async (error: unknown) => {
    await handle?.close()
    throw error
  })
  const { session } = work
  return {
    session,
    async run({ signal }) {
      if (handle !== undefined) {
        const { maxRounds } = config
        return await runAgent({ session, model: handle.model, maxRounds, signal, system: () => systemPrompt(session, config.system) })
      }
      return session.state?.open === undefined ? undefined : await session.resume({ signal })
    },
    async close() {
      await work.close()
      await handle?.close()
    },
  }
}

/** Nobody reads what a session says to people; what went wrong is passed on. Stopping this process is no reason to cancel a task. */
function quiet(io: CliIo, report: ResumeHandlerOptions['report']): CliIo {
  const nowhere = (): Writable =>
    new Writable({
      write(_chunk, _encoding, done) {
        done()
      },
    })
  const problems = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, done) {
      for (const line of String(chunk).split('\n')) if (line.startsWith('!')) report({ type: 'problem', message: line.slice(1).trim() })
      done()
    },
  })
  return {
    ...io,
    stdin: Readable.from([], { objectMode: false }),
    stdout: nowhere(),
    stderr: problems,
    signal: new AbortController().signal,
    exit() {},
  }
}
