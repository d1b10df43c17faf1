import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, type JsonValue } from '@adjutant/core/contract'
import { GrantDesk, grantShapes, hostFunction } from './host-grants.ts'

describe('granted functions', () => {
  const seen: JsonValue[] = []
  const desk = new GrantDesk({
    add: hostFunction(['number', 'number'], (a, b) => a + b),
    keep: hostFunction(['json'], (value) => void seen.push(value)),
    fail: hostFunction([], () => {
      throw Object.assign(new Error('no such city'), { secret: 'host' })
    }),
    odd: hostFunction([], () => {
      throw {
        toString() {
          throw new Error('again')
        },
      }
    }),
    huge: hostFunction([], () => 'x'.repeat(9_000_000)),
  })

  it('are called with copies of the kinds that they take', async () => {
    assert.deepEqual(await desk.call('add', '[2,3]'), { ok: true, text: '5' })
    assert.deepEqual(await desk.call('keep', '[{"__proto__":{"a":1}}]'), { ok: true, text: 'null' })
    assert.equal(Object.getPrototypeOf(seen[0]), Object.prototype)
  })

  it('are not called with anything else', async () => {
    for (const text of ['[1]', '[1,2,3]', '["1",2]', '[null,2]', '[{},2]', '{}', '5', 'null', '[', '']) {
      assert.equal((await desk.call('add', text)).ok, false, text)
    }
    for (const name of ['__proto__', 'constructor', 'toString', 'missing', '']) {
      assert.match((await desk.call(name, '[]')).text, /is not granted/)
    }
  })

  it('give of a failure its message and nothing else, and never reject', async () => {
    assert.deepEqual(await desk.call('fail', '[]'), { ok: false, text: 'host.fail: no such city' })
    assert.deepEqual(await desk.call('odd', '[]'), { ok: false, text: 'host.odd: it failed' })
    assert.match((await desk.call('huge', '[]')).text, /longer than/)
    assert.match((await desk.call('add', `[1,${' '.repeat(2_000_000)}2]`)).text, /longer than/)
  })

  it('are told when the run has ended, and are bounded at once', async () => {
    let aborted = 0
    const slow = new GrantDesk({
      wait: hostFunction([], ({ signal }) => {
        const done = Promise.withResolvers<null>()
        signal.addEventListener('abort', () => {
          aborted += 1
          done.resolve(null)
        })
        return done.promise
      }),
    })
    const calls = Array.from({ length: 70 }, () => slow.call('wait', '[]'))
    slow.end()
    const answers = await Promise.all(calls)
    assert.equal(answers.filter(({ ok }) => ok).length, 64)
    assert.equal(aborted, 64)
  })

  it('cannot have a name that would make something else of the object that holds them', () => {
    const nothing = hostFunction([], () => null)
    for (const name of ['then', 'a-b', '', '1a', 'constructor', 'x'.repeat(65), 'ä']) {
      assert.throws(
        () => grantShapes({ [name]: nothing }),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID',
      )
    }
  })
})
