import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadSkills } from '@adjutant/core'
import { SqliteSkillStore } from '@adjutant/store'
import { openSkillPlaces } from './skill-places.ts'

describe('openSkillPlaces', () => {
  let root: string
  let at: { workspace: string; home: string }
  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'places-')))
    at = { workspace: join(root, 'checkout/packages/a'), home: join(root, 'home') }
    for (const folder of ['checkout/.git', 'checkout/packages/a']) await mkdir(join(root, folder), { recursive: true })
    await put('checkout/.agents/skills', 'style', 'of the checkout')
    await put('checkout/packages/a/.claude/skills', 'style', 'of the package')
    await put('home/.agents/skills', 'style', 'of the person')
    await put('home/.agents/skills', 'mine', 'only mine')
    await put('.agents/skills', 'foreign', 'above the checkout')
  })
  after(() => rm(root, { recursive: true, force: true }))

  async function put(folder: string, name: string, description: string): Promise<void> {
    const path = join(root, folder, name)
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\nDo it.`)
  }

  const described = async (entries: readonly string[]): Promise<readonly string[]> => {
    const { places, close } = await openSkillPlaces(entries, at)
    const { skills, problems } = await loadSkills(places)
    close()
    return [...skills.map((skill) => `${skill.name}: ${skill.description}`), ...problems.map((problem) => problem.code)]
  }

  it('finds the usual places, nearest first, and tells what is hidden', async () => {
    assert.deepEqual(await described(['project', 'user']), [
      'style: of the package',
      'mine: only mine',
      'TOOL_NAME_TAKEN',
      'TOOL_NAME_TAKEN',
    ])
  })

  it('takes them in the order in which they are named', async () => {
    assert.equal(
      (await described(['user', 'project'])).find((line) => line.startsWith('style')),
      'style: of the person',
    )
  })

  it('never looks above the checkout', async () => {
    assert.ok(!(await described(['project'])).some((line) => line.startsWith('foreign')))
  })

  it('opens a store, and says what is wrong with one that is none', async () => {
    const file = join(root, 'skills.sqlite')
    const store = new SqliteSkillStore({ file })
    await store.put('kept', '---\nname: kept\ndescription: in a database\n---\nx')
    await store.close()
    assert.deepEqual(await described([`sqlite:${file}`]), ['kept: in a database'])
    const { problems } = await openSkillPlaces([`sqlite:${join(root, 'gone.sqlite')}`], at)
    assert.match(problems[0]?.message ?? '', /gone\.sqlite does not exist/)
  })
})
