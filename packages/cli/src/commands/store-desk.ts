/** What the commands that look at a store share: which store, whose rows, and how times are written. */
import type { Principal } from '@adjutant/core'
import type { Store } from '@adjutant/store'
import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import type { Config } from '../config/config.ts'
import { personOf } from '../config/principal.ts'
import { openConfiguredStore } from '../work/open-configured-store.ts'
import { configOf } from '../work/open-work.ts'
import { addSharedOptions, type SharedOptions, sharedOptions, storeOption } from './shared-options.ts'

export interface StoreDesk {
  readonly store: Store
  readonly config: Config
  readonly shared: SharedOptions
  readonly principal: Principal
  readonly json: boolean
}

/** Adds the shared options and `--store`. */
export function addStoreOptions(command: Command): Command {
  return addSharedOptions(command.addOption(storeOption()))
}

/** Opens the store of a command, works with it, closes it. */
export async function withStore(io: CliIo, command: Command, work: (desk: StoreDesk) => Promise<void>): Promise<void> {
  const shared = sharedOptions(command)
  const { store: place } = command.optsWithGlobals()
  const config = await configOf(io, shared)
  const { principal } = personOf(config, shared.role)
  await using store = await openConfiguredStore(io, config, typeof place === 'string' ? place : undefined)
  await work({ store, config, shared, principal, json: shared.json === true })
}

/** `2026-11-30 18:47:22`, in UTC. */
export function shownTime(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

/** The text of an option, where one was given. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
