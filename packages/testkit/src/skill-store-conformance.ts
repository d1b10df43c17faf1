import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, type SkillStore } from '@adjutant/core/contract'

/** A store under test, and how to put a skill into it. */
export interface SkillStoreBench {
  readonly store: SkillStore
  put(key: string, text: string, files?: Readonly<Record<string, Uint8Array>>): void | Promise<void>
}

/**
 * What every {@link SkillStore} must do. Call it inside a test file, with a maker of empty stores.
 *
 * @example
 * ```ts
 * skillStoreConformance('SqliteSkillStore', async () => ({ store, put: (...skill) => store.put(...skill) }))
 * ```
 */
export function skillStoreConformance(name: string, make: () => Promise<SkillStoreBench>): void {
  describe(`${name} is a skill store`, () => {
    it('is empty at first', async () => {
      assert.deepEqual(await (await make()).store.skills(), [])
    })

    it('gives back texts and files unchanged, in the same order each time', async () => {
      const { store, put } = await make()
      const bytes = new Uint8Array([0, 255, 10, 13])
      const text = '\ufeff---\r\nname: b\r\ndescription: "x"\r\n---\r\n\u0000 🧭'
      await put('b', text, { 'scripts/run.py': bytes, 'a.md': new Uint8Array() })
      await put('a', '---\nname: a\n---\n')
      const listed = await store.skills()
      assert.deepEqual(
        listed.map(({ key, files }) => [key, files.toSorted()]),
        [
          ['a', []],
          ['b', ['a.md', 'scripts/run.py']],
        ],
      )
      assert.equal(listed[1]?.text, text)
      assert.deepEqual(new Uint8Array(await store.readFile('b', 'scripts/run.py')), bytes)
      assert.deepEqual(await store.skills(), listed)
    })

    it('puts a skill in the place of one with its key, files and all', async () => {
      const { store, put } = await make()
      await put('a', 'old', { old: new Uint8Array([1]) })
      await put('a', 'new', { new: new Uint8Array([2]) })
      assert.deepEqual(await store.skills(), [{ key: 'a', text: 'new', files: ['new'] }])
      await assert.rejects(store.readFile('a', 'old'), isNotFound)
    })

    it('says NOT_FOUND of what it does not have, whatever it is asked for', async () => {
      const { store, put } = await make()
      await put('a', 'x', { f: new Uint8Array([1]) })
      for (const [key, path] of [
        ['a', '../a/f'],
        ['a', ''],
        ['b', 'f'],
        ["a' OR '1'='1", 'f'],
        ['__proto__', 'constructor'],
      ] as const) {
        await assert.rejects(store.readFile(key, path), isNotFound)
      }
    })
  })
}

function isNotFound(error: unknown): boolean {
  return AdjutantError.isInstance(error) && error.code === 'NOT_FOUND'
}
