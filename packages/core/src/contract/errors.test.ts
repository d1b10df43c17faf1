import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { AdjutantError, ERROR_CODES } from './errors.ts'

describe('error codes', () => {
  it('are documented as they are: docs/reference/errors.md has each with its grade and outcome', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/errors.md'), 'utf8')
    const documented = new Map(
      [...page.matchAll(/^\| `([A-Z_]+)` \| (\S+) \| (\S+) \|/gm)].map(([, code, grade, outcome]) => [code, `${grade} ${outcome}`]),
    )
    const real = new Map(Object.entries(ERROR_CODES).map(([code, entry]) => [code, `${entry.grade} ${entry.outcome}`]))
    assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(real))
  })

  it('give an error its grade, outcome and hint, unless the thrower knows better', () => {
    const plain = new AdjutantError('NOT_FOUND', 'a.txt does not exist')
    assert.deepEqual([plain.grade, plain.outcome, plain.hint], ['clarify', 'failed', ERROR_CODES.NOT_FOUND.hint])
    const own = new AdjutantError('NOT_FOUND', 'x', { grade: 'retry', outcome: 'not-run', hint: 'wait' })
    assert.deepEqual([own.grade, own.outcome, own.hint], ['retry', 'not-run', 'wait'])
  })

  it('are kept when an error is wrapped, and the cause stays', () => {
    const inner = new AdjutantError('TIMEOUT', 'late')
    assert.equal(AdjutantError.from(inner, 'TOOL_FAILED'), inner)
    const cause = new TypeError('no')
    const made = AdjutantError.from(cause, 'TOOL_FAILED', 'fetch_page')
    assert.equal(made.message, 'fetch_page: no')
    assert.equal(made.cause, cause)
    assert.equal(AdjutantError.from('text', 'TOOL_FAILED').message, 'text')
  })

  it('are recognised across copies of the package', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('adjutant.error')]: true })
    assert.ok(AdjutantError.isInstance(foreign))
    assert.equal(AdjutantError.isInstance({ [Symbol.for('adjutant.error')]: true }), false)
  })
})
