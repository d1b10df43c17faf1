/** Questions for tests of the terminal. */
import {
  type AdmittedCall,
  type AgentTool,
  type ApprovalRequest,
  type ArgumentRepair,
  approvalId,
  type Conversion,
  callId,
  type Effect,
  type JsonObject,
  type Origin,
  type PolicyDecision,
  type SavedTier,
  sessionId,
} from '@adjutant/core'

export interface ExampleCall {
  readonly name?: string
  readonly id?: string
  readonly input?: JsonObject
  readonly effect?: Effect
  readonly origin?: Origin
  readonly marks?: AgentTool['marks']
  readonly conversions?: readonly Conversion[]
  readonly repairs?: readonly ArgumentRepair[]
}

export function exampleCall(given: ExampleCall = {}): AdmittedCall {
  const { name = 'run_shell', id = 'call_1', input = { command: 'rm -rf build' }, effect = 'dangerous', conversions = [], repairs } = given
  const tool: AgentTool = {
    name,
    description: 'd',
    inputSchema: true,
    origin: given.origin ?? { kind: 'built-in', from: '' },
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async () => '',
    ...(given.marks === undefined ? {} : { marks: given.marks }),
  }
  const args = { ok: true, value: input, ...(repairs === undefined ? {} : { repairs }) } as const
  return { call: { id: callId(id), index: 0, name, arguments: args, idFromProvider: true }, tool, input, conversions, effect }
}

export interface ExampleRequest extends ExampleCall {
  readonly reason?: string
  readonly decision?: PolicyDecision
  readonly identical?: readonly string[]
  readonly matching?: readonly AdmittedCall[]
  readonly saveTo?: readonly SavedTier[]
}

export function exampleRequest(given: ExampleRequest = {}): ApprovalRequest {
  const call = exampleCall(given)
  return {
    id: approvalId('approval_1'),
    sessionId: sessionId('session_1'),
    call,
    reason: given.reason ?? `${call.tool.name} changes something`,
    ...(given.decision === undefined ? {} : { decision: given.decision }),
    ...(given.identical === undefined ? {} : { identical: given.identical.map((id) => callId(id)) }),
    ...(given.matching === undefined ? {} : { matching: given.matching }),
    ...(given.saveTo === undefined ? {} : { saveTo: given.saveTo }),
  }
}

/** What no terminal may get of what others wrote: controls, what turns the reading direction, what cannot be seen, lone surrogates. */
export const UNPRINTABLE =
  /[\p{Cc}\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad\u115f\u3164\u{e0000}-\u{e007f}\p{Surrogate}]/u
