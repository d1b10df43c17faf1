/** Where skills are kept, from what the configuration says: folders, the usual places of a project and of a person, SQLite files. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AdjutantError, type RegistryProblem, type SkillPlace } from '@adjutant/core'

/** Folders that agents keep skills in, the own one first. */
const USUAL = ['.adjutant/skills', '.agents/skills', '.claude/skills'] as const

const SQLITE = 'sqlite:'

export interface SkillPlaces {
  /** In order of precedence. */
  readonly places: readonly SkillPlace[]
  /** Those of them that can be watched for changes. */
  readonly folders: readonly string[]
  readonly problems: readonly RegistryProblem[]
  close(): void
}

/** True for an entry that is a word and no path. */
function isSkillWord(entry: string): boolean {
  return entry === 'project' || entry === 'user' || entry.startsWith(SQLITE)
}

/** An entry with its path made absolute by `from`; words stay. */
export function absoluteSkillEntry(entry: string, from: (path: string) => string): string {
  if (entry.startsWith(SQLITE)) return `${SQLITE}${from(entry.slice(SQLITE.length))}`
  return isSkillWord(entry) ? entry : from(entry)
}

/**
 * `project`: the usual folders in the workspace and above it up to the root of its git checkout, the nearest first. `user`: those in
 * the home folder. `sqlite:FILE`: a skill store. Anything else is a folder. Usual folders that do not exist are no fault.
 *
 * @param at absolute paths
 */
export async function openSkillPlaces(
  entries: readonly string[],
  at: { readonly workspace: string; readonly home: string },
): Promise<SkillPlaces> {
  const places: SkillPlace[] = []
  const problems: RegistryProblem[] = []
  const closers: (() => void)[] = []
  for (const entry of entries) {
    if (entry === 'project') places.push(...projectFolders(at.workspace))
    else if (entry === 'user') places.push(...usualFolders(at.home))
    else if (entry.startsWith(SQLITE)) {
      const file = entry.slice(SQLITE.length)
      try {
        if (!existsSync(file)) throw new AdjutantError('NOT_FOUND', `the skill store ${file} does not exist`, { hint: 'Correct the path.' })
        // Imported here: without a store nobody pays for the database.
        const { SqliteSkillStore } = await import('@adjutant/store')
        const store = new SqliteSkillStore({ file })
        closers.push(() => store.close())
        places.push({ store, name: entry })
      } catch (error) {
        const known = AdjutantError.from(error, 'SKILL_INVALID')
        problems.push({ code: known.code, source: entry, message: known.message, hint: known.hint })
      }
    } else places.push(entry)
  }
  return {
    places,
    folders: places.filter((place) => typeof place === 'string'),
    problems,
    close() {
      for (const close of closers) close()
    },
  }
}

function usualFolders(folder: string): readonly string[] {
  return USUAL.map((usual) => join(folder, usual)).filter((path) => existsSync(path))
}

function projectFolders(workspace: string): readonly string[] {
  const found: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    found.push(...usualFolders(folder))
    // Above the checkout begins what belongs to somebody else; without a checkout the workspace is all.
    if (existsSync(join(folder, '.git'))) return found
    if (folder === dirname(folder)) return usualFolders(workspace)
  }
}
