import { AdjutantError, type RegistryProblem, type SkillStore, type StoredSkill } from '../../../contract/index.ts'
import { splitFrontMatter } from './front-matter.ts'
import { skillFromText } from './load-skill.ts'
import type { LoadedSkill } from './skill.ts'
import type { SkillContent } from './skill-content.ts'

/**
 * Reads the skills of a store (A4): the same format and the same leniency as in folders, with the bundled files kept beside. A store that
 * cannot be read is a problem, and the skills of other places stay.
 *
 * @param name what the store is called in messages
 */
export async function loadStoredSkills(store: SkillStore, name: string): Promise<readonly LoadedSkill[]> {
  let stored: readonly StoredSkill[]
  try {
    stored = await store.skills()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return [{ ok: false, problem: storeProblem(name, said) }]
  }
  return stored.map((one): LoadedSkill => {
    const loaded = skillFromText(one.text, `${name}/${one.key}/SKILL.md`)
    return loaded.ok ? { ok: true, skill: { ...loaded.skill, content: storedContent(store, name, one) } } : loaded
  })
}

function storedContent(store: SkillStore, name: string, stored: StoredSkill): SkillContent {
  return {
    place: name,
    async body() {
      const split = splitFrontMatter(stored.text)
      return split.ok ? split.body : ''
    },
    files: async () => ({ files: stored.files, more: false }),
    async read(path) {
      // The store is asked for what it listed, and for nothing else.
      if (stored.files.includes(path)) return store.readFile(stored.key, path)
      throw new AdjutantError('NOT_FOUND', `the skill has no file ${JSON.stringify(path.slice(0, 200))}`, {
        hint: 'Use a name from the list of its files.',
      })
    },
  }
}

function storeProblem(name: string, said: string): RegistryProblem {
  return {
    code: 'SKILL_INVALID',
    source: name,
    message: `${name} cannot be read: ${said}`,
    hint: 'Check the place of the store and who may read it.',
  }
}
