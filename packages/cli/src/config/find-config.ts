/** Finds the configuration of a folder. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AdjutantError } from '@adjutant/core'

/** In this order; two of them side by side are an error, since nobody could say which one counts. */
const CONFIG_NAMES = ['adjutant.yaml', 'adjutant.yml', 'adjutant.json', 'adjutant.ts'] as const

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}

/**
 * The configuration file of `folder`, if it has one. Looks in no parent folder: what a command does must not depend on what lies above.
 *
 * @throws AdjutantError CONFIG_INVALID when there are two
 */
export async function findConfig(folder: string): Promise<string | undefined> {
  const paths = CONFIG_NAMES.map((name) => join(folder, name))
  const there = await Promise.all(paths.map(isFile))
  const [first, second] = paths.filter((_, index) => there[index])
  if (first !== undefined && second !== undefined) {
    throw new AdjutantError('CONFIG_INVALID', `both ${first} and ${second} are there`, { hint: 'Keep one, or name one with --config.' })
  }
  return first
}
