/** Options that several commands share, read once and in one way. */
import { AdjutantError, APPROVAL_MODES } from '@adjutant/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ApproveMode, Config } from '../config/config.ts'

export interface SharedOptions {
  readonly config?: string
  readonly workspace?: string
  readonly approve?: ApproveMode
  readonly json?: boolean
  readonly role?: readonly string[]
}

/** Adds `--config`, `--workspace`, `--approve` and `--json`. */
export function addSharedOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the folder that the file tools are confined to (default: this one)')
    .addOption(
      new Option('--approve <mode>', 'what becomes of calls that change something and that no rule speaks of').choices(APPROVAL_MODES),
    )
    .addOption(roleOption())
    .option('--json', 'print JSON lines on stdout')
}

/** `--role`, once for each role. */
export function roleOption(): Option {
  return new Option('--role <name>', 'work as somebody with this role (may be given again)').argParser((role: string, before: unknown) => [
    ...(Array.isArray(before) ? before : []),
    role,
  ])
}

/** `--store`: which database. */
export function storeOption(): Option {
  return new Option(
    '--store <url>',
    'what outlives the process: sqlite:FILE or postgres://… (default: that of the configuration, else a file of this user)',
  )
}

/** A whole number of at least 1, for commander. */
export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1 || value > 1000) throw new InvalidArgumentError('It must be a whole number from 1 to 1000.')
  return value
}

function isApproveMode(value: unknown): value is ApproveMode {
  return APPROVAL_MODES.some((mode) => mode === value)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** What commander read, as what was declared above. */
export function sharedOptions(command: Command): SharedOptions {
  const { config, workspace, approve, json, role } = command.optsWithGlobals()
  return {
    ...(typeof config === 'string' ? { config } : {}),
    ...(typeof workspace === 'string' ? { workspace } : {}),
    ...(isApproveMode(approve) ? { approve } : {}),
    json: json === true,
    ...(isTexts(role) ? { role } : {}),
  }
}

/** The approval mode, and whether somebody chose it. */
export function approvalMode(options: SharedOptions, config: Config): { readonly mode: ApproveMode; readonly chosen: boolean } {
  if (options.approve !== undefined) return { mode: options.approve, chosen: true }
  return { mode: config.approve, chosen: config.approveGiven }
}

/** @throws AdjutantError USAGE */
export function usage(message: string, hint: string): AdjutantError {
  return new AdjutantError('USAGE', message, { hint })
}
