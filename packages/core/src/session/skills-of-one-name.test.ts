/** Skills of several plugins under one name, or under names that only differ in their plugin: a model gets the one it named. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openSession } from '../../test/session-bench.ts'
import { loadSkillFolders } from '../registry/loaders/skill/load-folder.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

async function plugins(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'adjutant-plugins-'))
  folders.push(root)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return root
}

const skill = (name: string, body: string): string =>
  `---\nname: "${name}"\ndescription: Configures ${body}.\n---\nInstructions of ${body}.\n`

describe('skills of two plugins', () => {
  it('whose names differ in the plugin only are two: each name gives its own instructions', async () => {
    const root = await plugins({
      'telegram/configure/SKILL.md': skill('telegram:configure', 'telegram'),
      'signal/configure/SKILL.md': skill('signal:configure', 'signal'),
    })
    const { tools, problems } = await loadSkillFolders([join(root, 'telegram'), join(root, 'signal')])
    assert.deepEqual([tools.length, problems], [2, []])
    await using bench = openSession(tools, { catalog: { disclosure: 'on' } })
    for (const plugin of ['signal', 'telegram']) {
      const own = tools.find(({ origin }) => origin.from.includes(`/${plugin}/`))
      assert.ok(own !== undefined)
      const [loaded] = await bench.run(['load_skill', { name: own.name }])
      assert.match(loaded?.text ?? '', new RegExp(`Instructions of ${plugin}\\.`))
      const [qualified] = await bench.run(['load_skill', { name: `${plugin}:configure` }])
      // By the name it was written under: its own, or none with the right one named; never the other plugin's.
      assert.doesNotMatch(qualified?.text ?? '', new RegExp(`Instructions of ${plugin === 'signal' ? 'telegram' : 'signal'}`))
      assert.ok(qualified?.text.includes(own.name) || qualified?.text.includes(`Instructions of ${plugin}.`), qualified?.text)
    }
  })

  it('of one name and different text: the first is there, the other one is named as hidden, and is never loaded', async () => {
    const root = await plugins({
      'signal/configure/SKILL.md': skill('configure', 'signal'),
      'telegram/configure/SKILL.md': skill('configure', 'telegram'),
    })
    for (const [first, second] of [
      ['signal', 'telegram'],
      ['telegram', 'signal'],
    ] as const) {
      const { tools, problems } = await loadSkillFolders([join(root, first), join(root, second)])
      assert.equal(tools.length, 1)
      assert.match(problems[0]?.message ?? '', new RegExp(`${second}/configure/SKILL\\.md.*hidden by.*${first}/configure/SKILL\\.md`))
      await using bench = openSession(tools, { catalog: { disclosure: 'on' } })
      const [loaded] = await bench.run(['load_skill', { name: 'configure' }])
      assert.match(loaded?.text ?? '', new RegExp(`Instructions of ${first}\\.`))
    }
  })
})
