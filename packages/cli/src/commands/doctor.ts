/** `adjutant doctor`: what this machine can do, found out by doing it, and what to do about each gap. Leaves nothing behind. */
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { type Check, checkConfiguration, checkEnvironment, checkToolbox } from '../doctor/checks.ts'
import { capabilitiesOf } from '../terminal/capabilities.ts'
import { printableLine } from '../terminal/printable.ts'
import { themeFor } from '../terminal/theme.ts'
import { sandboxChecks } from './sandbox-doctor.ts'
import { sharedOptions } from './shared-options.ts'

const HELP = `
Starts each MCP server of the configuration and ends it again. Exit: 0 when everything is fine, 1 when something has to be done.

Example:
  adjutant doctor --config adjutant.yaml`

export function addDoctorCommand(program: Command, io: CliIo): void {
  program
    .command('doctor')
    .description('say what this machine can do, and what to do about each gap')
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the folder that the file tools are confined to (default: this one)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (_options, command: Command) => doctor(io, command))
}

async function doctor(io: CliIo, command: Command): Promise<void> {
  const shared = sharedOptions(command)
  const { check, config } = await checkConfiguration(io, shared)
  const checks: Check[] = [
    ...(await checkEnvironment(io, config)),
    check,
    ...(config === undefined ? [] : await checkToolbox(io, config)),
    ...(await sandboxChecks(io.env, config)),
  ]
  const ok = checks.every((each) => each.ok)
  if (shared.json === true) {
    await writeJson(io.stdout, { ok, checks })
  } else {
    const can = capabilitiesOf(io)
    const theme = themeFor({ ...can, colour: can.colour && io.stdout.isTTY === true })
    const width = Math.max(...checks.map((each) => each.name.length))
    for (const { name, ok: fine, detail, fix } of checks) {
      const sign = fine ? theme.paint('good', theme.symbols.ok) : theme.paint('bad', theme.symbols.failed)
      await write(io.stdout, `${sign} ${printableLine(name).padEnd(width)}  ${printableLine(detail)}\n`)
      if (fix !== undefined) await write(io.stdout, `  ${' '.repeat(width)}  ${theme.paint('quiet', printableLine(fix))}\n`)
    }
  }
  if (!ok) io.exit(1)
}
