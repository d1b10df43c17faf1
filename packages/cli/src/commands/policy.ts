/** `adjutant policy`: what the rules say, why, and whether they still say what they should. Changes nothing but by `trust`. */
import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { addPolicyCheckCommand } from './policy-check.ts'
import { addClassifyCommand } from './policy-classify.ts'
import { addPolicyExplainCommand } from './policy-explain.ts'
import { addPolicyTestCommand } from './policy-test.ts'
import { addPolicyTrustCommand } from './policy-trust.ts'

const HELP = `
Example:
  adjutant policy check
  adjutant policy explain --tool write_file --input '{"path":"docs/a.md"}'
  adjutant policy test policy.cases.yaml`

export function addPolicyCommand(program: Command, io: CliIo): void {
  const policy = program.command('policy').description('check, explain and test who may do what').addHelpText('after', HELP)
  addPolicyCheckCommand(policy, io)
  addPolicyExplainCommand(policy, io)
  addPolicyTestCommand(policy, io)
  addPolicyTrustCommand(policy, io)
  addClassifyCommand(policy, io)
}
