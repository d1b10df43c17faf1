import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { boxMissing, startBox } from '../test-box.test-helper.ts'
import { readBoxStatus } from './box-status.ts'
import { endBox, pidNamespaceMembers, pidNamespaceOf, waitUntil } from './pid-namespace.ts'
import { identifyProcess, isRunning } from './process-identity.ts'

/** Forks twice, leaves its session, ignores what can be ignored; says when it is there. */
const STUBBORN =
  "trap '' TERM HUP INT; for i in 1 2 3; do (setsid sh -c \"trap '' TERM HUP INT; while :; do sleep 100; done\" &) ; done; echo ready; while :; do sleep 100; done"

describe('endBox', { skip: boxMissing() }, () => {
  it('ends all of a box, also what tries to stay', async () => {
    const box = startBox(['/bin/bash', '-c', STUBBORN])
    const status = readBoxStatus(box.status)
    const started = await status.started
    assert.ok(started?.pidNamespace)
    const inner = identifyProcess(started.pid)
    assert.ok(inner)
    const { pidNamespace } = started
    assert.equal(pidNamespaceOf(started.pid), pidNamespace)
    assert.notEqual(pidNamespaceOf('self'), pidNamespace)
    // bubblewrap's first process, bash, three shells, and four sleeps.
    assert.ok(await waitUntil(() => pidNamespaceMembers(pidNamespace).length >= 8, { clock: systemClock }))

    assert.deepEqual(await endBox(inner, { clock: systemClock }), { ended: true })
    assert.deepEqual(pidNamespaceMembers(pidNamespace), [])
    assert.equal(isRunning(inner), false)
    assert.equal(await box.ended, 137)
    assert.deepEqual(await endBox(inner, { clock: systemClock }), { ended: true })
  })

  it('hears what became of a box that ends by itself', async () => {
    const box = startBox(['/bin/sh', '-c', 'exit 3'])
    const status = readBoxStatus(box.status)
    assert.ok(await status.started)
    assert.equal(await status.exitCode, 3)
    assert.equal(await box.ended, 3)
  })

  it('hears nothing of a box that could not be made', async () => {
    const box = startBox(['/bin/true'], { extra: ['--ro-bind', '/nonexistent/at/all', '/x'] })
    const status = readBoxStatus(box.status)
    assert.equal(await status.exitCode, undefined)
    assert.equal(await box.ended, 1)
    assert.match(await box.stderr, /nonexistent/)
  })

  it('says so when it may not', { skip: process.getuid?.() === 0 ? 'root may' : false }, async () => {
    const first = identifyProcess(1)
    assert.ok(first)
    assert.deepEqual(await endBox(first, { clock: systemClock }), { ended: false, reason: 'denied' })
  })
})

describe('waitUntil', () => {
  it('looks at once, then ever more rarely, and gives up in time', async () => {
    const clock = new ManualClock()
    const looks: number[] = []
    const waiting = waitUntil(
      () => {
        looks.push(clock.monotonic())
        return false
      },
      { clock, timeoutMs: 200 },
    )
    await clock.advance(1000)
    assert.equal(await waiting, false)
    assert.deepEqual(looks, [0, 1, 3, 7, 15, 31, 63, 113, 163, 213])
    assert.equal(await waitUntil(() => true, { clock, timeoutMs: 0 }), true)
    assert.equal(clock.pending, 0)
  })
})
