/**
 * Owns one run in an engine instance: from its code to its end, with its jobs, timers and calls of the host in between. Ends when nothing is
 * left that could go on, or as soon as the run must stop. Whatever fails in the engine itself is told as broken, never thrown.
 */

import { AdjutantError } from '@adjutant/core/contract'
import type { QuickJSHandle } from 'quickjs-emscripten-core'
import type { WorkerRun } from '../wasm/worker-run.ts'
import type { EngineInstance, HostValue } from './engine.ts'

/** Global code in which `await` may stand at the top, and whose value comes wrapped in a promise. */
const EVAL_ASYNC = 1 << 7
/** Jobs between two looks at whether the run must stop. */
const JOBS = 256
/** Code waits for a promise that nothing can settle any more. */
const EXIT_UNSETTLED = 13

export interface RunInbox {
  /** Answers of the host that have come since. */
  take(): readonly { readonly call: number; readonly ok: boolean; readonly text: string }[]
  /** Until something comes or the time is over. */
  wait(ms: number): Promise<void>
}

export interface RunOutcome {
  readonly exitCode: number
  readonly broken: boolean
}

export async function runInEngine(engine: EngineInstance, run: WorkerRun, inbox: RunInbox): Promise<RunOutcome> {
  engine.attach(
    (operation, values) => answer(run, operation, values),
    () => run.stopped() !== undefined,
  )
  try {
    return await drive(engine, run, inbox)
  } catch (error) {
    // The engine itself gave up: out of memory in the middle of something, or an assertion of its own.
    if (run.stopped() === undefined) run.write('stderr', `the engine failed: ${messageOf(error)}\n`)
    return { exitCode: 1, broken: true }
  }
}

async function drive(engine: EngineInstance, run: WorkerRun, inbox: RunInbox): Promise<RunOutcome> {
  const { context, guest } = engine
  const { code, stdin, env, grants } = run.message
  const setup = {
    stdin: stdin === undefined ? null : new TextDecoder().decode(stdin),
    env,
    grants: grants.map(({ name }) => name),
  }
  if (!call(engine, run, guest.begin, JSON.stringify(setup))) return failedOutcome
  const evaluated = context.evalCode(code, 'main.js', EVAL_ASYNC)
  if (evaluated.error !== undefined) {
    tell(engine, run, evaluated.error)
    return failedOutcome
  }
  const main = evaluated.value
  for (;;) {
    if (!drainJobs(engine, run)) return failedOutcome
    const state = context.getPromiseState(main)
    if (state.type === 'rejected') {
      tell(engine, run, state.error)
      return failedOutcome
    }
    const timer = numberOf(engine, guest.untilTimer)
    const calls = numberOf(engine, guest.pendingCalls)
    if (run.stopped() !== undefined) return failedOutcome
    if (timer < 0 && calls === 0) {
      const outcome = finish(engine, run, main)
      main.dispose()
      return outcome
    }
    if (timer !== 0) {
      run.flush()
      await inbox.wait(Math.min(timer < 0 ? Number.POSITIVE_INFINITY : timer, run.left()))
    }
    for (const { call: id, ok, text } of inbox.take()) {
      run.answered()
      if (!settle(engine, run, id, ok, text)) return failedOutcome
    }
    if (timer >= 0 && !call(engine, run, guest.fireTimers)) return failedOutcome
  }
}

/** Nothing can go on any more: what has become of the code's own promise, and of the one that it ended with. */
function finish(engine: EngineInstance, run: WorkerRun, main: QuickJSHandle): RunOutcome {
  const { context } = engine
  const state = context.getPromiseState(main)
  if (state.type === 'pending') {
    run.write('stderr', 'The code waits for a promise that nothing will settle.\n')
    return { exitCode: EXIT_UNSETTLED, broken: false }
  }
  if (state.type === 'rejected') return failedOutcome
  // Most code ends with a call like `main()`: what that promise was rejected with must not be lost.
  const last = context.getProp(state.value, 'value')
  if (context.typeof(last) !== 'object') return { exitCode: 0, broken: false }
  const result = context.getPromiseState(last)
  if (result.type !== 'rejected') return { exitCode: 0, broken: false }
  tell(engine, run, result.error)
  return failedOutcome
}

