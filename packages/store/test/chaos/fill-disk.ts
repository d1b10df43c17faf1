/**
 * A session on a disk that is full: what was said to be kept is there, what could not be kept was refused, and it goes on as soon as there is room.
 *
 * Usage: node fill-disk.ts FOLDER, where the disk is
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdjutantError, type StepRecord, sessionId, traceId } from '@adjutant/core/contract'
import { openStore } from '../../src/open-store.ts'

const folder = process.argv[2] ?? ''
const ballast = join(folder, 'ballast')
const key = { tenantId: 'local', sessionId: sessionId('full') }
const principal = { tenantId: 'local', userId: 'u', roles: [] }

writeFileSync(ballast, Buffer.alloc(500_000))
await using store = await openStore(`sqlite:${join(folder, 'store.db')}`)
const hold = await store.sessions.hold(key, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'n' })
let kept = 0
let refused: unknown
while (refused === undefined && kept < 10_000) {
  try {
    kept = await hold.keep([step(kept)], { safety: kept % 2 === 0 ? 'durable' : 'written' })
  } catch (error) {
    refused = error
  }
}
const full = AdjutantError.isInstance(refused)
  ? { code: refused.code, outcome: refused.outcome, message: refused.message }
  : String(refused)
const read = (await Array.fromAsync(store.sessions.steps(key))).length
rmSync(ballast)
const after = await hold.keep([step(kept)])
await hold.close()
process.stdout.write(`${JSON.stringify({ full, kept, read, after })}\n`)

function step(number: number): StepRecord {
  return { version: 1, type: 'user', at: number, text: 'x'.repeat(4_000) }
}
