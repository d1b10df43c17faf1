import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { MemoryFiles } from './memory-files.ts'

const bytes = (length: number): { bytes: Uint8Array; modifiedAt: number } => ({ bytes: new Uint8Array(length), modifiedAt: 7 })
const code = (expected: string) => (error: unknown) => AdjutantError.isInstance(error) && error.code === expected

describe('files in memory', () => {
  it('lists files and the folders that hold them, and forgets a folder with its last file', () => {
    const files = new MemoryFiles({ bytes: 100, files: 10 })
    files.write('a/b/c.txt', bytes(3))
    files.write('./a//d.txt', bytes(2))
    assert.deepEqual(files.list(), [
      { path: 'a', type: 'folder', bytes: 0, modifiedAt: 7 },
      { path: 'a/b', type: 'folder', bytes: 0, modifiedAt: 7 },
      { path: 'a/b/c.txt', type: 'file', bytes: 3, modifiedAt: 7 },
      { path: 'a/d.txt', type: 'file', bytes: 2, modifiedAt: 7 },
    ])
    assert.deepEqual(
      files.list('a/b').map(({ path }) => path),
      ['a/b/c.txt'],
    )
    assert.deepEqual(files.remove('a/b'), ['a/b/c.txt'])
    assert.throws(() => files.list('a/b'), code('NOT_FOUND'))
    assert.equal(files.count, 2)
  })

  it('refuses what does not fit and keeps what was there', () => {
    const files = new MemoryFiles({ bytes: 10, files: 3 })
    files.write('a', bytes(8))
    assert.throws(() => files.write('b', bytes(3)), code('TOO_LARGE'))
    files.write('a', bytes(10))
    assert.throws(() => files.write('x/y/z', bytes(0)), code('TOO_LARGE'))
    files.write('x/y', bytes(0))
    assert.throws(() => files.write('c', bytes(0)), code('TOO_LARGE'))
    assert.equal(files.read('a').bytes.byteLength, 10)
  })

  it('refuses a file where a folder is, a folder where a file is, and every path that leads out', () => {
    const files = new MemoryFiles({ bytes: 100, files: 10 })
    files.write('a/b', bytes(1))
    assert.throws(() => files.write('a', bytes(1)), code('CONFLICT'))
    assert.throws(() => files.write('a/b/c', bytes(1)), code('CONFLICT'))
    assert.throws(() => files.read('a'), code('CONFLICT'))
    assert.throws(() => files.list('a/b'), code('CONFLICT'))
    assert.throws(() => files.write('', bytes(1)), code('CONFLICT'))
    for (const path of ['../x', 'a/../../x', '/etc/passwd', 'a\0b', '%2e%2e/x', 'a/..\\x']) {
      for (const attempt of [() => files.read(path), () => files.write(path, bytes(1)), () => files.remove(path), () => files.list(path)]) {
        assert.throws(attempt, code('PATH_OUTSIDE_WORKSPACE'))
      }
    }
    for (const path of ['__proto__', 'constructor', 'toString']) assert.throws(() => files.read(path), code('NOT_FOUND'))
  })

  it('counts as a plain map would, whatever is done in whatever order', () => {
    const path = fc.array(fc.constantFrom('a', 'b', '__proto__'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), path, size: fc.nat(8) }),
      fc.record({ do: fc.constant('remove' as const), path, size: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const files = new MemoryFiles({ bytes: 40, files: 6 })
        const model = new Map<string, number>()
        for (const one of steps) {
          if (one.do === 'remove') {
            files.remove(one.path)
            for (const key of [...model.keys()]) if (key === one.path || key.startsWith(`${one.path}/`)) model.delete(key)
            continue
          }
          try {
            files.write(one.path, bytes(one.size))
            model.set(one.path, one.size)
          } catch (error) {
            assert.ok(AdjutantError.isInstance(error))
          }
        }
        const listed = files.list().filter(({ type }) => type === 'file')
        assert.deepEqual(new Map(listed.map((file) => [file.path, file.bytes])), model)
        assert.equal(
          files.bytes,
          [...model.values()].reduce((sum, size) => sum + size, 0),
        )
        assert.equal(files.count, files.list().length)
        assert.ok(files.bytes <= 40 && files.count <= 6)
      }),
      { numRuns: 300 },
    )
  })
})
