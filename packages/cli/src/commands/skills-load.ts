/** What the verbs of `adjutant skills` share: the folders that are meant, what is in them, and the one skill that was named. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { loadSkills, type Skill, type SkillLoadReport } from '@adjutant/core'
import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { loadConfig } from '../config/load-config.ts'
import { openSkillPlaces } from '../config/skill-places.ts'
import { notFound, writeProblems } from './listing.ts'

export interface FolderOptions {
  readonly folders: readonly string[]
  readonly config?: string
  readonly json: boolean
}

export function withFolders(command: Command): Command {
  return command
    .option(
      '--folder <path>',
      'a folder of skills; may be given several times',
      (path: string, before: readonly string[]) => [...before, path],
      [],
    )
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--json', 'print one JSON document')
}

export function folderOptions(command: Command): FolderOptions {
  const { folder, config, json } = command.optsWithGlobals()
  const folders = Array.isArray(folder) ? folder.filter((path) => typeof path === 'string') : []
  return { folders, ...(typeof config === 'string' ? { config } : {}), json: json === true }
}

export type NamedSkills = SkillLoadReport & { readonly folders: readonly string[] }

/**
 * Folders that were named are taken as they are; the configuration is then not needed. Skills of a store can be read as long as `work` goes on.
 *
 * @throws AdjutantError CONFIG_INVALID, and what `work` throws
 */
export async function withSkills<T>(io: CliIo, options: FolderOptions, work: (named: NamedSkills) => Promise<T>): Promise<T> {
  const named = options.folders.map((folder) => resolve(io.cwd, folder))
  const folders = named.length > 0 && options.config === undefined ? named : [...named, ...(await loadConfig(io, options.config)).skills]
  const opened = await openSkillPlaces(folders, { workspace: io.cwd, home: homedir() })
  try {
    const report = await loadSkills(opened.places)
    return await work({ ...report, problems: [...opened.problems, ...report.problems], folders })
  } finally {
    opened.close()
  }
}

/** @throws AdjutantError NOT_FOUND, after it was said what could not be loaded */
export async function namedSkill(
  io: CliIo,
  { skills, problems }: Pick<SkillLoadReport, 'skills' | 'problems'>,
  name: string,
  { json }: Pick<FolderOptions, 'json'>,
): Promise<Skill> {
  const skill = skills.find((one) => one.name === name)
  if (skill !== undefined) return skill
  // Its own fault, or its folder's, may be the reason why it is not there.
  if (!json) await writeProblems(io, problems)
  throw notFound(
    'skill',
    name,
    skills.map((one) => one.name),
    'adjutant skills list',
  )
}
