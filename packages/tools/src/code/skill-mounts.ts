/**
 * Owns how the files of skills come into a box: the folder of each is mounted read-only at `/skills/NAME`. A skill that is kept elsewhere than in a
 * folder is written to one of ours first, which goes when the tools are closed. A skill that cannot be had is left out and not an error.
 */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Skill } from '@adjutant/core'
import type { SandboxMount } from '@adjutant/core/contract'

/** What of a skill is needed; {@link Skill} of the core is one. */
export type ScriptedSkill = Pick<Skill, 'name' | 'directory' | 'digest' | 'content'>

const MOST_MOUNTS = 64

export class SkillMounts {
  readonly #skills: () => readonly ScriptedSkill[]
  /** By digest and folder: where its files are on the host. */
  readonly #places = new Map<string, Promise<string | undefined>>()
  #own: Promise<string> | undefined

  constructor(skills: () => readonly ScriptedSkill[]) {
    this.#skills = skills
  }

  get skills(): readonly ScriptedSkill[] {
    return this.#skills()
  }

  /** For the next box. Never rejects. */
  async mounts(): Promise<readonly SandboxMount[]> {
    const wanted = this.#skills().slice(0, MOST_MOUNTS)
    const found = await Promise.all(wanted.map(async (skill) => ({ host: await this.#place(skill), path: mountOf(skill) })))
    const paths = new Set<string>()
    const mounts: SandboxMount[] = []
    for (const { host, path } of found) {
      if (host === undefined || paths.has(path)) continue
      paths.add(path)
      mounts.push({ host, path })
    }
    return mounts
  }

  async close(): Promise<void> {
    const own = await this.#own
    if (own !== undefined) await rm(own, { recursive: true, force: true })
  }

  #place(skill: ScriptedSkill): Promise<string | undefined> {
    const key = `${skill.digest} ${skill.directory}`
    const there = this.#places.get(key)
    if (there !== undefined) return there
    const place = this.#find(skill).catch(() => undefined)
    this.#places.set(key, place)
    return place
  }

  async #find(skill: ScriptedSkill): Promise<string | undefined> {
    if (skill.content.place === skill.directory) return (await stat(skill.directory)).isDirectory() ? skill.directory : undefined
    const { files } = await skill.content.files()
    if (files.length === 0) return undefined
    this.#own ??= mkdtemp(join(tmpdir(), 'adjutant-skills-'))
    const folder = join(await this.#own, String(this.#places.size))
    for (const file of files) {
      const bytes = await skill.content.read(file)
      const target = join(folder, file)
      if (!target.startsWith(`${folder}/`)) continue
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, bytes, { mode: 0o755 })
    }
    return folder
  }
}

/** Where the box has the skill's files. */
export function mountOf(skill: Pick<ScriptedSkill, 'name'>): string {
  const safe = skill.name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 100)
  return `/skills/${/^\.*$/.test(safe) ? 'skill' : safe}`
}
