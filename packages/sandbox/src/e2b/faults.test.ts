import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { systemClock } from '@adjutant/core'
import { AdjutantError } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { fails, openBench, out, processesWith } from '../../test/e2b-bench.ts'
import { e2bBackend } from './e2b-backend.ts'

describe('a service that fails', () => {
  it('is used by the second version or the first, whichever there is, and the answer is remembered', async () => {
    for (const controlPlane of ['v1', 'v2', 'both'] as const) {
      await using bench = await openBench({ controlPlane })
      for (let time = 0; time < 2; time += 1) {
        await using box = await bench.backend.open({})
        assert.equal(out(await box.run({ lang: 'bash', code: 'echo on' })), 'on\n')
      }
      const made = bench.stub.requests.filter(({ place }) => place === 'create').map(({ path }) => path)
      const wanted = controlPlane === 'v1' ? ['/v2/sandboxes', '/sandboxes', '/sandboxes'] : ['/v2/sandboxes', '/v2/sandboxes']
      assert.deepEqual(made, wanted)
    }
  })

  it('that refuses the key is unavailable, and the key is in no message', async () => {
    await using bench = await openBench()
    const apiKey = 'e2b_0123456789abcdef'
    await using wrong = e2bBackend({ clock: systemClock, apiUrl: bench.stub.url, sandboxUrl: bench.stub.url, apiKey })
    await assert.rejects(wrong.open({}), fails('SANDBOX_UNAVAILABLE', /401.*E2B_API_KEY/))
    const probe = await wrong.probe()
    assert.deepEqual([probe.ok, probe.fix], [false, 'Check the key: E2B_API_KEY, or apiKey.'])
    assert.deepEqual(await wrong.probe(), probe)
    bench.stub.fail('create', { status: 400, message: `what is ${bench.stub.apiKey}?\n` })
    const error = await bench.backend.open({}).then(
      () => assert.fail('it was opened'),
      (reason: unknown) => reason,
    )
    assert.ok(AdjutantError.isInstance(error))
    assert.match(error.message, /what is \[hidden\]\?$/)
    assert.ok(!inspect(error, { depth: 10 }).includes(bench.stub.apiKey))
    await using keyless = e2bBackend({ clock: systemClock })
    await assert.rejects(keyless.open({}), fails('SANDBOX_UNAVAILABLE', /no key/))
  })

  it('is waited for as long as it asks, and not when it asks for too much', async () => {
    const clock = new ManualClock()
    await using bench = await openBench({}, { clock })
    bench.stub.fail('create', { status: 429, retryAfter: '7' })
    const opening = bench.backend.open({})
    let opened = false
    opening.then(
      () => (opened = true),
      () => (opened = true),
    )
    const creations = (): number => bench.stub.requests.filter(({ place }) => place === 'create').length
    while (creations() < 1 || clock.pending === 0) await new Promise((turn) => setImmediate(turn))
    // The request's own timer may still be there; what counts is that no second request comes before its time.
    await clock.advance(6_900)
    assert.deepEqual([creations(), opened], [1, false])
    await clock.advance(200)
    await opening
    assert.equal(creations(), 2)
    bench.stub.fail('create', { status: 429, retryAfter: '3600', message: 'too many' })
    await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE', /too many.*in 3600 s/))
    assert.equal(creations(), 3)
  })

  it('is asked again only for what may be asked twice', async () => {
    await using bench = await openBench()
    bench.stub.fail('create', { status: 500, message: 'broken' })
    await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE', /500: broken/))
    assert.equal(bench.stub.requests.filter(({ place }) => place === 'create').length, 1)
    await using box = await bench.backend.open({})
    bench.stub.fail('write', { status: 503 })
    bench.stub.fail('read', { status: 503, retryAfter: '0' }, 2)
    bench.stub.fail('filesystem', { cut: 3 })
    await box.writeFile('x', Buffer.from('kept'))
    assert.equal(Buffer.from(await box.readFile('x')).toString(), 'kept')
    bench.stub.fail('start', { status: 503 })
    await assert.rejects(box.run({ lang: 'bash', code: 'echo once >> ran' }), fails('SANDBOX_FAILED', /503/))
    await assert.rejects(box.readFile('ran'), fails('NOT_FOUND'))
  })

  it('leaves no box behind that it made without saying so', async () => {
    await using bench = await openBench()
    bench.stub.fail('create', { status: 500, done: true })
    await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE'))
    assert.equal(bench.stub.boxes.size, 0)
    bench.stub.fail('create', { cut: 10 })
    await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE'))
    assert.equal(bench.stub.boxes.size, 0)
    bench.stub.fail('filesystem', { status: 500 }, 3)
    await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE', /workspace/))
    assert.equal(bench.stub.boxes.size, 0)
  })

  it('that does not delete is asked again, and what stays is said and tried again later', async () => {
    await using bench = await openBench()
    const first = await bench.backend.open({})
    bench.stub.fail('delete', { status: 500, retryAfter: '0' }, 4)
    await first.close()
    assert.deepEqual([bench.stub.boxes.size, bench.notes.length, bench.backend.leftBehind.size], [0, 0, 0])
    const second = await bench.backend.open({})
    bench.stub.fail('delete', { status: 500, retryAfter: '0' }, 5)
    await second.close()
    assert.deepEqual([[...bench.backend.leftBehind], bench.stub.boxes.size], [[second.id], 1])
    assert.match(bench.notes[0] ?? '', /could not be deleted.*600 s/)
    await using third = await bench.backend.open({})
    assert.deepEqual([bench.backend.leftBehind.size, [...bench.stub.boxes]], [0, [third.id]])
  })

  it('cuts a stream: the run failed, what it started is ended, and the box goes on', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({})
    const word = `adjutant-left-${randomBytes(6).toString('hex')}`
    for (const cut of [0, 3, 40, 200]) {
      bench.stub.fail('start', { cut })
      await assert.rejects(box.run({ lang: 'bash', code: `seq 1 1000; exec -a ${word} sleep 1000` }), fails('SANDBOX_FAILED'))
      // Ended at once; the kernel may take a moment to take it away.
      for (let turns = 0; turns < 10_000 && processesWith(word).length > 0; turns += 1) await new Promise((done) => setImmediate(done))
      assert.deepEqual(processesWith(word), [])
    }
    bench.stub.fail('execute', { cut: 5 })
    await assert.rejects(box.run({ lang: 'python', code: 'print("x" * 100)', session: true }), fails('SANDBOX_FAILED'))
    const anew = await box.run({ lang: 'python', code: 'print("on")', session: true })
    assert.deepEqual([out(anew), anew.stateLost], ['on\n', true])
    bench.stub.fail('start', { cut: 60 })
    await assert.rejects(box.run({ lang: 'bash', code: 'echo x', session: true }), fails('SANDBOX_FAILED'))
    assert.equal(out(await box.run({ lang: 'bash', code: 'echo on', session: true })), 'on\n')
  })

  it('ends a box: whoever uses it is told, at once and ever after', async () => {
    await using bench = await openBench()
    const { stub, backend } = bench
    await using box = await backend.open({})
    const running = box.run({ lang: 'bash', code: 'echo begun; sleep 1000', output: () => void stub.vanish(box.id) })
    // Either the connection says so, or how the process ended does.
    await running.then((report) => assert.equal(report.signal, 'SIGKILL'), fails('SANDBOX_FAILED'))
    await assert.rejects(box.run({ lang: 'bash', code: 'echo' }), fails('SANDBOX_FAILED', /gone/))
    const before = stub.requests.length
    await assert.rejects(box.run({ lang: 'bash', code: 'echo' }), fails('SANDBOX_FAILED', /cannot be used any more/))
    await assert.rejects(box.readFile('x'), fails('SANDBOX_FAILED', /cannot be used any more/))
    assert.equal(stub.requests.length, before)
  })

  it('that cannot end a run has its box given up', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({})
    const stop = new AbortController()
    // The first start is the run; the second would end it.
    const running = box.run({
      lang: 'bash',
      code: 'echo begun; sleep 1000',
      output: () => bench.stub.fail('start', { status: 500 }),
      limits: { wallMs: 500 },
      signal: stop.signal,
    })
    await assert.rejects(running, fails('SANDBOX_FAILED', /could not be ended/))
    await assert.rejects(box.run({ lang: 'bash', code: 'echo' }), fails('SANDBOX_FAILED', /cannot be used any more/))
  })

  it('is slow: nobody waits longer than was said', async () => {
    await using bench = await openBench({}, { createTimeoutMs: 150 })
    const { promise, resolve } = Promise.withResolvers<void>()
    bench.stub.fail('create', { wait: promise })
    await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE', /150 ms/))
    resolve()
    await using nobody = e2bBackend({ clock: systemClock, apiUrl: 'http://127.0.0.1:9', apiKey: 'x' })
    await assert.rejects(nobody.open({}), fails('SANDBOX_UNAVAILABLE', /making a box/))
  })
})
