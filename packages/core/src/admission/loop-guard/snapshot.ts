import { AdjutantError } from '../../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../contract/json.ts'
import { emptyStreak, type Streak, ToolMemory } from './tool-memory.ts'

export type WarningKind = 'identical' | 'cycle' | 'error' | 'result' | 'answer' | 'standstill'
const KINDS: readonly WarningKind[] = ['identical', 'cycle', 'error', 'result', 'answer', 'standstill']

/** A loop that the model was told of. */
export interface Warning {
  readonly kind: WarningKind
  /** Which loop of its kind. */
  readonly sign: number
  /** The calls that must not come again. */
  readonly keys: readonly number[]
  readonly reason: string
  /** Of its streak, when it was told. */
  readonly total: number
  readonly message: number
  /** Something was changed since. */
  renewed: boolean
  /** Productive calls after which it is forgotten. */
  left: number
}

export interface GuardState {
  readonly message: number
  readonly progress: number
  readonly stale: number
  readonly staleMessages: number
  readonly staleMessage: number
  readonly stopped: string | undefined
  readonly steps: readonly (readonly [key: number, result: number | null, message: number, fresh: number, run: number])[]
  readonly warnings: readonly Warning[]
  readonly tools: readonly (readonly [string, ToolMemory])[]
}

const VERSION = 1

/** The state as JSON. Waits are not in it: after a restart they begin anew. */
export function writeSnapshot(state: GuardState): JsonObject {
  return {
    version: VERSION,
    counts: [state.message, state.progress, state.stale, state.staleMessages, state.staleMessage],
    stopped: state.stopped ?? null,
    steps: state.steps.map((step) => [...step]),
    warnings: state.warnings.map(({ kind, sign, keys, reason, total, message, renewed, left }) => ({
      kind,
      reason,
      renewed,
      keys: [...keys],
      numbers: [sign, total, message, left],
    })),
    tools: state.tools.map(([name, memory]) => ({
      name,
      errors: streakRow(memory.errors),
      results: streakRow(memory.results),
      answers: streakRow(memory.answers),
    })),
  }
}

function streakRow(streak: Streak): JsonValue {
  if (streak.count === 0) return null
  return [streak.digest, streak.count, streak.message, streak.progress, streak.firstKey, streak.varied ? 1 : 0, streak.total, streak.things]
}

/** @throws AdjutantError CONFIG_INVALID that names the first member that is wrong */
export function readSnapshot(snapshot: JsonObject): GuardState {
  const version = ownValue(snapshot, 'version')
  if (version !== VERSION) return refuse('version', `${JSON.stringify(version)?.slice(0, 40)} is not known here, ${VERSION} is`)
  const [message, progress, stale, staleMessages, staleMessage] = numbers(ownValue(snapshot, 'counts'), 5, 'counts')
  const stopped = ownValue(snapshot, 'stopped')
  if (stopped !== null && typeof stopped !== 'string') return refuse('stopped', 'must be text or null')
  return {
    message: message ?? 0,
    progress: progress ?? 0,
    stale: stale ?? 0,
    staleMessages: staleMessages ?? 0,
    staleMessage: staleMessage ?? -1,
    stopped: stopped ?? undefined,
    steps: list(ownValue(snapshot, 'steps'), 'steps').map((step, at) => {
      const place = `steps/${at}`
      const row = list(step, place)
      const [key, message, fresh, run] = numbers([row[0] ?? null, row[2] ?? null, row[3] ?? null, row[4] ?? null], 4, place)
      const result = row[1] === null ? null : numbers([row[1] ?? null], 1, place)[0]
      return [key ?? 0, result ?? null, message ?? 0, fresh ?? 0, run ?? 0] as const
    }),
    warnings: list(ownValue(snapshot, 'warnings'), 'warnings').map((warning, at) => readWarning(warning, `warnings/${at}`)),
    tools: list(ownValue(snapshot, 'tools'), 'tools').map((tool, at) => readTool(tool, `tools/${at}`)),
  }
}

function readWarning(value: JsonValue, place: string): Warning {
  if (!isJsonObject(value)) return refuse(place, 'must be an object')
  const kind = KINDS.find((known) => known === ownValue(value, 'kind'))
  const reason = ownValue(value, 'reason')
  const keys = list(ownValue(value, 'keys'), `${place}/keys`)
  const [sign, total, message, left] = numbers(ownValue(value, 'numbers'), 4, `${place}/numbers`)
  if (kind === undefined || typeof reason !== 'string') return refuse(place, 'must have a known kind and a reason')
  return {
    kind,
    reason,
    keys: numbers(keys, keys.length, `${place}/keys`),
    sign: sign ?? 0,
    total: total ?? 0,
    message: message ?? 0,
    left: left ?? 1,
    renewed: ownValue(value, 'renewed') === true,
  }
}

function readTool(value: JsonValue, place: string): readonly [string, ToolMemory] {
  if (!isJsonObject(value)) return refuse(place, 'must be an object')
  const name = ownValue(value, 'name')
  if (typeof name !== 'string') return refuse(`${place}/name`, 'must be text')
  const memory = new ToolMemory()
  Object.assign(memory.errors, readStreak(ownValue(value, 'errors'), `${place}/errors`))
  Object.assign(memory.results, readStreak(ownValue(value, 'results'), `${place}/results`))
  Object.assign(memory.answers, readStreak(ownValue(value, 'answers'), `${place}/answers`))
  return [name, memory]
}

function readStreak(value: JsonValue | undefined, place: string): Streak {
  const streak = emptyStreak()
  if (value === null || value === undefined) return streak
  const [digest, count, message, progress, firstKey, varied, total, things] = numbers(value, 8, place)
  return {
    digest: digest ?? streak.digest,
    count: count ?? 0,
    message: message ?? -1,
    progress: progress ?? 0,
    firstKey: firstKey ?? streak.firstKey,
    varied: varied === 1,
    total: total ?? 0,
    things: things ?? 0,
  }
}

function list(value: JsonValue | undefined, place: string): readonly JsonValue[] {
  return Array.isArray(value) ? value : refuse(place, 'must be a list')
}

function numbers(value: JsonValue | undefined, count: number, place: string): readonly number[] {
  const found = list(value, place).filter((one) => typeof one === 'number' && Number.isSafeInteger(one))
  const whole = found.filter((one): one is number => typeof one === 'number')
  return whole.length === count && list(value, place).length === count ? whole : refuse(place, `must be ${count} whole numbers`)
}

function refuse(place: string, problem: string): never {
  throw new AdjutantError('CONFIG_INVALID', `snapshot of the loop guard: ${place}: ${problem}`, { hint: 'Begin the run without it.' })
}
