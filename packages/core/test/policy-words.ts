/** What the tests of policies share: a tool, a principal, a request, and a policy of written documents. */

import type { CommandReaders } from '../src/admission/policy/command-condition.ts'
import { readPolicyDocument } from '../src/admission/policy/read-policy.ts'
import { RulePolicy } from '../src/admission/policy/rule-policy.ts'
import type { JsonObject } from '../src/contract/json.ts'
import type { ApprovalMode, PolicyRequest, PolicyTier } from '../src/contract/policy.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../src/contract/principal.ts'
import type { AgentTool, Effect } from '../src/contract/tool.ts'

export function toolOf(name: string, over: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: 'For tests.',
    inputSchema: { type: 'object' },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'write',
    execute: async () => 'done',
    ...over,
  }
}

export interface RequestWords {
  readonly tool?: AgentTool
  readonly effect?: Effect
  readonly mode?: ApprovalMode
  readonly principal?: Principal
  readonly untrusted?: readonly string[]
}

const TOOL = toolOf('work')

export function requestOf(input: JsonObject, words: RequestWords = {}): PolicyRequest {
  const tool = words.tool ?? TOOL
  return {
    principal: words.principal ?? LOCAL_PRINCIPAL,
    tool,
    effect: words.effect ?? (typeof tool.effect === 'function' ? tool.effect(input) : tool.effect),
    input,
    mode: words.mode ?? 'ask',
    untrusted: words.untrusted ?? [],
  }
}

export function policyOf(
  documents: Partial<Record<PolicyTier, string>>,
  options: { readonly workspace?: string; readonly commands?: CommandReaders } = {},
): RulePolicy {
  const tiers: readonly PolicyTier[] = ['admin', 'organisation', 'project', 'user', 'session']
  return new RulePolicy({
    documents: tiers.flatMap((tier) => {
      const text = documents[tier]
      return text === undefined ? [] : [readPolicyDocument(`version: 1\n${text}`, { tier, file: `${tier}.yaml` })]
    }),
    workspace: options.workspace ?? '/nowhere/work',
    ...(options.commands === undefined ? {} : { commands: options.commands }),
  })
}
