/** Taking away, handing out, sweeping, copying and checking: over every table, on every database. */
import assert from 'node:assert/strict'
import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { GOLDEN_KEY, rowsAsText } from '../../test/golden.ts'
import { openStore, STORE_KINDS, testFolder } from '../../test/open-stores.ts'
import { insertSample } from '../../test/sample-rows.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { hot } from './hot.ts'
import { backup, check, eraseSession, eraseUser, exportSession, exportUser, restore, sweep } from './index.ts'
import type { StoreDatabase } from './store-database.ts'

const T0 = 1_700_000_000_000

async function filled(kind: (typeof STORE_KINDS)[number], clock = new ManualClock(T0)): Promise<StoreDatabase> {
  const db = await openStore(kind, { clock, encryptionKey: GOLDEN_KEY })
  for (const tenant of ['a', 'b']) {
    for (const n of [1, 2]) await db.transaction(tenant, (tx) => insertSample(tx, db.seal, tenant, n))
  }
  return db
}

async function linesOf(work: (write: (line: string) => void) => Promise<unknown>): Promise<readonly Record<string, unknown>[]> {
  const lines: string[] = []
  await work((line) => {
    lines.push(line)
  })
  return lines.map((line) => JSON.parse(line))
}

/** Lines of the store that say anything of this session or this person. */
async function mentions(db: StoreDatabase, tenant: string, ...words: readonly string[]): Promise<readonly string[]> {
  const lines = (await rowsAsText(db)).split('\n').filter((line) => line.includes(`"tenant_id":"${tenant}"`))
  return lines.filter((line) => words.some((word) => line.includes(word)))
}

