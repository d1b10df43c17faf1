/** Opens the boxes of this machine for a command. What is loaded for it is loaded here, so that other commands start without it. */
import { randomIds, systemClock } from '@adjutant/core'
import type { SandboxGuarantee } from '@adjutant/core/contract'
import type { Sandboxes } from '@adjutant/sandbox'
import type { CliIo } from '../cli-io.ts'

export interface MachineSandboxes {
  /** Of whoever typed the command: a key in it allows a remote service. */
  readonly env: CliIo['env']
  /** Only this one. Default: the first that fits. */
  readonly backend?: string
  /** Where no backend is named: these, best first. Default: the usual order of the language. */
  readonly order?: readonly string[]
  readonly requires?: readonly SandboxGuarantee[]
  readonly unsafeHost?: boolean
}

/** @throws AdjutantError CONFIG_INVALID for a backend that there is not, or that is not allowed */
export async function openMachineSandboxes(options: MachineSandboxes): Promise<Sandboxes> {
  const { openSandboxes } = await import('@adjutant/sandbox')
  const order = options.backend === undefined ? options.order : [options.backend]
  return openSandboxes({
    clock: systemClock,
    ids: randomIds,
    env: options.env,
    ...(order === undefined ? {} : { order }),
    ...(options.requires === undefined ? {} : { requires: options.requires }),
    unsafeHost: options.unsafeHost === true,
  })
}
