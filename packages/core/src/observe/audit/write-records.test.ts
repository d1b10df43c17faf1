import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import type { SealedAuditRecord } from '../../contract/audit.ts'
import { writeRecords } from './write-records.ts'

const root = await mkdtemp(join(tmpdir(), 'adjutant-write-records-'))
after(() => rm(root, { recursive: true, force: true }))
let files = 0

function recordOf(text: string): SealedAuditRecord {
  return { seq: 1, previous: '', hash: '', text }
}

async function written(texts: readonly string[]): Promise<{ readonly bytes: number; readonly content: string }> {
  files += 1
  const path = join(root, `${files}`)
  const file = await open(path, 'a')
  try {
    const bytes = await writeRecords(file, texts.map(recordOf))
    return { bytes, content: await readFile(path, 'utf8') }
  } finally {
    await file.close()
  }
}

describe('records that are written', () => {
  it('are lines in their order, wherever the pieces end', async () => {
    const text = fc
      .tuple(fc.constantFrom('x', 'é', '€', '🧭'), fc.integer({ min: 0, max: 30_000 }))
      .map(([letter, count]) => letter.repeat(count))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 12 }), async (texts) => {
        const expected = texts.map((one) => `${one}\n`).join('')
        const { bytes, content } = await written(texts)
        assert.equal(content, expected)
        assert.equal(bytes, Buffer.byteLength(expected))
      }),
      { numRuns: 40 },
    )
  })

  it('may be longer than a piece, or many more than are written at once', async () => {
    for (const texts of [
      ['x'.repeat(300_000)],
      ['a', '€'.repeat(50_000), 'b'],
      Array.from({ length: 3_000 }, (_, at) => `${at}`.repeat(150)),
    ]) {
      const expected = texts.map((one) => `${one}\n`).join('')
      const { bytes, content } = await written(texts)
      assert.ok(content === expected)
      assert.equal(bytes, Buffer.byteLength(expected))
    }
  })
})
