/**
 * A process beside the test's own, on the same store.
 *
 * Usage: node store-child.ts swap URL COUNT | migrate URL | hold URL | append URL
 */
import { randomIds, systemClock } from '@adjutant/core'
import { hot, migrate, openDatabase } from '../src/database/index.ts'

const [verb = '', url = '', count = '0'] = process.argv.slice(2)
const ports = { clock: systemClock, ids: randomIds, retryLimitMs: 60_000 }

const READ = hot<{ fence: number }>("SELECT fence FROM sessions WHERE tenant_id = 'a' AND session_id = 's'")
const SWAP = hot("UPDATE sessions SET fence = fence + 1 WHERE tenant_id = 'a' AND session_id = 's' AND fence = ?")

if (verb === 'swap') {
  await using db = await openDatabase(url, ports)
  let lost = 0
  for (let won = 0; won < Number(count); ) {
    const seen = await db.read('a', (tx) => tx.get(READ))
    // Not durable: what is tested is that none is lost to another process, not the disk.
    const changed = await db.transaction('a', (tx) => tx.run(SWAP, [seen?.fence ?? -1]), { durable: false })
    if (changed === 1) won += 1
    else lost += 1
  }
  process.stdout.write(`${lost}\n`)
} else if (verb === 'migrate') {
  await using db = await openDatabase(url, { ...ports, migrate: 'leave' })
  process.stdout.write('ready\n')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  process.stdin.pause()
  process.stdout.write(`${JSON.stringify(await migrate(db))}\n`)
} else if (verb === 'hold') {
  await using db = await openDatabase(url, ports)
  await db.transaction('a', async () => {
    process.stdout.write('holding\n')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    process.stdin.pause()
  })
} else if (verb === 'append') {
  await using db = await openDatabase(url, ports)
  const append = hot("INSERT INTO events (tenant_id, session_id, seq, at, type, body) VALUES ('a', 's', ?, 1, 'x', ?)")
  const count = hot("UPDATE sessions SET next_seq = next_seq + 1 WHERE tenant_id = 'a' AND session_id = 's'")
  for (let seq = 1; ; seq++) {
    await db.transaction(
      'a',
      async (tx) => {
        await tx.run(append, [seq, new Uint8Array(3_000)])
        await tx.run(count)
      },
      { durable: seq % 2 === 0 },
    )
    process.stdout.write(`${seq}\n`)
  }
} else {
  process.stderr.write(`store-child: unknown verb ${verb}\n`)
  process.exitCode = 2
}
