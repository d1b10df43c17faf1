import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { backendNames, CLAIMS, GUARANTEES, PAGE, securityTable, tableOf } from '../test/security-table.ts'
import { e2bBackend, openSandboxes } from './index.ts'

describe('the table of docs/security.md', () => {
  it('is in the page as it is', async () => {
    const again = 'run: node --conditions=adjutant-source packages/sandbox/test/security-table.ts'
    assert.equal(tableOf(await readFile(PAGE, 'utf8')), securityTable(), again)
  })

  it('speaks of each backend that is chosen from, and of no other', () => {
    assert.deepEqual([...backendNames()].sort(), Object.keys(CLAIMS).sort())
  })

  it('says of each backend that works here what it says of itself', async (test) => {
    await using sandboxes = openSandboxes({ clock: systemClock, ids: randomIds })
    const asked: string[] = []
    for (const { name, ok, enforces } of await sandboxes.describe()) {
      const claims = CLAIMS[name]
      if (claims === undefined || !ok) continue
      asked.push(name)
      const held = new Set(enforces)
      for (const guarantee of GUARANTEES) {
        const claim = claims[guarantee]
        if (claim === true) assert.ok(held.has(guarantee), `${name} does not enforce ${guarantee} here; the page says that it does`)
        if (claim === undefined) assert.ok(!held.has(guarantee), `${name} enforces ${guarantee} here; the page says that it does not`)
      }
    }
    test.diagnostic(`asked: ${asked.join(', ')}`)
    // Those of WebAssembly work everywhere.
    assert.ok(asked.includes('quickjs') && asked.includes('sqljs'))
  })

  it('says of a remote service what is taken of it', () => {
    const taken = (env: Readonly<Record<string, string>>): readonly string[] => [...e2bBackend({ clock: systemClock, env }).enforces].sort()
    const claims = Object.entries(CLAIMS.e2b ?? {})
    assert.deepEqual(taken({ E2B_API_KEY: 'e2b_0000' }), claims.map(([guarantee]) => guarantee).sort())
    const always = claims.filter(([, claim]) => claim === true).map(([guarantee]) => guarantee)
    assert.deepEqual(taken({ E2B_API_KEY: 'k', E2B_API_URL: 'http://127.0.0.1:1', E2B_SANDBOX_URL: 'http://127.0.0.1:1' }), always.sort())
  })
})
