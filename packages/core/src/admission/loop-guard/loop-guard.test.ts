/** At which call each kind of loop is caught: the numbers of docs/reference/loop-guard.md. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { AdjutantError } from '../../contract/errors.ts'
import { callId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Effect } from '../../contract/tool.ts'
import { answer, failed, ok, run, type Step, times, tool } from './fixtures/steps.ts'
import { LoopGuard } from './loop-guard.ts'
import { loopError } from './watched-call.ts'

const search = tool('search', 'read')
const readFile = tool('read_file', 'read')
const edit = tool('edit_file', 'write')
const shell = tool('bash', 'dangerous')

const same: Step = { tool: search, input: { query: 'cats' }, outcome: ok('3 cats were found') }

describe('one call over and over', () => {
  it('the fifth of equal calls with equal results is not run, the sixth ends the run', () => {
    assert.equal(
      run(
        new LoopGuard(),
        times(10, () => same),
      ),
      'pass 4, warn, stop',
    )
  })

  it('1 523 equal searches that succeed are caught at the fifth', () => {
    const guard = new LoopGuard()
    let ran = 0
    for (let at = 0; at < 1_523; at++) if (answer(guard, [same])[0]?.type === 'pass') ran++
    assert.equal(ran, 4)
    assert.match(guard.stopped ?? '', /search was called 4 times in a row/)
  })

  it('counts whatever the effect, also when each says ok', () => {
    const write: Step = { tool: edit, input: { path: 'a.txt', text: 'x' }, outcome: ok('ok') }
    assert.equal(
      run(
        new LoopGuard(),
        times(10, () => write),
      ),
      'pass 4, warn, stop',
    )
  })

  it('counts calls that were refused, denied or not understood', () => {
    for (const code of ['DENIED_BY_PERSON', 'DENIED_BY_POLICY', 'INVALID_ARGUMENTS', 'RULE_VIOLATED', 'APPROVAL_EXPIRED']) {
      const denied: Step = { tool: shell, input: { command: 'rm -rf /' }, outcome: { outcome: 'not-run', text: 'no', code } }
      assert.equal(
        run(
          new LoopGuard(),
          times(10, () => denied),
        ),
        'pass 4, warn, stop',
        code,
      )
    }
    const broken: Step = { tool: shell, input: '{"command": ', outcome: { outcome: 'not-run', text: 'no JSON', code: 'INVALID_JSON' } }
    assert.equal(
      run(
        new LoopGuard(),
        times(10, () => broken),
      ),
      'pass 4, warn, stop',
    )
  })

  it('counts a name that no tool has', () => {
    const guard = new LoopGuard()
    const said: string[] = []
    for (let at = 0; at < 7; at++) {
      guard.beginMessage()
      const call = { id: callId(`c${at}`), name: 'no_such_tool', input: {} }
      const verdict = guard.judge(call)
      said.push(verdict.type)
      if (verdict.type === 'pass') guard.settled(call, { outcome: 'not-run', text: 'there is no no_such_tool', code: 'UNKNOWN_TOOL' })
    }
    assert.deepEqual(said, ['pass', 'pass', 'pass', 'pass', 'warn', 'stop', 'stop'])
  })

  it('what differs only in time stamps, request ids and nonces is one call', () => {
    const clock = new ManualClock(Date.parse('2026-11-30T15:00:00Z'))
    const volatile = [
      (at: number) => ({ query: 'x', timestamp: `2026-11-30T15:00:0${at}Z` }),
      (at: number) => ({ query: 'x', ts: clock.now() + at }),
      (at: number) => ({ query: 'x', at: Math.floor(clock.now() / 1_000) + at }),
      (at: number) => ({ query: 'x', asked: `2026-11-30 15:00:0${at}.123` }),
      (at: number) => ({ query: 'x', requestId: `req-${at}` }),
      (at: number) => ({ query: 'x', meta: { 'trace-id': at, nonce: `${at}${at}` } }),
      (at: number) => ({ query: 'x', run: `0190c5d2-7e1a-7c3e-9b2a-00000000000${at}` }),
      (at: number) => ({ query: 'x', run: `01J9ZQ5K3B7V8W9X0Y1Z2A3B4${at}` }),
      (at: number) => ({ query: 'x', salt: `9f86d081884c7d659a2feaa0c55ad01${at}` }),
      (at: number) => ({ query: 'x', salt: `aZ3kQ9mX2pL7vB4nT8${at}rYw` }),
      (at: number) => ({ query: 'x', ...(at % 2 === 0 ? {} : { asked: '2026-11-30T15:00:00Z' }) }),
    ]
    for (const input of volatile) {
      const steps = times(10, (at) => ({ tool: search, input: input(at), outcome: ok('3 cats were found') }))
      assert.equal(run(new LoopGuard({ clock }), steps), 'pass 4, warn, stop', JSON.stringify(input(1)))
    }
  })

  it('what a tool declares volatile does not count, at any depth', () => {
    const own = tool('fetch_rows', 'write', { volatile: ['/options/seed', '/a~1b', '/list/1', 'not a pointer'] })
    const steps = times(10, (at) => ({
      tool: own,
      input: { q: 1, options: { seed: at, n: 2 }, 'a/b': at, list: [0, at] },
      outcome: ok('rows'),
    }))
    assert.equal(run(new LoopGuard(), steps), 'pass 4, warn, stop')
    const other = times(10, (at) => ({ tool: own, input: { q: 1, options: { seed: 0, n: at } }, outcome: ok(`rows ${at}`) }))
    assert.equal(run(new LoopGuard(), other), 'pass 10')
  })

  it('a long result is the same although each names its own file', () => {
    for (const outcome of ['ok', 'failed'] as const) {
      const steps = times(10, (at): Step => {
        const spill = { handle: `spill_${at}`, path: `/tmp/session/results/call_${at}.txt` }
        const text = `line 1\n[… whole text in ${spill.path}: read_result {"id":"${spill.handle}"} shows it …]\nline 900`
        return { tool: search, input: { query: 'cats' }, outcome: { outcome, text, spill } }
      })
      assert.equal(run(new LoopGuard(), steps), 'pass 4, warn, stop')
    }
  })

  it('equal calls of one message count once', () => {
    const guard = new LoopGuard()
    assert.deepEqual(new Set(answer(guard, [same, same, same, same, same, same]).map((verdict) => verdict.type)), new Set(['pass']))
    for (let at = 0; at < 3; at++) assert.equal(answer(guard, [same, same])[1]?.type, 'pass')
    assert.deepEqual(
      answer(guard, [same, same]).map((verdict) => verdict.type),
      ['warn', 'warn'],
    )
    assert.equal(answer(guard, [same])[0]?.type, 'stop')
  })

  it('equal calls of one message with different results are progress', () => {
    const guard = new LoopGuard()
    for (let at = 0; at < 30; at++) {
      const verdicts = answer(guard, [same, { ...same, outcome: ok('now there are 4') }])
      assert.deepEqual(
        verdicts.map((verdict) => verdict.type),
        ['pass', 'pass'],
      )
    }
  })
})

describe('circles', () => {
  const calls = 'ABCDEFG'.split('').map((name): Step => ({ tool: readFile, input: { path: name }, outcome: ok(`content of ${name}`) }))

  for (const [length, at] of [
    [2, 7],
    [3, 10],
    [4, 13],
    [5, 16],
  ] as const) {
    it(`of ${length} calls are caught when they begin the fourth time: call ${at}`, () => {
      const steps = times(40, (step) => calls[step % length] ?? same)
      assert.equal(run(new LoopGuard(), steps), `pass ${at - 1}, warn, stop`)
    })
  }

  it('of two calls made together in one answer are caught in the fourth answer', () => {
    const guard = new LoopGuard()
    const both = calls.slice(0, 2)
    for (let at = 0; at < 3; at++)
      assert.deepEqual(
        answer(guard, both).map((verdict) => verdict.type),
        ['pass', 'pass'],
      )
    assert.deepEqual(
      answer(guard, both).map((verdict) => verdict.type),
      ['warn', 'warn'],
    )
    assert.equal(answer(guard, both)[0]?.type, 'stop')
  })

  it('of which one result changes go on', () => {
    const steps = times(60, (at) => (at % 2 === 0 ? same : { tool: search, input: { query: 'dogs' }, outcome: ok(`${at} dogs`) }))
    assert.equal(run(new LoopGuard(), steps), 'pass 60')
  })

  it('in no order are caught after fifteen calls that brought nothing new', () => {
    const order = [0, 1, 2, 3, 4, 5, 6, 3, 1, 0, 5, 2, 6, 4, 0, 2, 1, 6, 5, 3, 4, 2, 0, 6, 1, 5, 4, 3]
    const steps = order.map((one) => calls[one] ?? same)
    assert.equal(run(new LoopGuard(), steps), 'pass 22, warn, stop')
  })

  it('a whole answer of ten calls made over and over is caught', () => {
    const guard = new LoopGuard()
    const ten = Array.from({ length: 10 }, (_, at): Step => ({ tool: readFile, input: { path: `${at}` }, outcome: ok(`text ${at}`) }))
    const said = Array.from({ length: 7 }, () => answer(guard, ten)[0]?.type)
    assert.deepEqual(said, ['pass', 'pass', 'pass', 'pass', 'pass', 'warn', 'stop'])
  })
})

describe('other arguments, the same outcome', () => {
  it('the fifth of calls with one error is not run; one more may try; then the run ends', () => {
    const list = times(26, (at) => ({
      tool: shell,
      input: { command: 'ls -l', dir_path: `/work/part${at}` },
      outcome: failed(`ls: cannot open directory /work/part${at}: No such file or directory`),
    }))
    assert.equal(run(new LoopGuard(), list), 'pass 4, warn, pass 1, stop')
  })

  it('sees through values, words of values, numbers, paths, hex and times in the error', () => {
    const texts: ((word: string, at: number) => string)[] = [
      (word) => `cannot open ${word}`,
      (word) => `no “${word}” here`,
      (_word, at) => `line ${at}: unexpected end`,
      (_word, at) => `at 0x7ffe${at}a: segmentation fault`,
      (_word, at) => `2026-11-30T15:00:0${at}Z refused`,
      (word) => `打不开文件${word}，没有权限`,
    ]
    for (const text of texts) {
      const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta']
      const steps = times(8, (at) => ({
        tool: shell,
        input: { command: `cat ${words[at]}` },
        outcome: failed(text(words[at] ?? '', at)),
      }))
      assert.equal(run(new LoopGuard(), steps), 'pass 4, warn, pass 1, stop', text('x', 1))
    }
  })

  it('sees through values of any script, and of several words', () => {
    const names = ['第一份报告', '第二份报告', '第三份文件', '第四份记录', '第五份合同', '第六份清单', '第七份账单', '第八份名单']
    const steps = times(8, (at) => ({ tool: shell, input: { path: names[at] ?? '' }, outcome: failed(`无法打开${names[at]}，请检查`) }))
    assert.equal(run(new LoopGuard(), steps), 'pass 4, warn, pass 1, stop')
  })

  it('different errors are attempts, and the same text under another code is another error', () => {
    const kinds = ['no such file', 'permission denied', 'is a directory', 'too many links']
    const steps = times(40, (at) => ({ tool: shell, input: { command: `cat ${at}` }, outcome: failed(kinds[at % 4] ?? '') }))
    assert.equal(run(new LoopGuard(), steps), 'pass 40')
  })

  it('a success between, of a write or with something new, begins the count anew', () => {
    const steps = times(60, (at) =>
      at % 3 === 2
        ? { tool: edit, input: { path: 'a', text: `${at}` }, outcome: ok('ok') }
        : { tool: shell, input: { command: `test ${at}` }, outcome: failed('1 of 20 fails') },
    )
    assert.equal(run(new LoopGuard(), steps), 'pass 60')
  })

  it('many calls of one answer that fail alike are one attempt', () => {
    const guard = new LoopGuard()
    const many = (from: number): Step[] =>
      Array.from({ length: 50 }, (_, at) => ({ tool: shell, input: { command: `cat f${from + at}` }, outcome: failed(`no f${from + at}`) }))
    for (let at = 0; at < 4; at++)
      assert.equal(
        answer(guard, many(at * 50)).every((verdict) => verdict.type === 'pass'),
        true,
      )
    assert.equal(
      answer(guard, many(1_000)).every((verdict) => verdict.type === 'warn'),
      true,
    )
  })

  it('the tenth read with other words and the same result is not run; one more may try; then the run ends', () => {
    const steps = times(30, (at) => ({ tool: search, input: { query: `cats ${at}` }, outcome: ok('No results were found.') }))
    assert.equal(run(new LoopGuard(), steps), 'pass 9, warn, pass 1, stop')
  })

  it('the twentieth read of another thing with one and the same long result is not run; one more may try; then the run ends', () => {
    const wall = 'Access denied. Sign in to see this page, or ask its owner for the right to read it.'
    const steps = times(60, (at) => ({ tool: tool('fetch_page', 'read'), input: { url: `https://example.org/${at}` }, outcome: ok(wall) }))
    assert.equal(run(new LoopGuard(), steps), 'pass 19, warn, pass 1, stop')
  })

  it('a tool whose effect depends on its arguments is asked before a read is held up, and may throw', () => {
    const effects: ((input: JsonObject) => Effect)[] = [
      () => 'read',
      (input) => (input.command === 'rm 9' ? 'write' : 'read'),
      () => {
        throw new Error('cannot say')
      },
    ]
    const said = effects.map((effect) => {
      const guard = new LoopGuard()
      const types: string[] = []
      for (let at = 0; at < 10; at++) {
        guard.beginMessage()
        const call = { id: callId(`c${at}`), name: 'bash', input: { command: `rm ${at}` }, tool: tool('bash', 'read', { effect }) }
        types.push(guard.judge(call).type)
        guard.settled({ ...call, effect: 'read' }, ok('nothing to do'))
      }
      return types.indexOf('warn')
    })
    assert.deepEqual(said, [9, -1, -1])
  })

  it('a screenshot that changes is progress, one that does not is none', () => {
    const shot = (data: string): Step => ({
      tool: tool('screenshot', 'read'),
      input: {},
      outcome: { outcome: 'ok', text: '', parts: [{ type: 'image', mimeType: 'image/png', data }] },
    })
    assert.equal(
      run(
        new LoopGuard(),
        times(30, (at) => shot(`AAAA${at}`)),
      ),
      'pass 30',
    )
    assert.equal(
      run(
        new LoopGuard(),
        times(30, () => shot('AAAA')),
      ),
      'pass 4, warn, stop',
    )
  })

  it('the very call that was warned of ends the run, whichever loop it was', () => {
    const guard = new LoopGuard()
    const step = (at: number): Step => ({ tool: search, input: { query: `cats ${at}` }, outcome: ok('No results were found.') })
    assert.equal(run(guard, [...times(10, step), step(9)]), 'pass 9, warn, stop')
  })
})

describe('warnings', () => {
  it('another loop after a warning is warned of first', () => {
    const guard = new LoopGuard()
    assert.equal(
      run(
        guard,
        times(5, () => same),
      ),
      'pass 4, warn',
    )
    const other: Step = { tool: readFile, input: { path: 'a' }, outcome: ok('the text of a') }
    assert.equal(
      run(
        guard,
        times(6, () => other),
      ),
      'pass 4, warn, stop',
    )
  })

  it('other arguments after a warning are free', () => {
    const guard = new LoopGuard()
    const denied = (at: number): Step => ({ tool: shell, input: { command: `x${at}` }, outcome: failed('it is broken') })
    assert.equal(run(guard, [...times(5, () => denied(0)), denied(1)]), 'pass 4, warn, pass 1')
  })

  it('reading something else does not make the warned call new, changing something does', () => {
    const test: Step = { tool: tool('run_tests', 'read'), input: {}, outcome: failed('1 of 20 tests failed') }
    const look: Step = { tool: readFile, input: { path: 'a' }, outcome: ok('the text of a') }
    const change: Step = { tool: edit, input: { path: 'a', text: 'b' }, outcome: ok('ok') }
    assert.equal(run(new LoopGuard(), [...times(5, () => test), look, test]), 'pass 4, warn, pass 1, stop')
    assert.equal(run(new LoopGuard(), [...times(5, () => test), change, test]), 'pass 4, warn, pass 2')
    assert.equal(run(new LoopGuard(), [...times(5, () => test), change, ...times(6, () => test)]), 'pass 4, warn, pass 5, stop')
  })

  it('is forgotten after five different productive calls', () => {
    const work = (count: number) => times(count, (at) => ({ tool: readFile, input: { path: `f${at}` }, outcome: ok(`text ${at}`) }))
    assert.equal(run(new LoopGuard(), [...times(5, () => same), ...work(4), same]), 'pass 4, warn, pass 4, stop')
    assert.equal(run(new LoopGuard(), [...times(5, () => same), ...work(5), ...times(5, () => same)]), 'pass 4, warn, pass 9, warn')
  })

  it('once stopped, every call is', () => {
    const guard = new LoopGuard()
    run(
      guard,
      times(6, () => same),
    )
    const verdict = answer(guard, [{ tool: readFile, input: { path: 'new' }, outcome: ok('') }])[0]
    assert.equal(verdict?.type, 'stop')
    assert.equal(verdict?.type === 'stop' ? verdict.reason : '', guard.stopped)
  })

  it('make errors that say what was repeated', () => {
    const guard = new LoopGuard()
    run(
      guard,
      times(4, () => same),
    )
    const verdict = answer(guard, [same])[0]
    assert.ok(verdict !== undefined && verdict.type !== 'pass')
    const error = loopError(verdict)
    assert.equal(error.code, 'LOOP_DETECTED')
    assert.match(error.message, /search was called 4 times in a row with equal arguments and came to the same each time/)
    assert.equal(loopError({ type: 'stop', reason: 'x' }).code, 'LOOP_ABORTED')
  })
})

describe('limits', () => {
  it('of a tool and of the host, the host first', () => {
    const patient = tool('poll', 'read', { limits: { loop: { identical: 8 } } })
    const step: Step = { tool: patient, input: {}, outcome: ok('still waiting') }
    assert.equal(
      run(
        new LoopGuard({ window: 20 }),
        times(10, () => step),
      ),
      'pass 7, warn, stop',
    )
    assert.equal(
      run(
        new LoopGuard({ tools: { 'po*': { identical: 3 } } }),
        times(10, () => step),
      ),
      'pass 2, warn, stop',
    )
    assert.equal(
      run(
        new LoopGuard({ identical: 4 }),
        times(10, () => same),
      ),
      'pass 3, warn, stop',
    )
    const very = tool('very_patient', 'read', { limits: { loop: { identical: 100 } } })
    assert.equal(
      run(
        new LoopGuard(),
        times(200, () => ({ ...step, tool: very })),
      ),
      'pass 99, warn, stop',
    )
    const off: Step = { ...step, tool: tool('tick', 'read', { limits: { loop: { watched: false } } }) }
    assert.equal(
      run(
        new LoopGuard(),
        times(50, () => off),
      ),
      'pass 50',
    )
    assert.equal(
      run(
        new LoopGuard({ tools: { tick: { watched: true } } }),
        times(10, () => off),
      ),
      'pass 4, warn, stop',
    )
  })

  it('a senseless limit of a tool is passed over, one of the host is refused by name', () => {
    for (const identical of [0, 1, -3, 2.5, Number.NaN]) {
      const odd: Step = { tool: tool('odd', 'read', { limits: { loop: { identical } } }), input: {}, outcome: ok('the same') }
      assert.equal(
        run(
          new LoopGuard(),
          times(10, () => odd),
        ),
        'pass 4, warn, stop',
        String(identical),
      )
      assert.throws(
        () => new LoopGuard({ tools: { odd: { identical } } }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && error.message.includes('tools.odd.identical'),
      )
    }
    assert.throws(() => new LoopGuard({ window: 2 }), /window must be a whole number from 5 to 1000, not 2/)
    assert.throws(() => new LoopGuard({ cycles: { shortest: 4, longest: 3 } }), /cycles.longest/)
  })
})

describe('snapshot', () => {
  it('goes on where it was, at every call of every loop', () => {
    const loops: ((at: number) => Step)[] = [
      () => same,
      () => ({ ...same, tool: tool('patient', 'read', { limits: { loop: { identical: 28 } } }) }),
      (at) => (at % 2 === 0 ? same : { ...same, input: { query: 'dogs' } }),
      (at) => ({ tool: shell, input: { command: `cat ${at}` }, outcome: failed(`no ${at}`) }),
      (at) => ({ tool: search, input: { query: `${at} cats` }, outcome: ok('No results were found.') }),
      (at) => ({ tool: readFile, input: { path: `${at}` }, outcome: ok('a result that is as long as it takes to be a long one') }),
    ]
    for (const loop of loops) {
      const expected = run(new LoopGuard(), times(30, loop))
      for (let cut = 1; cut < 22; cut++) {
        let guard = new LoopGuard()
        const said: string[] = []
        for (let at = 0; at < 30; at++) {
          if (at === cut) guard = LoopGuard.restore(JSON.parse(JSON.stringify(guard.snapshot())))
          said.push(answer(guard, [loop(at)])[0]?.type ?? '')
        }
        assert.equal(said.indexOf('warn'), Number(/pass (\d+)/.exec(expected)?.[1]), `cut at ${cut}`)
        assert.ok(guard.stopped !== undefined, `cut at ${cut}`)
      }
    }
  })

  it('refuses what is none, naming the place', () => {
    const good = new LoopGuard().snapshot()
    for (const [bad, place] of [
      [{}, 'version'],
      [{ ...good, version: 2 }, 'version'],
      [{ ...good, counts: [1] }, 'counts'],
      [{ ...good, counts: [1, 2, 3, 'x', 5] }, 'counts'],
      [{ ...good, steps: 'x' }, 'steps'],
      [{ ...good, steps: [[1, 'x', 2, 0, 1]] }, 'steps/0'],
      [{ ...good, warnings: [{}] }, 'warnings/0'],
      [{ ...good, tools: [{ name: 1 }] }, 'tools/0/name'],
      [{ ...good, stopped: 4 }, 'stopped'],
    ] as const) {
      assert.throws(
        () => LoopGuard.restore(bad),
        (error) => AdjutantError.isInstance(error) && error.message.includes(`: ${place}`),
        place,
      )
    }
  })
})
