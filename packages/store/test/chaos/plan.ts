/** What a chaos run is to do: sessions and their calls, always the same for a seed. */
import { callId, type JsonObject, type SessionId, sessionId, type ToolCall } from '@adjutant/core/contract'
import { seededRandom } from '@adjutant/testkit'

/** `look` reads and runs at once; `change` must not be repeated; `mend` may be. The last two wait for a person. */
export type ChaosTool = 'look' | 'change' | 'mend'

export interface PlannedSession {
  readonly id: SessionId
  readonly calls: readonly ToolCall[]
}

export interface ChaosPlan {
  readonly sessions: readonly PlannedSession[]
  /** Calls that wait for a person. */
  readonly held: number
}

/** One in so many held calls may be repeated. */
const MENDS = 5
const MOST_IN_A_SESSION = 4

/** @param checkpoints calls that wait for a person, in all */
export function chaosPlan(seed: number, checkpoints: number): ChaosPlan {
  const random = seededRandom(seed)
  const sessions: PlannedSession[] = []
  let held = 0
  while (held < checkpoints) {
    const calls: ToolCall[] = []
    const count = Math.min(checkpoints - held, 1 + Math.floor(random() * MOST_IN_A_SESSION))
    for (let nth = 0; nth < count; nth += 1) {
      if (random() < 0.4) calls.push(plannedCall(calls.length, 'look', sessions.length))
      calls.push(plannedCall(calls.length, random() * MENDS < 1 ? 'mend' : 'change', sessions.length))
    }
    held += count
    sessions.push({ id: sessionId(`chaos_${sessions.length}`), calls })
  }
  return { sessions, held }
}

function plannedCall(index: number, name: ChaosTool, session: number): ToolCall {
  const value: JsonObject = { session, value: index }
  return { id: callId(`id_${index}`), index, name, arguments: { ok: true, value }, idFromProvider: true }
}
