/** `adjutant sandbox`: run code in a box, say which boxes this machine can make, and how fast they are. Leaves nothing behind. */
import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { addSandboxBenchCommand } from './sandbox-bench.ts'
import { addSandboxDoctorCommand } from './sandbox-doctor.ts'
import { addSandboxRunCommand } from './sandbox-run.ts'
import { addSandboxTrustCommand } from './sandbox-trust.ts'

const HELP = `
Example:
  adjutant sandbox run --lang python -- 'print(6 * 7)'
  adjutant sandbox doctor
  adjutant sandbox bench --lang bash`

export function addSandboxCommand(program: Command, io: CliIo): void {
  const sandbox = program
    .command('sandbox')
    .description('run code in a box, say which boxes this machine can make, and how fast they are')
    .addHelpText('after', HELP)
  addSandboxRunCommand(sandbox, io)
  addSandboxDoctorCommand(sandbox, io)
  addSandboxBenchCommand(sandbox, io)
  addSandboxTrustCommand(sandbox, io)
}
