/** Owns where what outlives the process is kept: as it was written, as it was said on the command line, or the usual place. */
import { dirname, join, resolve } from 'node:path'
import { AdjutantError } from '@adjutant/core'
import type { Config, StoreConfig } from './config.ts'
import { isInside } from './sessions-folder.ts'

/** The address with an absolute path, where it is a file. */
function absoluteStoreUrl(url: string, from: (path: string) => string): string {
  if (/^postgres(?:ql)?:/i.test(url) || url === 'sqlite::memory:') return url
  return `sqlite:${from(url.replace(/^sqlite:/i, ''))}`
}

export function storeConfig(raw: string | StoreConfig, from: (path: string) => string): StoreConfig {
  return typeof raw === 'string' ? { url: absoluteStoreUrl(raw, from) } : { ...raw, url: absoluteStoreUrl(raw.url, from) }
}

/**
 * `--store` before the configuration, before a SQLite file beside the folder of sessions.
 *
 * @throws AdjutantError USAGE for a file that the session's own tools could read or change
 */
export function storePlace(config: Config, option: string | undefined, cwd: string): StoreConfig {
  const usual: StoreConfig = { url: `sqlite:${join(dirname(config.sessionsFolder), 'store.db')}` }
  const place =
    option === undefined ? (config.store ?? usual) : { ...config.store, url: absoluteStoreUrl(option, (path) => resolve(cwd, path)) }
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(place.url)?.[1]
  if (file !== undefined && isInside(file, config.workspace)) {
    throw new AdjutantError('USAGE', `the store ${file} lies in the workspace ${config.workspace}`, {
      hint: 'Its file tools could change what was approved: name a file outside of it.',
    })
  }
  return place
}
