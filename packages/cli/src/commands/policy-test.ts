/** `adjutant policy test`: whether the rules still decide what a table of cases says they should. */
import { resolve } from 'node:path'
import { AdjutantError, type PolicyDecision } from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { writeColumns } from './listing.ts'
import { type PolicyCase, readPolicyCases } from './policy-cases.ts'
import { choicesOf, gathered, requestOf, withPolicy } from './policy-open.ts'

const HELP = `
CASES is YAML or JSON: {cases: [{tool, expect: allow|ask|deny, and where wanted: name, effect, input, roles, user, tenant, attributes, mode,
untrusted, tags, origin: {kind, from}, rule: tier/id, visible: true|false}]}. A tool that is not configured needs its effect.
With --json one document: {"passed","failed","cases":[{"name","tool","passed","expected","decision","visible"}]}.
Exit: 0 all as expected, 1 at least one differs, 2 wrong usage, cases, configuration or policy.

Example (policy.cases.yaml):
  cases:
    - {tool: write_file, input: {path: docs/a.md}, expect: allow, rule: project/docs}
    - {tool: sql_query, effect: write, roles: [analyst], expect: deny, visible: true}

  adjutant policy test policy.cases.yaml
  adjutant policy test policy.cases.yaml --policy .adjutant/policy.yaml --only`

interface Tested {
  readonly of: PolicyCase
  readonly name: string
  readonly decision: PolicyDecision
  readonly visible: boolean
  /** What differs; empty: nothing. */
  readonly differs: string
}

export function addPolicyTestCommand(policy: Command, io: CliIo): void {
  policy
    .command('test')
    .description('compare decisions with a table of expected ones')
    .argument('<cases>', 'the table, YAML or JSON')
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'where relative paths begin (default: this folder)')
    .addOption(new Option('--policy <file>', 'a further policy file (may be given again)').argParser(gathered))
    .option('--only', 'only the files of --policy, none of the usual places and the configuration')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (file: string, options: Readonly<Record<string, unknown>>) => {
      const { cases, place } = await readPolicyCases(resolve(io.cwd, file))
      await withPolicy(io, choicesOf(options), async ({ policy: rules, tools }) => {
        const tested = cases.map((one, index): Tested => {
          const request = requestOf(one, tools)
          if (request === undefined) {
            throw new AdjutantError(
              'CONFIG_INVALID',
              `${place(index)}: there is no tool ${JSON.stringify(one.tool)}, and the case says no effect`,
              {
                hint: 'Add effect: read, write or dangerous, or name the configuration that has the tool.',
              },
            )
          }
          const decision = rules.decide(request)
          const visible = rules.mayUse(request.principal, request.tool)
          return { of: one, name: one.name ?? `case ${index + 1}`, decision, visible, differs: difference(one, decision, visible) }
        })
        await (options.json === true ? tellJson(io, tested) : tell(io, tested))
        if (tested.some(({ differs }) => differs !== '')) io.exit(1)
      })
    })
}

function difference(wanted: PolicyCase, decision: PolicyDecision, visible: boolean): string {
  if (wanted.expect !== decision.effect) return `expected ${wanted.expect}`
  if (wanted.rule !== undefined && wanted.rule !== decision.rule) return `expected by ${wanted.rule}`
  if (wanted.visible !== undefined && wanted.visible !== visible) return wanted.visible ? 'expected to be seen' : 'expected not to be seen'
  return ''
}

async function tell(io: CliIo, tested: readonly Tested[]): Promise<void> {
  await writeColumns(
    io,
    tested.map(({ of, name, decision, differs }) => [
      differs === '' ? 'pass' : 'FAIL',
      name,
      of.tool,
      decision.effect,
      decision.rule,
      differs,
    ]),
  )
  const failed = tested.filter(({ differs }) => differs !== '')
  for (const { name, decision } of failed) await write(io.stderr, `${printableLine(name)}: ${printableLine(decision.reason)}\n`)
  await write(io.stderr, `${tested.length - failed.length} passed, ${failed.length} failed\n`)
}

async function tellJson(io: CliIo, tested: readonly Tested[]): Promise<void> {
  const failed = tested.filter(({ differs }) => differs !== '').length
  await writeJson(io.stdout, {
    passed: tested.length - failed,
    failed,
    cases: tested.map(({ of, name, decision, visible, differs }) => ({
      name,
      tool: of.tool,
      passed: differs === '',
      expected: {
        effect: of.expect,
        ...(of.rule === undefined ? {} : { rule: of.rule }),
        ...(of.visible === undefined ? {} : { visible: of.visible }),
      },
      decision,
      visible,
    })),
  })
}
