/** Opens boxes for a command, as the configuration and the command line say. */
import type { SandboxGuarantee } from '@adjutant/core/contract'
import type { Sandboxes } from '@adjutant/sandbox'
import { type CliIo, write } from '../cli-io.ts'
import type { Config } from '../config/config.ts'
import { openBoxes } from '../config/open-boxes.ts'
import { printableLine } from '../terminal/printable.ts'

export interface MachineSandboxes {
  /** Of whoever typed the command: a key in it allows a remote service. */
  readonly env: CliIo['env']
  /** How boxes are made. Default: as usual. */
  readonly config?: Pick<Config, 'sandbox'>
  /** Only this one. Default: the first that fits. */
  readonly backend?: string
  /** Goes before what the configuration says of every language. */
  readonly order?: readonly string[]
  /** Beside what the configuration requires. */
  readonly requires?: readonly SandboxGuarantee[]
  readonly unsafeHost?: boolean
}

/** @throws AdjutantError CONFIG_INVALID for a backend that there is not, or that is not allowed */
export function openMachineSandboxes(options: MachineSandboxes): Promise<Sandboxes> {
  const order = options.backend === undefined ? options.order : [options.backend]
  return openBoxes(options.config?.sandbox ?? {}, {
    env: options.env,
    ...(order === undefined ? {} : { order }),
    ...(options.requires === undefined ? {} : { alsoRequires: options.requires }),
    unsafeHost: options.unsafeHost === true,
  })
}

/** What a person should know of the configuration, e.g. that a setting of a workspace does not count. */
export async function tellNotes(io: CliIo, { notes }: Pick<Config, 'notes'>): Promise<void> {
  for (const note of notes) await write(io.stderr, `! ${printableLine(note)}\n`)
}