const failedOutcome: RunOutcome = { exitCode: 1, broken: false }

/** False when the run must stop. */
function drainJobs(engine: EngineInstance, run: WorkerRun): boolean {
  while (engine.runtime.hasPendingJob()) {
    if (run.stopped() !== undefined) return false
    const done = engine.runtime.executePendingJobs(JOBS)
    if (done.error !== undefined) {
      tell(engine, run, done.error)
      return false
    }
  }
  return run.stopped() === undefined
}

function call(engine: EngineInstance, run: WorkerRun, target: QuickJSHandle, text?: string): boolean {
  const { context } = engine
  const given = text === undefined ? context.undefined : context.newString(text)
  const done = context.callFunction(target, context.undefined, given)
  given.dispose()
  if (done.error === undefined) return true
  tell(engine, run, done.error)
  return false
}

function settle(engine: EngineInstance, run: WorkerRun, id: number, ok: boolean, text: string): boolean {
  const { context, guest } = engine
  // A message may hold a NUL, at which a text would end on its way in; JSON writes it otherwise.
  const given = context.newString(ok ? text : JSON.stringify(text))
  const done = context.callFunction(guest.settle, context.undefined, context.newNumber(id), ok ? context.true : context.false, given)
  given.dispose()
  if (done.error === undefined) return true
  tell(engine, run, done.error)
  return false
}

/** Says what was thrown, unless the run is being stopped: then that is the reason. */
function tell(engine: EngineInstance, run: WorkerRun, error: QuickJSHandle): void {
  if (run.stopped() !== undefined) return
  const { context, guest } = engine
  const said = context.callFunction(guest.describe, context.undefined, error)
  if (said.error !== undefined) {
    if (run.stopped() === undefined) run.write('stderr', 'Uncaught value that cannot be shown\n')
    return
  }
  run.write('stderr', `${textOf(context.getString(said.value))}\n`)
}

function numberOf(engine: EngineInstance, target: QuickJSHandle): number {
  const { context } = engine
  const done = context.callFunction(target, context.undefined)
  return done.error === undefined ? context.getNumber(done.value) : -1
}

/** What the code asks of the host. Only the prelude calls it, but nothing here relies on that. */
function answer(run: WorkerRun, operation: string, [a, b, c]: readonly HostValue[]): HostValue {
  try {
    switch (operation) {
      case 'put':
        run.write(a === 'stderr' ? 'stderr' : 'stdout', String(b))
        return undefined
      case 'nul':
        run.write(a === 'stderr' ? 'stderr' : 'stdout', '\0')
        return undefined
      case 'now':
        return performance.now() - run.startedAt
      case 'read':
        return JSON.stringify(new TextDecoder().decode(Uint8Array.from(run.readFile(textOf(a)))))
      case 'readBytes':
        return run.readFile(textOf(a))
      case 'write':
        run.writeFile(textOf(a), new TextEncoder().encode(textOf(b)))
        return undefined
      case 'writeBytes':
        if (b instanceof Uint8Array) run.writeFile(textOf(a), b)
        return undefined
      case 'list':
        return JSON.stringify(run.listFiles(textOf(a)).map(({ path, type, bytes }) => ({ path, type, bytes })))
      case 'remove':
        run.removeFile(textOf(a))
        return undefined
      case 'call':
        return granted(run, a, b, c)
      default:
        return '!UNSUPPORTED this is not known here'
    }
  } catch (error) {
    return `!${AdjutantError.isInstance(error) ? error.code : 'FAILED'} ${messageOf(error)}`
  }
}

function granted(run: WorkerRun, id: HostValue, name: HostValue, text: HostValue): HostValue {
  if (typeof id !== 'number' || typeof name !== 'string' || typeof text !== 'string') return '!UNSUPPORTED no call'
  if (!run.message.grants.some((grant) => grant.name === name)) return `!UNSUPPORTED host.${name} is not granted`
  const refused = run.call(id, name, text)
  return refused === undefined ? undefined : `!OVERLOADED ${refused}`
}

/** Text that came as JSON, because a bare one ends at a NUL on its way. */
function textOf(json: HostValue): string {
  const value: unknown = typeof json === 'string' ? JSON.parse(json) : undefined
  if (typeof value !== 'string') throw new TypeError('the engine gave no text')
  return value
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
