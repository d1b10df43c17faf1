import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AgentTool, RegistryProblem, SkillStore } from '../../../contract/index.ts'
import { legalToolName } from '../../naming.ts'
import { loadSkill, type SkillOptions } from './load-skill.ts'
import { loadStoredSkills } from './load-store.ts'
import type { LoadedSkill, Skill, SkillLoadReport } from './skill.ts'
import { skillTool } from './skill-tool.ts'

/**
 * Owns the search for skills in folders, and who keeps a name. Folders are walked in order of name, links are followed but no
 * folder is entered twice, and what lies inside a skill belongs to that skill. Reads only; nothing of a skill is run.
 */

/** Below the folder that was named. Deeper trees hold something else. */
const MAX_DEPTH = 6
const MAX_FOLDERS = 5_000
const AT_ONCE = 16
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv'])

/** Skills of one folder: it is a skill itself, or holds some. Never rejects. */
export function loadSkillFolder(path: string, options: SkillOptions = {}): Promise<SkillLoadReport> {
  return loadSkillFolders([path], options)
}

/**
 * Skills of several folders. Of two with one name the one found first stays, so the folder named first wins; the other is
 * reported with both places. Two copies of the very same skill are no collision.
 *
 * @example
 * ```ts
 * const { skills, tools, problems } = await loadSkillFolders(['./skills', '/usr/share/skills'])
 * ```
 */
export function loadSkillFolders(paths: readonly string[], options: SkillOptions = {}): Promise<SkillLoadReport> {
  return loadSkills(paths, options)
}

/** A place that skills are kept in: a folder, or a store with the name that messages give it. */
export type SkillPlace = string | { readonly store: SkillStore; readonly name: string }

/** Skills of several folders and stores, the place named first winning a name. Never rejects. */
export async function loadSkills(places: readonly SkillPlace[], options: SkillOptions = {}): Promise<SkillLoadReport> {
  const problems: RegistryProblem[] = []
  const holders = new Map<string, Skill>()
  const seen = new Set<string>()
  for (const place of places) {
    for await (const loaded of skillsIn(place, seen, problems, options)) {
      if (!loaded.ok) {
        problems.push(loaded.problem)
        continue
      }
      const { skill } = loaded
      const holder = holders.get(skill.name)
      if (holder === undefined) holders.set(skill.name, skill)
      else if (holder.digest !== skill.digest) problems.push(shadowed(skill, holder))
    }
  }
  const skills = [...holders.values()]
  return { skills, tools: toolsOf(skills), problems }
}

async function* skillsIn(
  place: SkillPlace,
  seen: Set<string>,
  problems: RegistryProblem[],
  options: SkillOptions,
): AsyncGenerator<LoadedSkill, void, void> {
  if (typeof place !== 'string') {
    yield* await loadStoredSkills(place.store, place.name)
    return
  }
  const found = await findSkillDirectories(resolve(place), seen)
  problems.push(...found.problems)
  for (let start = 0; start < found.directories.length; start += AT_ONCE) {
    yield* await Promise.all(found.directories.slice(start, start + AT_ONCE).map((one) => loadSkill(one, options)))
  }
}

function toolsOf(skills: readonly Skill[]): readonly AgentTool[] {
  const taken = new Set<string>()
  const tools: AgentTool[] = []
  // Legal names first: none of them changes because another one had to.
  const names = new Map<Skill, string>()
  for (const pass of [true, false]) {
    for (const skill of skills) {
      if (names.has(skill) || (legalToolName(skill.name, NONE) === skill.name) !== pass) continue
      const name = legalToolName(skill.name, taken)
      taken.add(name)
      names.set(skill, name)
    }
  }
  for (const skill of skills) if (skill.forModel) tools.push(skillTool(skill, names.get(skill) ?? skill.name))
  return tools
}

const NONE: ReadonlySet<string> = new Set()

function shadowed(skill: Skill, holder: Skill): RegistryProblem {
  return {
    code: 'TOOL_NAME_TAKEN',
    source: skill.file,
    tool: skill.name,
    message: `${skill.file}: the skill ${JSON.stringify(skill.name)} is hidden by another one of that name, ${holder.file}`,
    hint: 'Rename one of the two, or leave one folder out.',
  }
}

interface Search {
  readonly directories: string[]
  readonly problems: RegistryProblem[]
  /** Real paths: a link that leads back is not followed again. */
  readonly seen: Set<string>
  folders: number
  full: boolean
}

async function findSkillDirectories(root: string, seen: Set<string>): Promise<Search> {
  const search: Search = { directories: [], problems: [], seen, folders: 0, full: false }
  const kind = await kindOf(root)
  if (kind === 'file' && /(^|[\\/])skill\.md$/i.test(root)) search.directories.push(root)
  else if (kind === 'folder') await walk(root, 0, search)
  else {
    const said = kind === 'file' ? 'is a file, not a folder of skills' : kind
    search.problems.push(problem(root, said, 'Name a folder that holds folders with a SKILL.md.'))
  }
  if (search.full)
    search.problems.push(
      problem(root, `holds more than ${MAX_FOLDERS} folders; the rest was not searched`, 'Name the folder of the skills itself.'),
    )
  return search
}

async function walk(folder: string, depth: number, search: Search): Promise<void> {
  if (++search.folders > MAX_FOLDERS) {
    search.full = true
    return
  }
  let entries: readonly Dirent[]
  try {
    const real = await realpath(folder)
    if (search.seen.has(real)) return
    search.seen.add(real)
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    search.problems.push(problem(folder, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, 'Check the folder.'))
    return
  }
  if (entries.some((entry) => /^skill\.md$/i.test(entry.name))) {
    search.directories.push(folder)
    return
  }
  if (depth >= MAX_DEPTH) return
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (SKIPPED.has(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await walk(path, depth + 1, search)
    else if (entry.isSymbolicLink()) {
      const kind = await kindOf(path)
      if (kind === 'folder') await walk(path, depth + 1, search)
      else if (kind !== 'file') search.problems.push(problem(path, kind, 'Remove or correct the link.'))
    }
  }
}

/** `folder`, `file`, or what is wrong with it. */
async function kindOf(path: string): Promise<string> {
  try {
    const info = await stat(path)
    return info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'is neither a folder nor a file'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return 'does not exist'
    if (code === 'ELOOP') return 'is a symbolic link that leads back to itself'
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

function problem(source: string, message: string, hint: string): RegistryProblem {
  return { code: 'SKILL_INVALID', source, message: `${source} ${message}`, hint }
}
