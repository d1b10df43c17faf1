/** What the verbs of `adjutant policy` share: which policies count, which tools there are, and what a call would look like. */
import { resolve } from 'node:path'
import {
  AdjutantError,
  type AgentTool,
  type ApprovalMode,
  type Effect,
  type JsonObject,
  LOCAL_PRINCIPAL,
  loadPolicy,
  type Origin,
  type PolicyDocument,
  type PolicyRequest,
  type Principal,
  type RulePolicy,
  readPolicyFile,
  rolesDocument,
} from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import { commandReaders } from '../config/command-readers.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { openToolbox } from '../config/open-toolbox.ts'

export interface PolicyChoices {
  readonly config?: string
  readonly workspace?: string
  /** Further policy files; relative to the folder the command is run in. */
  readonly policy?: readonly string[]
  /** Only `policy`: no usual places. */
  readonly only?: boolean
}

export interface OpenPolicy {
  readonly policy: RulePolicy
  readonly config: Config
  readonly tools: ReadonlyMap<string, AgentTool>
}

/**
 * Opens policies and tools, works, and ends what was started.
 *
 * @throws AdjutantError CONFIG_INVALID
 */
export async function withPolicy(io: CliIo, choices: PolicyChoices, work: (open: OpenPolicy) => Promise<void>): Promise<void> {
  const config = await loadConfig(io, choices.config, choices.workspace === undefined ? {} : { workspace: choices.workspace })
  const only = choices.only === true
  const named: PolicyDocument[] = []
  for (const name of choices.policy ?? []) named.push(await namedPolicy(resolve(io.cwd, name)))
  const policy = await loadPolicy({
    workspace: config.workspace,
    env: io.env,
    openCommands: commandReaders,
    documents: [...(config.roles === undefined ? [] : [rolesDocument(config.roles)]), ...named],
    files: only ? [] : config.policy,
    only,
  })
  const toolbox = await openToolbox(config, io, { quiet: true })
  try {
    await work({ policy, config, tools: new Map(toolbox.tools.tools().map((tool) => [tool.name, tool])) })
  } finally {
    await toolbox.close()
  }
}

/** Whoever names a file here wants to know what it says, agreed to or not. */
async function namedPolicy(file: string): Promise<PolicyDocument> {
  const document = await readPolicyFile(file)
  if (document !== undefined) return document
  throw new AdjutantError('CONFIG_INVALID', `${file}: there is no such file`, { hint: 'Name an existing policy file with --policy.' })
}

/** A call as somebody describes it. */
export interface DescribedCall {
  readonly tool: string
  readonly effect?: Effect
  readonly input?: JsonObject
  readonly roles?: readonly string[]
  readonly user?: string
  readonly tenant?: string
  readonly attributes?: JsonObject
  readonly mode?: ApprovalMode
  readonly untrusted?: readonly string[]
  readonly tags?: readonly string[]
  readonly origin?: Pick<Origin, 'kind' | 'from'>
}

/** @returns undefined when the tool is not there and nothing says what it does */
export function requestOf(call: DescribedCall, tools: ReadonlyMap<string, AgentTool>): PolicyRequest | undefined {
  const known = tools.get(call.tool)
  const input = call.input ?? {}
  const effect = call.effect ?? (known === undefined ? undefined : effectOf(known, input))
  if (effect === undefined) return undefined
  return {
    principal: principalOf(call),
    tool: toolOf(call, known, effect),
    effect,
    input,
    mode: call.mode ?? 'ask',
    untrusted: call.untrusted ?? [],
  }
}

function principalOf({ tenant, user, roles, attributes }: DescribedCall): Principal {
  return {
    tenantId: tenant ?? LOCAL_PRINCIPAL.tenantId,
    userId: user ?? LOCAL_PRINCIPAL.userId,
    roles: roles ?? [],
    ...(attributes === undefined ? {} : { attributes }),
  }
}

function toolOf(call: DescribedCall, known: AgentTool | undefined, effect: Effect): AgentTool {
  const { tags, origin } = call
  const base = known ?? standIn(call.tool, effect)
  return {
    ...base,
    // What is said of the call goes before what the tool says of itself, so both must agree.
    ...(call.effect === undefined || typeof base.effect === 'function' ? {} : { effect }),
    ...(tags === undefined ? {} : { tags }),
    ...(origin === undefined ? {} : { origin }),
  }
}

/** A tool that is not configured here, as far as rules can ask about it. */
function standIn(name: string, effect: Effect): AgentTool {
  return {
    name,
    description: '',
    inputSchema: true,
    origin: { kind: 'function', from: '' },
    tier: 'extended',
    lifetime: 'session',
    effect,
    execute: async () => {
      throw new AdjutantError('INTERNAL', `${name} only stands for a tool`)
    },
  }
}

function effectOf(tool: AgentTool, input: JsonObject): Effect {
  if (typeof tool.effect !== 'function') return tool.effect
  try {
    return tool.effect(input)
  } catch {
    return 'dangerous'
  }
}

/** Texts of an option that may be given again. */
export function gathered(text: string, before: unknown): readonly string[] {
  return [...(Array.isArray(before) ? before.filter((one): one is string => typeof one === 'string') : []), text]
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

export function choicesOf(options: Readonly<Record<string, unknown>>): PolicyChoices {
  const { config, workspace, policy, only } = options
  return {
    ...(typeof config === 'string' ? { config } : {}),
    ...(typeof workspace === 'string' ? { workspace } : {}),
    policy: textsOf(policy),
    only: only === true,
  }
}
