/** Many sessions and few boxes: what waits, in which order, what is refused, and that never more boxes are there than may be. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Sandbox, SandboxLanguage, SandboxSpec } from '@adjutant/core/contract'
import { type TestContext, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { CodeBench, errorOf, skip } from '../../test/code-tools.ts'
import type { OpensSandboxes } from './session-boxes.ts'

let bench: CodeBench
before(async () => {
  bench = await CodeBench.open()
})
after(() => bench.close())

/** Boxes that are there at once, from the moment they are asked for until they are gone. */
class Counted implements OpensSandboxes {
  now = 0
  most = 0
  opened = 0

  async open(spec: SandboxSpec, lang: SandboxLanguage): Promise<Sandbox> {
    this.now += 1
    this.opened += 1
    this.most = Math.max(this.most, this.now)
    try {
      const box = await bench.sandboxes.open(spec, lang)
      const close = box.close.bind(box)
      let open = true
      box.close = async () => {
        await close()
        if (open) this.now -= 1
        open = false
      }
      return box
    } catch (error) {
      this.now -= 1
      throw error
    }
  }
}

async function contexts(count: number, signal?: AbortSignal): Promise<readonly TestContext[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) => testContext({ sessionId: `session_${at}`, ...(signal === undefined ? {} : { signal }) })),
  )
}

const dispose = (all: readonly TestContext[]) => Promise.all(all.map((cx) => cx[Symbol.asyncDispose]()))

describe('two hundred sessions at once', () => {
  it('all get their turn in four boxes', async () => {
    const sandboxes = new Counted()
    const of = bench.make({ sandboxes, maxBoxes: 4 })
    const all = await contexts(200)
    const said = await Promise.all(all.map((cx, at) => bench.call('javascript', { code: `console.log(${at} * 2)` }, { of, cx })))
    assert.deepEqual(
      said.map(({ text }) => text),
      all.map((_, at) => String(at * 2)),
    )
    assert.equal(sandboxes.most, 4)
    assert.equal(sandboxes.opened, 200)
    await of.close()
    assert.equal(sandboxes.now, 0)
    await dispose(all)
  })

  it('are refused beyond what may wait, and nothing of them has run', async () => {
    const of = bench.make({ maxBoxes: 1, maxWaiting: 3 })
    const all = await contexts(8)
    const code = 'let n = 0; while (n < 3e6) n++; console.log("done")'
    const ends = await Promise.allSettled(all.map((cx) => bench.call('javascript', { code }, { of, cx })))
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    assert.equal(refused.length, 4)
    for (const error of refused) assert.deepEqual([error.code, error.outcome], ['OVERLOADED', 'not-run'])
    await of.close()
    await dispose(all)
  })

  it('run one after the other where they are calls of one session', { skip }, async () => {
    await bench.bash('echo 0 > n')
    await Promise.all(Array.from({ length: 200 }, () => bench.bash('read -r n < n; echo $((n + 1)) > n')))
    assert.equal((await bench.bash('cat n')).text, '200')
  })
})

describe('whoever waits', () => {
  it('leaves when its call is stopped, and the others go on', async () => {
    const of = bench.make({ maxBoxes: 1 })
    const stop = new AbortController()
    const [busy, waits, other] = [...(await contexts(1)), ...(await contexts(2, stop.signal)).slice(1), ...(await contexts(3)).slice(2)]
    assert.ok(busy !== undefined && waits !== undefined && other !== undefined)
    const code = 'let n = 0; while (n < 3e6) n++; console.log("done")'
    const first = bench.call('javascript', { code }, { of, cx: busy })
    const left = bench.call('javascript', { code }, { of, cx: waits }).then(
      () => 'ran',
      () => 'left',
    )
    const last = bench.call('javascript', { code }, { of, cx: other })
    stop.abort()
    assert.equal(await left, 'left')
    assert.equal((await first).text, 'done')
    assert.equal((await last).text, 'done')
    await of.close()
    await dispose([busy, waits, other])
  })

  it('is told when the boxes are closed meanwhile', async () => {
    const of = bench.make({ maxBoxes: 1 })
    const all = await contexts(2)
    const ends = all.map((cx) => errorOf(bench.call('javascript', { code: 'while (true);' }, { of, cx })))
    await new Promise((next) => setImmediate(next))
    await of.close()
    const [running, waiting] = await Promise.all(ends)
    assert.equal(waiting?.code, 'SANDBOX_UNAVAILABLE')
    assert.ok(running?.code === 'SANDBOX_FAILED' || running?.code === 'CANCELLED', running?.code)
    await dispose(all)
  })
})

describe('any order of calls, ends and stops', () => {
  const step = fc.record({ who: fc.nat(5), what: fc.constantFrom('call', 'call', 'call', 'stop', 'end') })

  it('never opens more boxes than may be, answers every call, and leaves none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), fc.integer({ min: 1, max: 3 }), async (steps, maxBoxes) => {
        const sandboxes = new Counted()
        const of = bench.make({ sandboxes, maxBoxes })
        const stops = Array.from({ length: 6 }, () => new AbortController())
        const all = await Promise.all(stops.map(({ signal }, at) => testContext({ sessionId: `session_${at}`, signal })))
        const calls: Promise<void>[] = []
        const ended = new Set<number>()
        for (const { who, what } of steps) {
          const cx = all[who]
          assert.ok(cx)
          if (what === 'stop') stops[who]?.abort()
          else if (what === 'end') {
            ended.add(who)
            calls.push(of.closeSession(cx.sessionId))
          } else {
            const value = `${who}-${calls.length}`
            calls.push(
              bench.call('javascript', { code: `console.log("${value}")` }, { of, cx }).then(
                ({ text }) => assert.ok(text.startsWith(value), text),
                (error) => assert.ok(stops[who]?.signal.aborted || ended.has(who), String(error)),
              ),
            )
          }
          if (what === 'end') await new Promise((next) => setImmediate(next))
        }
        await Promise.all(calls)
        assert.ok(sandboxes.most <= maxBoxes, `${sandboxes.most} of ${maxBoxes}`)
        await of.close()
        assert.equal(sandboxes.now, 0)
        await dispose(all)
      }),
      { numRuns: 25 },
    )
  })
})
