import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { AdjutantError, loadSkills } from '@adjutant/core'
import { skillStoreConformance, testContext } from '@adjutant/testkit'
import { openStore, STORE_KINDS } from '../test/open-stores.ts'
import { DatabaseSkillStore } from './database-skill-store.ts'
import { SqliteSkillStore } from './sqlite-skill-store.ts'

const folders: string[] = []
const opened: SqliteSkillStore[] = []
after(async () => {
  await Promise.all(opened.map((store) => store.close()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
})

async function file(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skills-'))
  folders.push(folder)
  return join(folder, 'skills.sqlite')
}

function open(path: string, tenantId?: string): SqliteSkillStore {
  const store = new SqliteSkillStore({ file: path, ...(tenantId === undefined ? {} : { tenantId }) })
  opened.push(store)
  return store
}

skillStoreConformance('SqliteSkillStore', async () => {
  const store = open(await file())
  return { store, put: (key, text, files) => store.put(key, text, files) }
})

for (const kind of STORE_KINDS) {
  skillStoreConformance(`DatabaseSkillStore on ${kind}`, async () => {
    const store = new DatabaseSkillStore(await openStore(kind), 'acme')
    return { store, put: (key, text, files) => store.put(key, text, files) }
  })

  describe(`DatabaseSkillStore on ${kind}`, () => {
    it('keeps tenants apart (A13)', async () => {
      const db = await openStore(kind)
      const [a, b] = [new DatabaseSkillStore(db, 'a'), new DatabaseSkillStore(db, 'b')]
      await a.put('x', 'of a', { f: new Uint8Array([1]) })
      await b.put('x', 'of b')
      assert.deepEqual(
        (await a.skills()).map((skill) => skill.text),
        ['of a'],
      )
      await assert.rejects(b.readFile('x', 'f'))
      assert.equal(await b.remove('x'), true)
      assert.equal(await b.remove('x'), false)
      assert.equal((await a.skills()).length, 1)
    })
  })
}

describe('SqliteSkillStore', () => {
  it('is still there when it is opened again, also as part of a whole store', async () => {
    const path = await file()
    const first = open(path)
    await first.put('x', 'kept')
    await first.close()
    assert.equal((await open(path).skills())[0]?.text, 'kept')
    const db = await openStore(`sqlite:${path}`)
    assert.equal((await new DatabaseSkillStore(db, 'local').skills())[0]?.text, 'kept')
  })

  it('does what was asked for in order, also when nobody waits', async () => {
    const store = open(await file())
    const done = [store.put('x', 'one'), store.put('x', 'two'), store.put('y', 'three'), store.remove('y')]
    assert.deepEqual(
      (await store.skills()).map(({ text }) => text),
      ['two'],
    )
    await Promise.all(done)
  })

  it('refuses a file that is no such store, and leaves it as it is', async () => {
    const text = await file()
    await writeFile(text, 'not a database, but long enough to be looked at as one: '.repeat(40))
    const other = await file()
    const database = new DatabaseSync(other)
    database.exec('CREATE TABLE mine (x)')
    database.close()
    for (const path of [text, other]) {
      await assert.rejects(
        open(path).skills(),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && error.message.includes(path),
      )
    }
    const again = new DatabaseSync(other)
    assert.deepEqual(
      again
        .prepare('SELECT name FROM sqlite_master')
        .all()
        .map((row) => row.name),
      ['mine'],
    )
    again.close()
  })

  it('gives skills that load as those of folders do, with files to read on demand (A4)', async () => {
    const store = open(await file())
    await store.put('house-style', '---\nname: house-style\ndescription: Use for reports.\n---\nWrite short sentences.', {
      'examples/good.md': new TextEncoder().encode('Rain fell.'),
      'logo.png': new Uint8Array([0x89, 0x50, 0xff]),
    })
    await store.put('broken', 'no front matter at all')
    const { skills, tools, problems } = await loadSkills([{ store, name: 'team skills' }])
    assert.deepEqual(
      skills.map((skill) => skill.name),
      ['house-style'],
    )
    assert.match(problems[0]?.message ?? '', /team skills\/broken\/SKILL\.md/)
    const [tool] = tools
    assert.ok(tool !== undefined)
    await using cx = await testContext()
    assert.match(String(await tool.execute({}, cx)), /Write short sentences\.[\s\S]*<file>examples\/good\.md<\/file>/)
    assert.equal(await tool.execute({ file: 'examples/good.md' }, cx), 'Rain fell.')
    for (const [path, code] of [
      ['logo.png', 'UNSUPPORTED'],
      ['../broken/SKILL.md', 'NOT_FOUND'],
    ] as const) {
      await assert.rejects(
        async () => tool.execute({ file: path }, cx),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === code,
      )
    }
  })
})