const refused = (code: string, text: RegExp) => (error: unknown) => {
  assert.ok(AdjutantError.isInstance(error), String(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, text)
  return true
}

for (const kind of STORE_KINDS) {
  describe(`looking after a store on ${kind}`, () => {
    it('an erased session is gone from every table, and nothing else is', async () => {
      const db = await filled(kind)
      const others = (await rowsAsText(db))
        .split('\n')
        .filter((line) => !/"tenant_id":"a"/.test(line) || /s2|u2|c2|skill|"d1"|fact1|"key1","value"|gone/.test(line))
      const report = await eraseSession(db, { tenantId: 'a', sessionId: 's1' }, { portion: 1 })
      assert.deepEqual(report.erased, {
        checkpoints: 1,
        calls: 1,
        approvals: 1,
        result_pieces: 1,
        results: 1,
        session_secrets: 1,
        jobs: 1,
        deliveries: 1,
        events: 1,
        sessions: 1,
      })
      assert.deepEqual(report.emptied, { audit: 1, metering: 1 })
      // What stays: the skeleton of the audit log and that there was an erasure.
      const left = await mentions(db, 'a', '"s1"')
      assert.deepEqual(left.map((line) => JSON.parse(line).table).sort(), ['audit', 'erasures'])
      assert.ok(left.every((line) => !/"text":"[^"]/.test(line)))
      const after = (await rowsAsText(db)).split('\n')
      for (const line of others) assert.ok(after.includes(line), line)
      assert.deepEqual((await check(db, { bodies: true })).findings, [])
      await assert.rejects(eraseSession(db, { tenantId: 'a', sessionId: 's1' }), refused('NOT_FOUND', /s1/))
      await assert.rejects(eraseSession(db, { tenantId: 'c', sessionId: 's2' }), refused('NOT_FOUND', /s2/))
    })

    it('a session that is in somebody’s hand is taken from them first', async () => {
      const db = await filled(kind)
      const write = hot("UPDATE sessions SET next_seq = next_seq + 1 WHERE tenant_id = 'a' AND session_id = 's1' AND fence = 3")
      assert.equal(await db.transaction('a', (tx) => tx.run(write)), 1)
      const erasing = eraseSession(db, { tenantId: 'a', sessionId: 's1' }, { portion: 1 })
      // Whatever of it has happened by now: under the fence of before nothing is written any more once the erasure has begun.
      const tries = Array.from({ length: 8 }, () => db.transaction('a', (tx) => tx.run(write)))
      await erasing
      await Promise.all(tries)
      assert.equal(await db.transaction('a', (tx) => tx.run(write)), 0)
      assert.deepEqual((await mentions(db, 'a', '"s1"')).map((line) => JSON.parse(line).table).sort(), ['audit', 'erasures'])
    })

    it('an erasure that a crash interrupted is ended by the next sweep', async () => {
      const clock = new ManualClock(T0)
      const db = await filled(kind, clock)
      // The state that a crash after the first step leaves.
      await db.transaction('a', async (tx) => {
        await tx.run(
          hot("INSERT INTO erasures (tenant_id, subject, subject_id, at, reason, open) VALUES ('a', 'session', 's1', 1, 'asked', 1)"),
        )
        await tx.run(hot("DELETE FROM events WHERE tenant_id = 'a' AND session_id = 's1'"))
      })
      assert.equal(
        (await check(db)).findings.some((finding) => finding.check === 'erasures'),
        true,
      )
      assert.equal((await sweep(db, { now: T0 })).swept.sessions, 1)
      assert.deepEqual((await mentions(db, 'a', '"s1"')).map((line) => JSON.parse(line).table).sort(), ['audit', 'erasures'])
      assert.deepEqual((await check(db)).findings, [])
      assert.equal((await sweep(db, { now: T0 })).swept.sessions, 0)
    })

    it('an erased person is named nowhere in what was theirs', async () => {
      const db = await filled(kind)
      await db.transaction('a', (tx) => tx.run(hot("UPDATE approvals SET decided_by = 'u1' WHERE tenant_id = 'a' AND approval_id = 'a2'")))
      const report = await eraseUser(db, { tenantId: 'a', userId: 'u1' })
      assert.equal(report.erased.sessions, 1)
      assert.equal(report.erased.facts, 1)
      assert.equal(report.emptied.approvals, 1)
      assert.deepEqual(await mentions(db, 'a', '"u1"'), [])
      assert.equal((await mentions(db, 'b', '"u1"')).length > 0, true)
      assert.deepEqual((await check(db)).findings, [])
      // Of somebody unknown nothing is there to take.
      assert.equal((await eraseUser(db, { tenantId: 'a', userId: 'nobody' })).erased.sessions ?? 0, 0)
    })

    it('an export is whole, opened, and says its own length', async () => {
      const db = await filled(kind)
      const lines = await linesOf((write) => exportSession(db, { tenantId: 'a', sessionId: 's1' }, write))
      assert.deepEqual(lines[0], { format: 'adjutant-export', version: 1, subject: 'session', tenant: 'a', id: 's1', at: T0 })
      assert.deepEqual(lines.at(-1), { end: true, rows: 11 })
      assert.deepEqual(
        lines.slice(1, -1).map((line) => line.table),
        ['sessions', 'events', 'checkpoints', 'calls', 'approvals', 'results', 'result_pieces', 'audit', 'metering', 'jobs', 'deliveries'],
      )
      assert.match(JSON.stringify(lines[2]), /größe 🐝/)
      const person = await linesOf((write) => exportUser(db, { tenantId: 'a', userId: 'u2' }, write))
      assert.equal(person.length, 14)
      assert.ok(person.every((line) => !JSON.stringify(line).includes('"u1"')))
      await assert.rejects(
        exportSession(db, { tenantId: 'c', sessionId: 's1' }, () => {}),
        refused('NOT_FOUND', /s1/),
      )
      assert.equal((await linesOf((write) => exportUser(db, { tenantId: 'c', userId: 'u1' }, write))).length, 2)
    })

    it('an export of many rows gives each once and in order', async () => {
      const db = await openStore(kind)
      await db.transaction('a', async (tx) => {
        await insertSample(tx, db.seal, 'a', 1)
        const body = db.seal.seal('{}', ['events.body', 'a', 's1', 2])
        for (let seq = 2; seq <= 950; seq++) await tx.run(hot("INSERT INTO events VALUES ('a', 's1', ?, 1, 'x', ?)"), [seq, body])
      })
      const seqs = (await linesOf((write) => exportSession(db, { tenantId: 'a', sessionId: 's1' }, write)))
        .filter((line) => line.table === 'events')
        .map((line) => JSON.stringify(line).match(/"seq":(\d+)/)?.[1])
      assert.deepEqual(
        seqs,
        Array.from({ length: 950 }, (_, index) => String(index + 1)),
      )
    })

    it('a sweep takes what is due, in portions, and leaves the rest', async () => {
      const db = await filled(kind)
      const { swept } = await sweep(db, { now: T0 })
      assert.ok(Object.keys(swept).length >= 9)
      assert.ok(Object.values(swept).every((rows) => rows === 0))
      const first = await sweep(db, { now: T0 + 1_001, portion: 1, portions: 1 })
      assert.deepEqual([first.swept.facts, first.swept.cache, first.more], [1, 1, true])
      const rest = await sweep(db, { now: T0 + 1_001, portion: 1 })
      assert.deepEqual([rest.swept.facts, rest.swept.cache], [1, 1])
      const late = await sweep(db, { now: T0 + 86_400_001 })
      assert.deepEqual([late.swept.facts, late.swept.cache, late.swept.sessions, late.more], [2, 2, 2, false])
      const [row] = await db.system((tx) =>
        tx.all(hot<{ reason: string }>("SELECT reason FROM erasures WHERE subject_id = 's1' AND tenant_id = 'a'")),
      )
      assert.equal(row?.reason, 'retention')
      const last = await sweep(db, { now: T0 + 40 * 86_400_000 })
      assert.deepEqual([last.swept.sessions, last.swept.jobs, last.more], [2, 2, false])
      assert.deepEqual((await check(db)).findings, [])
    })

    it('a backup as lines comes back in any database, row by row', async () => {
      const db = await filled(kind)
      const file = join(await testFolder(), 'backup.jsonl')
      const report = await backup(db, file, { form: 'lines' })
      assert.equal(report.form, 'lines')
      assert.equal((await stat(file)).mode & 0o777, 0o600)
      assert.doesNotMatch(await readFile(file, 'utf8'), /größe/)
      for (const other of STORE_KINDS) {
        const copy = await openStore(other, { encryptionKey: GOLDEN_KEY })
        assert.deepEqual(await restore(copy, file), { rows: report.rows })
        assert.deepEqual((await rowsAsText(copy)).split('\n'), (await rowsAsText(db)).split('\n'))
        await assert.rejects(restore(copy, file), refused('CONFLICT', /rows already/))
      }
      await assert.rejects(backup(db, file), refused('CONFLICT', /exists/))
    })

    it('a backup that was cut off or changed is refused with the place, and leaves nothing', async () => {
      const db = await filled(kind)
      const file = join(await testFolder(), 'backup.jsonl')
      await backup(db, file, { form: 'lines' })
      const whole = await readFile(file, 'utf8')
      const empty = await openStore(kind)
      const nothing = await rowsAsText(empty)
      const lines = whole.split('\n')
      const changes: readonly (readonly [string, RegExp])[] = [
        ['', /cut off/],
        [whole.slice(0, whole.lastIndexOf('{"end"')), /cut off/],
        [whole.slice(0, whole.length / 2), /line \d+ of .*no JSON|cut off/],
        [lines.filter((_, index) => index !== 1).join('\n'), /have others|belong|refused|foreign|constraint/i],
        [`${whole}{"x":1}\n`, /follows the end/],
        [whole.replace('adjutant-backup', 'other'), /line 1 of .*no backup/],
        [whole.replace('0001-first', '0999-later'), /newer program/],
        [whole.replace('"table":"skills"', '"table":"pg_user"'), /no row of a table/],
        [whole.replace('"user_id"', '"user_id, x"'), /columns/],
        [whole.replace('"fence":3', '"fence":{"a":1}'), /no column can have/],
      ]
      for (const [text, says] of changes) {
        await writeFile(file, text)
        await assert.rejects(restore(empty, file), (error: unknown) => {
          assert.ok(AdjutantError.isInstance(error), String(error))
          assert.match(error.message, says)
          return true
        })
        assert.equal(await rowsAsText(empty), nothing)
      }
      await assert.rejects(restore(empty, join(await testFolder(), 'none')), refused('STORE_FAILED', /ENOENT/))
    })

    it('a check finds what does not belong together', async () => {
      const db = await filled(kind)
      assert.deepEqual(await check(db, { bodies: true }), {
        ok: true,
        findings: [],
        version: { found: MIGRATIONS.length, newest: MIGRATIONS.length },
      })
      await db.system(async (tx) => {
        await tx.run(hot("UPDATE sessions SET next_seq = 5 WHERE tenant_id = 'a' AND session_id = 's1'"))
        await tx.run(hot("UPDATE checkpoints SET seq = 9 WHERE tenant_id = 'b' AND session_id = 's2'"))
        await tx.run(hot("UPDATE calls SET outcome = NULL WHERE tenant_id = 'a' AND call_id = 'c1'"))
        await tx.run(hot("UPDATE approvals SET decision = NULL WHERE tenant_id = 'a' AND approval_id = 'a1'"))
        await tx.run(hot("UPDATE jobs SET ended_at = NULL WHERE tenant_id = 'a' AND job_id = 'j1'"))
        await tx.run(hot("INSERT INTO audit VALUES ('a', 's1', 2, 'sha256:other', 'h', 't'), ('a', 's2', 3, 'x', 'y', 'z')"))
      })
      const report = await check(db)
      assert.equal(report.ok, false)
      assert.deepEqual(report.findings.map((finding) => `${finding.check} ${finding.message.split(':')[0]}`).sort(), [
        'approvals a/a1',
        'audit a/s1/2',
        'audit a/s2/3',
        'calls a/s1/1/c1',
        'checkpoints b/s2/9',
        'events a/s1',
        'jobs a/j1',
      ])
      assert.ok(report.findings.every(({ hint }) => hint !== ''))
      const sealed = await check(db, { bodies: true })
      assert.ok(sealed.findings.some((finding) => finding.check === 'bodies' && /checkpoints.body\/b\/s2\/9/.test(finding.message)))
    })
  })
}

