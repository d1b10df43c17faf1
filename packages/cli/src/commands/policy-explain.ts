/** `adjutant policy explain`: what would become of one call, and why. */
import {
  AdjutantError,
  APPROVAL_MODES,
  type ApprovalMode,
  type Effect,
  isJsonObject,
  type JsonObject,
  type PolicyExplanation,
  type PolicyRequest,
} from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { notFound, writeColumns } from './listing.ts'
import { choicesOf, type DescribedCall, gathered, requestOf, textsOf, withPolicy } from './policy-open.ts'
import { roleOption, usage } from './shared-options.ts'

const EFFECTS: readonly Effect[] = ['read', 'write', 'dangerous']

const HELP = `
Says the decision, the rule that made it, whether the tool is seen, and of each rule that is for this tool why it did or did not fit.
A tool that is not configured needs --effect. The arguments are taken as they are: nothing is run or checked against the tool's schema.
With --json one document: {"call","decision":{"effect","rule","tier","reason"},"visible","rules":[{"rule","effect","outcome","why"}]}.
Exit: 0 explained, whatever the decision; 1 there is no such tool; 2 wrong usage, configuration or policy.

Example:
  adjutant policy explain --tool write_file --input '{"path":"docs/a.md"}' --role writer
  adjutant policy explain --tool deploy --effect dangerous --mode deny --json`

export function addPolicyExplainCommand(policy: Command, io: CliIo): void {
  policy
    .command('explain')
    .description('say what would become of a call, and why')
    .requiredOption('--tool <name>', 'the tool')
    .option('--input <json>', 'its arguments (default: {})')
    .addOption(roleOption())
    .addOption(new Option('--mode <mode>', 'the approval mode').choices(APPROVAL_MODES).default('ask'))
    .addOption(new Option('--effect <effect>', 'what the call does (default: what the tool says)').choices(EFFECTS))
    .addOption(new Option('--untrusted <tool>', 'this tool brought text of strangers before (may be given again)').argParser(gathered))
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'where relative paths begin (default: this folder)')
    .addOption(new Option('--policy <file>', 'a further policy file (may be given again)').argParser(gathered))
    .option('--only', 'only the files of --policy, none of the usual places and the configuration')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (options: Readonly<Record<string, unknown>>) => {
      const call = callOf(options)
      await withPolicy(io, choicesOf(options), async ({ policy: rules, tools, config }) => {
        const request = requestOf({ ...call, roles: call.roles ?? config.role }, tools)
        if (request === undefined) {
          const missing = notFound('tool', call.tool, [...tools.keys()], 'adjutant tools list')
          throw new AdjutantError(missing.code, missing.message, { hint: `${missing.hint} For a tool of elsewhere say --effect.` })
        }
        await tell(io, request, rules.explain(request), options.json === true)
      })
    })
}

function callOf(options: Readonly<Record<string, unknown>>): DescribedCall {
  const effect = EFFECTS.find((one) => one === options.effect)
  const mode: ApprovalMode = APPROVAL_MODES.find((one) => one === options.mode) ?? 'ask'
  return {
    tool: String(options.tool),
    input: inputOf(options.input),
    mode,
    ...(effect === undefined ? {} : { effect }),
    ...(options.role === undefined ? {} : { roles: textsOf(options.role) }),
    untrusted: textsOf(options.untrusted),
  }
}

function inputOf(text: unknown): JsonObject {
  if (typeof text !== 'string') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(
      `--input is no JSON: ${error instanceof Error ? error.message : String(error)}`,
      'Write an object, e.g. \'{"path":"a.md"}\'.',
    )
  }
  if (!isJsonObject(value)) throw usage('--input is no JSON object', 'Write an object, e.g. \'{"path":"a.md"}\'.')
  return value
}

async function tell(io: CliIo, request: PolicyRequest, explanation: PolicyExplanation, json: boolean): Promise<void> {
  const { decision, visible, rules } = explanation
  const { tool, effect, mode, principal, input } = request
  if (json) {
    await writeJson(io.stdout, { call: { tool: tool.name, effect, mode, roles: principal.roles, input }, decision, visible, rules })
    return
  }
  const roles = principal.roles.length === 0 ? 'no roles' : `roles ${principal.roles.join(', ')}`
  await write(
    io.stdout,
    [
      `${decision.effect}: ${printableLine(decision.reason)}`,
      '',
      `by:    ${decision.rule}`,
      `call:  ${printableLine(`${tool.name} (${effect}), mode ${mode}, ${roles}`)}`,
      `seen:  ${visible ? 'yes' : 'no, every call of this tool is denied'}`,
      '',
      '',
    ].join('\n'),
  )
  const spoken = rules.filter(({ why }) => why !== 'it is for other tools')
  await writeColumns(
    io,
    spoken.map((rule) => [
      rule.outcome,
      rule.effect,
      rule.rule,
      rule.trusted ? rule.why : `${rule.why} (not agreed to: only makes stricter)`,
    ]),
  )
  const others = rules.length - spoken.length
  if (others > 0) await write(io.stderr, `${others} ${others === 1 ? 'rule is' : 'rules are'} for other tools\n`)
  if (rules.length === 0) await write(io.stderr, 'There are no rules: the mode decides.\n')
}
