/**
 * `adjutant sandbox trust`: a person agrees to what the configuration of a workspace does beyond the usual. Writes outside of the workspace and
 * nowhere else.
 */
import { AdjutantError, addTrust, policyPlaces } from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { loadConfig } from '../config/load-config.ts'
import { writeColumns } from './listing.ts'

const HELP = `
The configuration that lies in a workspace comes with its files: until you agree, it can make boxes stricter and nothing else. What
loosens them (weaker requirements, larger limits, hosts, services, programs), and what has sessions removed, does not count.
Agreeing holds for each setting as it is written now; one that changes by a letter has to be agreed to again. Read them before:
with --list nothing is agreed to.
With --json one document: {"file","settings":[{"setting","place","reason","agreed"}]}, agreed as it was before.
Exit: 0 agreed, 1 there is no configuration, 2 it is broken.

Example:
  adjutant sandbox trust --list
  adjutant sandbox trust`

export function addSandboxTrustCommand(sandbox: Command, io: CliIo): void {
  sandbox
    .command('trust')
    .description('agree to what the configuration of a workspace does beyond the usual')
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the folder that the file tools are confined to (default: this one)')
    .option('--list', 'only list')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      const { config, workspace, list, json } = self.optsWithGlobals()
      await trust(io, {
        ...(typeof config === 'string' ? { config } : {}),
        ...(typeof workspace === 'string' ? { workspace } : {}),
        list: list === true,
        json: json === true,
      })
    })
}

interface TrustOptions {
  readonly config?: string
  readonly workspace?: string
  readonly list: boolean
  readonly json: boolean
}

async function trust(io: CliIo, options: TrustOptions): Promise<void> {
  const { file, asks, workspace } = await loadConfig(io, options.config, { workspace: options.workspace })
  if (file === undefined) {
    throw new AdjutantError('NOT_FOUND', `${io.cwd}: there is no configuration`, { hint: 'Go to its folder, or name it with --config.' })
  }
  const fresh = asks.filter(({ agreed }) => !agreed)
  const { trust: trustFile } = policyPlaces({ workspace, env: io.env })
  if (!options.list && fresh.length > 0) {
    await addTrust(
      trustFile,
      file,
      fresh.map(({ digest }) => digest),
    )
  }
  if (options.json) {
    const settings = asks.map(({ setting, place, reason, agreed }) => ({ setting, place, reason, agreed }))
    await writeJson(io.stdout, { file, settings })
    return
  }
  await writeColumns(
    io,
    (options.list ? asks : fresh).map(({ setting, place, reason, agreed }) => [agreed ? 'agreed' : 'new', setting, reason, place]),
  )
  const counted = `${fresh.length} setting${fresh.length === 1 ? '' : 's'}`
  const said =
    fresh.length === 0 ? 'Nothing new' : options.list ? `${counted} nobody agreed to` : `Agreed to ${counted}: noted in ${trustFile}`
  await write(io.stderr, `${said}\n`)
}
