import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { AdjutantError, type Clock, type Sandbox } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { quickJsBackend } from './quickjs-backend.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const isCancelled = (error: unknown): boolean => AdjutantError.isInstance(error) && error.code === 'CANCELLED'
const js = (code: string) => ({ lang: 'js', code }) as const

/** Threads of this process; on other systems the count is always the same and says nothing. */
function threads(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0
}

describe('workers of boxes', () => {
  it('are gone after the backend is closed, whatever they were doing', async () => {
    // Once before, so that the threads which the process keeps for itself are there.
    const first = quickJsBackend({ clock: systemClock, pool: 1 })
    await first.probe()
    await first[Symbol.asyncDispose]()
    const before = threads()
    const backend = quickJsBackend({ clock: systemClock, pool: 2 })
    const boxes = await Promise.all(Array.from({ length: 4 }, () => backend.open({})))
    const started = Promise.withResolvers<void>()
    const runs = boxes.map((box, index) =>
      box.run({ ...js('console.log(1); for (;;) {}'), session: index % 2 === 0, output: () => started.resolve() }).then(
        () => assert.fail('it came to an end'),
        (error: unknown) => assert.ok(isCancelled(error)),
      ),
    )
    await started.promise
    assert.ok(process.platform !== 'linux' || threads() > before)
    await backend[Symbol.asyncDispose]()
    await Promise.all(runs)
    assert.ok(threads() <= before, `${threads()} threads where ${before} were`)
    await assert.rejects(backend.open({}), (error: unknown) => AdjutantError.isInstance(error) && error.code === 'SANDBOX_UNAVAILABLE')
  })

  it('are ended when nobody used them for a time, and made again for the next run', { skip: process.platform !== 'linux' }, async () => {
    const first = quickJsBackend({ clock: systemClock, pool: 1 })
    await first.probe()
    await first[Symbol.asyncDispose]()
    const before = threads()
    await using backend = quickJsBackend({ clock: systemClock, pool: 1, idleMs: 5 })
    await using box = await backend.open({})
    assert.equal((await box.run(js('console.log(1)'))).exitCode, 0)
    while (threads() > before) await new Promise((resolve) => systemClock.after(1, () => resolve(undefined)))
    assert.equal(text((await box.run(js('console.log(2)'))).stdout), '2\n')
    for (const idleMs of [0, -1, Number.NaN])
      assert.throws(
        () => quickJsBackend({ clock: systemClock, idleMs }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID',
      )
  })

  it('are replaced after an abort, a deadline and a lack of memory, and serve the next run', async () => {
    await using backend = quickJsBackend({ clock: systemClock, pool: 1 })
    await using box = await backend.open({ limits: { memoryMB: 32 } })
    for (let round = 0; round < 2; round += 1) {
      const stop = new AbortController()
      await assert.rejects(box.run({ ...js('console.log(1); for (;;) {}'), signal: stop.signal, output: () => stop.abort() }), isCancelled)
      assert.equal((await box.run({ ...js('for (;;) {}'), limits: { wallMs: 30 } })).limit, 'wall')
      assert.equal((await box.run(js('const a = []; for (;;) a.push(new Uint8Array(1e6))'))).limit, 'memory')
      const report = await box.run(js('console.log(typeof a, 2)'))
      assert.equal(text(report.stdout), 'undefined 2\n')
    }
  })

  it('are ended from outside when the engine does not notice that its time is over', async () => {
    // The box's clock alone decides here: it says that all is over before the worker's own time is.
    const clock = new ManualClock()
    await using backend = quickJsBackend({ clock, pool: 1 })
    await using box = await backend.open({ limits: { wallMs: 100_000 } })
    const running = Promise.withResolvers<void>()
    // One search that takes minutes, and no step of it asks whether it may go on.
    const code = 'console.log("on"); Array(4e9).indexOf(1)'
    const run = box.run({ ...js(code), output: () => running.resolve() })
    await running.promise
    await clock.advance(100_000)
    await clock.advance(250)
    const report = await run
    assert.deepEqual([report.limit, report.timedOut, report.exitCode], ['wall', true, undefined])
    assert.equal(text(report.stdout), 'on\n')
    assert.equal(clock.pending, 0)
  })

  it('take back every timer of a run that ended by itself', async () => {
    const clock = new ManualClock()
    await using backend = quickJsBackend({ clock, pool: 1 })
    await using box = await backend.open({})
    await box.run(js('1'))
    assert.equal(clock.pending, 0)
  })

  it('never give a box what another had', async () => {
    await using backend = quickJsBackend({ clock: systemClock, pool: 1 })
    const mark = 'globalThis.left = 1; Array.prototype.left = 1; Object.prototype.left = 1; console.log = null; files.write("left", "x")'
    for (let round = 0; round < 6; round += 1) {
      await using a = await backend.open({})
      await using b = await backend.open({})
      await a.run(js(mark))
      const report = await b.run(js('console.log(typeof left, [].left, files.list().length)'))
      assert.equal(text(report.stdout), 'undefined undefined 0\n')
      await a.run({ ...js(mark), session: true })
      assert.equal(text((await b.run({ ...js('console.log(typeof left)'), session: true })).stdout), 'undefined\n')
    }
  })

  it('do not keep the process from ending', async () => {
    const url = new URL('./quickjs-backend.ts', import.meta.url).href
    const code = `
      const { quickJsBackend } = await import(${JSON.stringify(url)})
      const after = (ms, callback) => { const timer = setTimeout(callback, ms); return () => clearTimeout(timer) }
      const backend = quickJsBackend({ clock: { now: Date.now, monotonic: () => performance.now(), after }, pool: 2 })
      const box = await backend.open({})
      const report = await box.run({ lang: 'js', code: 'console.log(6 * 7)', session: true })
      process.stdout.write(report.stdout)`
    const child = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 60_000,
    })
    const [out, [exit, signal]] = await Promise.all([child.stdout.toArray(), once(child, 'exit')])
    assert.deepEqual([Buffer.concat(out).toString(), exit, signal], ['42\n', 0, null])
  })

  it('serve a thousand runs without growing', async () => {
    await using backend = quickJsBackend({ clock: systemClock, pool: 2 })
    const boxes = await Promise.all(Array.from({ length: 4 }, () => backend.open({})))
    const work = async (box: Sandbox, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const report = await box.run(js(`const a = Array.from({ length: 1e3 }, (_, i) => ({ i })); console.log(a.length, ${index})`))
        assert.equal(text(report.stdout), `1000 ${index}\n`)
      }
    }
    await Promise.all(boxes.map((box) => work(box, 50)))
    const before = process.memoryUsage.rss()
    await Promise.all(boxes.map((box) => work(box, 200)))
    const grown = (process.memoryUsage.rss() - before) / 1_048_576
    assert.ok(grown < 150, `${grown} MB more`)
    await Promise.all(boxes.map((box) => box.close()))
  })

  it('serve two hundred runs at once, each its own, also when others are stopped while they wait', async () => {
    await using backend = quickJsBackend({ clock: systemClock, pool: 2 })
    const boxes = await Promise.all(Array.from({ length: 50 }, () => backend.open({})))
    const stop = new AbortController()
    const runs = boxes.flatMap((box, index) =>
      [0, 1, 2, 3].map(async (round) => {
        const mine = `${index}-${round}`
        const stopped = index % 3 === 0 && round > 0
        const code = `files.write(${JSON.stringify(mine)}, 'x'); console.log(${JSON.stringify(mine)}, files.list().length)`
        const run = box.run({ ...js(code), ...(stopped ? { signal: stop.signal } : {}) })
        if (stopped) {
          await assert.rejects(run, isCancelled)
          return 0
        }
        assert.equal(text((await run).stdout), `${mine} ${index % 3 === 0 ? 1 : round + 1}\n`)
        return 1
      }),
    )
    stop.abort()
    const served = (await Promise.all(runs)).reduce<number>((sum, one) => sum + one, 0)
    assert.equal(served, 200 - 17 * 3)
  })

  it('come to a report or a refusal at whatever moment they are stopped', async () => {
    await using backend = quickJsBackend({ clock: systemClock, pool: 1 })
    const clock: Clock = systemClock
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 12 }), fc.boolean(), fc.boolean(), async (ms, session, close) => {
        const box = await backend.open({})
        const stop = new AbortController()
        const code =
          'console.log(1); await new Promise((r) => setTimeout(r, 3)); files.write("a", "x"); for (let i = 0; i < 1e5; i++); console.log(2)'
        const run = box.run({ ...js(code), session, signal: stop.signal }).then(
          (report) => assert.equal(text(report.stdout), '1\n2\n'),
          (error: unknown) => assert.ok(isCancelled(error), String(error)),
        )
        const moment = Promise.withResolvers<void>()
        clock.after(ms, () => {
          if (close) void box.close().then(moment.resolve)
          else {
            stop.abort()
            moment.resolve()
          }
        })
        await Promise.all([run, moment.promise])
        await box.close()
      }),
      { numRuns: 25 },
    )
    await using box = await backend.open({})
    assert.equal(text((await box.run(js('console.log("well")'))).stdout), 'well\n')
  })
})
