import { compileSchema } from '../../admission/validate.ts'
import type { ToolCall } from '../../contract/call.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { Digest } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import { isStepRecord } from '../step-record.ts'
import { CHECKPOINT_SCHEMA } from './checkpoint-schema.ts'
import { type BatchAnswer, OpenBatch } from './open-batch.ts'
import { SessionState, type SessionStateFields } from './session-state.ts'

/** What a session is at one moment, self-contained: whoever has it needs no step before it. */
export interface Checkpoint extends SessionStateFields {
  readonly version: 1
  readonly open?: {
    readonly number: number
    readonly calls: readonly ToolCall[]
    readonly answer?: BatchAnswer
    readonly steps: readonly StepRecord[]
  }
  readonly guards: GuardsSnapshot
  /** Of the tools whose calls are open: what they were when the session was left. */
  readonly tools: Readonly<Record<string, Digest>>
  readonly traceId: string
}

/** What the guards of a run know; absent where there is none. */
export interface GuardsSnapshot {
  readonly loop?: JsonObject
  readonly budget?: JsonObject
}

const VERSION = 1

/** A deep copy, as JSON: what changes later does not change it. */
export function writeCheckpoint(state: SessionState, rest: Pick<Checkpoint, 'guards' | 'tools' | 'traceId'>): JsonObject {
  const { open } = state
  const checkpoint: Checkpoint = {
    version: VERSION,
    messages: state.messages,
    batches: state.batches,
    rounds: state.rounds,
    calls: state.calls,
    usage: state.usage,
    busy: state.busy,
    loaded: state.loaded,
    grants: state.grants,
    untrusted: state.untrusted,
    jobs: state.jobs,
    ...(open === undefined
      ? {}
      : {
          open: {
            number: open.number,
            calls: open.calls,
            ...(open.answer === undefined ? {} : { answer: open.answer }),
            steps: open.steps(),
          },
        }),
    ...rest,
  }
  return JSON.parse(JSON.stringify(checkpoint))
}

/** @throws AdjutantError CONFLICT that says what is wrong with it: an unknown version, or a place that is damaged */
export function readCheckpoint(body: JsonObject): Checkpoint {
  if (isCheckpoint(body)) return body
  const version = Object.hasOwn(body, 'version') ? body.version : undefined
  if (version !== VERSION) {
    throw refused(`its version is ${JSON.stringify(version)?.slice(0, 40)}, this program knows version ${VERSION}`)
  }
  const issue = compiled().issues(body)[0]
  throw refused(
    issue === undefined ? 'a step of its open batch is none' : `${issue.path === '' ? 'it' : issue.path} is damaged (${issue.keyword})`,
  )
}

/** The state that a checkpoint is of. */
export function restoreState(checkpoint: Checkpoint): SessionState {
  const state = new SessionState(checkpoint)
  const { open } = checkpoint
  if (open === undefined) return state
  const batch = new OpenBatch(open.number, open.calls, open.answer)
  for (const step of open.steps) batch.take(step)
  state.reopen(batch)
  return state
}

/** Compiled when the first checkpoint is read: most sessions have none. */
let checker: ReturnType<typeof compileSchema> | undefined
function compiled(): ReturnType<typeof compileSchema> {
  checker ??= compileSchema(CHECKPOINT_SCHEMA)
  return checker
}

function isCheckpoint(body: unknown): body is Checkpoint {
  return compiled().accepts(body) && openSteps(body).every(isStepRecord)
}

function openSteps(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || !('open' in body) || !Object.hasOwn(body, 'open')) return []
  const { open } = body
  return typeof open === 'object' && open !== null && 'steps' in open && Array.isArray(open.steps) ? open.steps : []
}

function refused(why: string): AdjutantError {
  return new AdjutantError('CONFLICT', `the checkpoint of this session cannot be used: ${why}`, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'Carry the session on with the version that wrote it, or begin a new one.',
  })
}
