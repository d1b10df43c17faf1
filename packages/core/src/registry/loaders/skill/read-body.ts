import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AdjutantError } from '../../../contract/index.ts'
import { splitFrontMatter } from './front-matter.ts'
import { readSkillText } from './read-skill-text.ts'

/**
 * Owns what is read of a skill when it is used: its instructions, and the names of the files beside them. Kept out of
 * a skill's description, so that thousands of skills cost no more than their descriptions.
 */

export interface BundledFiles {
  /** Relative to the skill's folder, with `/`, in order of name. */
  readonly files: readonly string[]
  /** There are more than are listed. */
  readonly more: boolean
}

const MAX_FILES = 100
const MAX_DEPTH = 4
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.DS_Store'])

/** @throws AdjutantError NOT_FOUND when the file is gone or no longer a skill */
export async function readBody(skill: { readonly name: string; readonly file: string }): Promise<string> {
  const read = await readSkillText(skill.file)
  if (!read.ok)
    throw new AdjutantError('NOT_FOUND', `the skill ${skill.name}: ${skill.file} ${read.message}`, { hint: 'Go on without this skill.' })
  const split = splitFrontMatter(read.text)
  if (!split.ok)
    throw new AdjutantError('NOT_FOUND', `the skill ${skill.name}: ${skill.file} ${split.message}`, { hint: 'Go on without this skill.' })
  return split.body
}

/** Names only. Links are listed, not followed: they may lead out of the skill. */
export async function listBundledFiles(skill: { readonly directory: string }): Promise<BundledFiles> {
  const files: string[] = []
  const more = await list(skill.directory, '', 0, files)
  return { files, more }
}

async function list(folder: string, prefix: string, depth: number, files: string[]): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let more = false
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (SKIPPED.has(entry.name) || (depth === 0 && /^skill\.md$/i.test(entry.name))) continue
    if (files.length >= MAX_FILES) return true
    const name = `${prefix}${entry.name}`
    if (!entry.isDirectory()) files.push(name)
    else if (depth + 1 < MAX_DEPTH) more = (await list(join(folder, entry.name), `${name}/`, depth + 1, files)) || more
    else more = true
  }
  return more
}