describe('looking after a SQLite file', () => {
  it('what was erased is in none of its files any more', async () => {
    const folder = await testFolder()
    const db = await openStore(`sqlite:${join(folder, 'x.db')}`)
    await db.transaction('a', async (tx) => {
      await insertSample(tx, db.seal, 'a', 1)
      await tx.run(hot("INSERT INTO events VALUES ('a', 's1', 2, 1, 'x', ?)"), [Buffer.from(`0${'the secret of s1 '.repeat(500)}`)])
    })
    const found = async (): Promise<boolean> => {
      const files = await Promise.all(['x.db', 'x.db-wal'].map((name) => readFile(join(folder, name)).catch(() => Buffer.alloc(0))))
      return files.some((bytes) => bytes.includes('the secret of s1'))
    }
    assert.equal(await found(), true)
    await eraseSession(db, { tenantId: 'a', sessionId: 's1' })
    assert.equal(await found(), false)
  })

  it('a backup is a store of its own, taken while somebody writes', async () => {
    const db = await filled('sqlite-file')
    const file = join(await testFolder(), 'copy.db')
    const writing = (async () => {
      for (let n = 10; n < 30; n++) await db.transaction('w', (tx) => insertSample(tx, db.seal, 'w', n))
    })()
    assert.deepEqual(await backup(db, file), { file, form: 'sqlite' })
    await writing
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const copy = await openStore(`sqlite:${file}`, { encryptionKey: GOLDEN_KEY })
    assert.deepEqual((await check(copy, { bodies: true })).findings, [])
    const kept = (await rowsAsText(copy)).split('\n').filter((line) => !line.includes('"tenant_id":"w"'))
    assert.deepEqual(
      kept,
      (await rowsAsText(db)).split('\n').filter((line) => !line.includes('"tenant_id":"w"')),
    )
  })

  it('one in memory is copied as well', async () => {
    const db = await filled('sqlite-memory')
    const file = join(await testFolder(), 'copy.db')
    await backup(db, file)
    assert.equal(await rowsAsText(await openStore(`sqlite:${file}`, { encryptionKey: GOLDEN_KEY })), await rowsAsText(db))
  })

  it('a backup that cannot be written leaves no part of itself', async () => {
    const db = await filled('sqlite-file')
    await assert.rejects(backup(db, join(await testFolder(), 'no/such/folder.db')), refused('STORE_FAILED', /ENOENT/))
  })

  it('damage and orphans are found', async () => {
    const folder = await testFolder()
    const file = join(folder, 'x.db')
    {
      const db = await openStore(`sqlite:${file}`)
      for (let n = 0; n < 60; n++) await db.transaction('a', (tx) => insertSample(tx, db.seal, 'a', n))
      await db.close()
      using other = new DatabaseSync(file, { enableForeignKeyConstraints: false })
      other.exec("DELETE FROM sessions WHERE session_id = 's7'")
    }
    const db = await openStore(`sqlite:${file}`)
    assert.deepEqual(
      (await check(db)).findings.filter((finding) => finding.check === 'foreign-keys').map(({ message }) => message.split(' rows')[0]),
      ['1', '1', '1', '1', '1', '1', '1'],
    )
    await db.close()
    await truncate(file, (await stat(file)).size - 40_960)
    const damaged = await openStore(`sqlite:${file}`, { migrate: 'leave' })
      .then((opened) => check(opened))
      .catch((error: unknown) => error)
    if (AdjutantError.isInstance(damaged)) assert.match(damaged.message, /damaged/)
    else assert.ok(typeof damaged === 'object' && damaged !== null && 'ok' in damaged && damaged.ok === false)
  })
})
