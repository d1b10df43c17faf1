import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compileLinePattern, matchLine } from './line-pattern.ts'

function match(pattern: string, line: string): Readonly<Record<string, string>> | undefined {
  const found = matchLine(compileLinePattern(pattern), line, { left: 1_000 })
  return found === undefined ? undefined : Object.fromEntries(found)
}

describe('line patterns', () => {
  it('find literal text, at word ends', () => {
    assert.deepEqual(match('status code 404', 'failed with status code 404.'), {})
    assert.equal(match('status code 404', 'failed with status code 4040'), undefined)
    assert.equal(match('EMFILE', 'DEMFILE here'), undefined)
  })

  it('catch what lies between', () => {
    assert.deepEqual(match('^*: {1:word}: command not found$', 'bash: line 1: foo: command not found'), { 1: 'foo' })
    assert.deepEqual(match("No module named '{1}'", "x: No module named 'a b'"), { 1: 'a b' })
    assert.deepEqual(match('{1:word}: bad interpreter', 'bash: ./a.sh: bad interpreter: none'), { 1: './a.sh' })
    assert.deepEqual(match('lookup {1:word}', 'dial: lookup db.local on x'), { 1: 'db.local' })
    assert.deepEqual(match('^Tests: *{1:count} failed', 'Tests:       12 failed, 3 passed'), { 1: '12' })
    assert.equal(match('^Tests: *{1:count} failed', 'Tests:       0 failed, 3 passed'), undefined)
    assert.deepEqual(match('port {1:number} is', 'port x is port 80 is'), { 1: '80' })
    assert.equal(match('port {1:number} is', 'port x is'), undefined)
    assert.deepEqual(match('port {1:number} is', 'port 80 is taken'), { 1: '80' })
  })

  it('begin and end where they say', () => {
    assert.deepEqual(match('^Killed$', 'Killed'), {})
    assert.equal(match('^Killed$', 'was Killed'), undefined)
    assert.equal(match('^Killed$', 'Killed it'), undefined)
    assert.deepEqual(match('\\*\\*\\* {1} \\{x\\}', 'make: *** stop {x}'), { 1: 'stop' })
  })

  it('say what is wrong with one that cannot be used', () => {
    for (const [pattern, said] of [
      ['*', /4 literal characters/],
      ['abc', /4 literal characters/],
      ['{1}{2}: fail', /no text between/],
      ['{1}*fail', /put some text between/],
      ['fail {A}', /is no gap/],
      ['fail {1:date}', /is no gap/],
      ['fail {1', /is no gap/],
      ['fails {1} and {1}', /there twice/],
      ['fails\nagain', /one line/],
      ['fails \\', /single \\/],
      ['x'.repeat(301), /300 characters/],
    ] as const) {
      assert.throws(() => compileLinePattern(pattern), said, pattern)
    }
  })

  it('agree with a regular expression of the same meaning', () => {
    const word = fc.constantFrom('fail', 'a', ' ', ':', 'x y', '7', 'fail: ')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const line = words.join('').trim()
        const literal = matchLine(compileLinePattern('^*fail: {1}$'), line, { left: 1_000 }) !== undefined
        assert.equal(literal, /fail: .+$/.test(line), JSON.stringify(line))
      }),
    )
  })

  it('stop when their tries are used up', () => {
    const tries = { left: 500 }
    const pattern = compileLinePattern('{1:number}aaaa*aaaa*aaaa*aaaa*zzzz')
    assert.equal(matchLine(pattern, '7'.concat('a'.repeat(900)), tries), undefined)
    assert.ok(tries.left < 0 && tries.left > -20, String(tries.left))
  })
})
