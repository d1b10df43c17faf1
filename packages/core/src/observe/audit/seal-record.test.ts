import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessionId, traceId } from '../../contract/ids.ts'
import { sealAuditRecord } from './seal-record.ts'
import { verifyAudit } from './verify-audit.ts'

const entry = {
  at: '2026-01-01T00:00:00.000Z',
  sessionId: sessionId('s'),
  traceId: traceId('1'.padStart(32, '0')),
  tenant: 'acme',
  user: 'ann \u0000',
  type: 'task',
  body: { z: 1, a: '🧭' },
} as const

describe('sealAuditRecord', () => {
  for (const key of [undefined, 'a key of sixteen bytes']) {
    it(`makes a chain that verifies ${key === undefined ? 'without' : 'with'} a key`, async () => {
      let head = { seq: 0, hash: '' }
      const lines: { readonly text: string; readonly complete: true }[] = []
      for (let count = 0; count < 3; count += 1) {
        const sealed = sealAuditRecord(entry, head, key)
        lines.push({ text: sealed.text, complete: true })
        head = sealed
      }
      const report = await verifyAudit(lines, { sessionId: 's', ...(key === undefined ? {} : { key }) })
      assert.deepEqual([report.ok, report.records, report.head], [true, 3, head.hash], JSON.stringify(report.problems))
      const [first, , third] = lines
      assert.ok(first !== undefined && third !== undefined)
      assert.equal((await verifyAudit([first, third], key === undefined ? {} : { key })).ok, false)
    })
  }

  it('refuses a key that can be guessed', () => {
    assert.throws(() => sealAuditRecord(entry, { seq: 0, hash: '' }, 'short'), { code: 'CONFIG_INVALID' })
  })
})
