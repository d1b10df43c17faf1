import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { STEP_EXAMPLES, sessionStoreConformance } from '@adjutant/testkit'
import { AdjutantError } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import { FileSessionStore } from './file-store.ts'
import { MemorySessionStore } from './memory-store.ts'
import { isStepRecord } from './step-record.ts'

const folders: string[] = []
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'store-'))
  folders.push(made)
  return made
}
after(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))))

sessionStoreConformance('MemorySessionStore', async () => new MemorySessionStore())
sessionStoreConformance('FileSessionStore', async () => new FileSessionStore(await folder()))

describe('FileSessionStore', () => {
  const id = sessionId('s')

  it('is for its owner only and is read back by another process', async () => {
    const root = await folder()
    await new FileSessionStore(root).append(id, { version: 1, type: 'user', at: 0, text: 'hello' })
    assert.equal((await stat(join(root, 's', 'steps.jsonl'))).mode & 0o777, 0o600)
    assert.equal((await Array.fromAsync(new FileSessionStore(root).read(id))).length, 1)
  })

  it('loses only the last line to a crash in the middle of a write, wherever it was cut', async () => {
    const root = await folder()
    const store = new FileSessionStore(root)
    for (const record of STEP_EXAMPLES) await store.append(id, record)
    const file = join(root, 's', 'steps.jsonl')
    const whole = await readFile(file)
    const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1
    for (let size = whole.length - 1; size > lastLine; size -= 7) {
      await truncate(file, size)
      assert.deepEqual(await Array.fromAsync(store.read(id)), STEP_EXAMPLES.slice(0, -1))
    }
  })

  it('names the line that is broken', async () => {
    const root = await folder()
    const store = new FileSessionStore(root)
    await store.append(id, { version: 1, type: 'user', at: 0, text: 'fine' })
    await appendFile(join(root, 's', 'steps.jsonl'), '{"version":2}\n{"version":1,"type":"constructor"}\n')
    await assert.rejects(Array.fromAsync(store.read(id)), (error: unknown) => {
      return AdjutantError.isInstance(error) && /steps\.jsonl:2 /.test(error.message)
    })
  })
})

describe('a kept step', () => {
  for (const [fixture, count] of [
    ['step-record.v1.jsonl', 4],
    ['step-record.v2.jsonl', 12],
  ] as const) {
    it(`of an older version still loads (golden fixture ${fixture})`, async () => {
      const lines = (await readFile(join(import.meta.dirname, 'fixtures', fixture), 'utf8')).trim().split('\n')
      assert.equal(lines.length, count)
      for (const line of lines) assert.ok(isStepRecord(JSON.parse(line)), line)
    })
  }

  it('of an unknown version or type is refused', () => {
    for (const value of [
      null,
      1,
      [],
      {},
      { version: 2, type: 'user', at: 0, text: '' },
      { version: 1, type: '__proto__' },
      { version: 1, type: 'user' },
    ]) {
      assert.equal(isStepRecord(value), false)
    }
  })
})
