import { callId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { AgentTool, Effect } from '../../contract/tool.ts'
import type { LoopGuard } from './loop-guard.ts'
import type { LoopVerdict, WatchedOutcome } from './watched-call.ts'

/** For tests only: a tool, and a run in which each call is judged and, when it passes, settled. */
export function tool(name: string, effect: Effect, more: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: `For tests: ${name}.`,
    inputSchema: true,
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async () => undefined,
    ...more,
  }
}

export interface Step {
  readonly tool: AgentTool
  readonly input: JsonObject | string
  readonly outcome: WatchedOutcome
}

export const ok = (text: string): WatchedOutcome => ({ outcome: 'ok', text })
export const failed = (text: string, code = 'TOOL_FAILED'): WatchedOutcome => ({ outcome: 'failed', text, code })

let made = 0

/** One answer of the model with these calls: all are judged, then those that pass settle, the last first. */
export function answer(guard: LoopGuard, steps: readonly Step[]): LoopVerdict[] {
  guard.beginMessage()
  const calls = steps.map((step) => ({ id: callId(`call_${++made}`), name: step.tool.name, input: step.input, tool: step.tool }))
  const verdicts = calls.map((call) => guard.judge(call))
  for (let at = steps.length - 1; at >= 0; at--) {
    const call = calls[at]
    const step = steps[at]
    if (call !== undefined && step !== undefined && verdicts[at]?.type === 'pass') guard.settled(call, step.outcome)
  }
  return verdicts
}

/** One call an answer. Gives `pass 4, warn, stop` in short. */
export function run(guard: LoopGuard, steps: Iterable<Step>): string {
  const said: string[] = []
  let passed = 0
  for (const step of steps) {
    const type = answer(guard, [step])[0]?.type
    if (type === 'pass') {
      passed++
      continue
    }
    if (passed > 0) said.push(`pass ${passed}`)
    passed = 0
    said.push(String(type))
    if (type === 'stop') return said.join(', ')
  }
  if (passed > 0) said.push(`pass ${passed}`)
  return said.join(', ')
}

export function* times(count: number, make: (at: number) => Step): Generator<Step> {
  for (let at = 0; at < count; at++) yield make(at)
}
