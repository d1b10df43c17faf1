import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { pathParts } from './path-parts.ts'

const refused = (error: unknown): boolean => AdjutantError.isInstance(error) && error.code === 'PATH_OUTSIDE_WORKSPACE'

describe('pathParts', () => {
  it('takes plain names, and leaves out what says nothing', () => {
    assert.deepEqual(pathParts('a/b.txt'), ['a', 'b.txt'])
    assert.deepEqual(pathParts('./a//b/./c'), ['a', 'b', 'c'])
    assert.deepEqual(pathParts(''), [])
    for (const name of ['...', '..a', 'a..', '100%.txt', 'a%2fb', '图表.png', 'a／b', ' ', 'a\\b', 'x\n'])
      assert.deepEqual(pathParts(name), [name])
  })

  it('refuses every spelling of the folder above', () => {
    const up = [
      '..',
      '%2e%2e',
      '%2E.',
      '.%2e',
      '%252e%252e',
      '．．',
      '‥',
      '..\\x',
      '.. ',
      ' ..',
      'x%2f..%2fy',
      '%5c..%5c',
      'a／..／b',
      '﹒﹒',
    ]
    for (const word of up) {
      for (const path of [word, `a/${word}/b`, `a/${word}`, `${word}/a`]) assert.throws(() => pathParts(path), refused, path)
    }
  })

  it('refuses absolute paths, NUL, broken text and what no file system takes', () => {
    const bad = [
      '/etc/passwd',
      '\\\\host\\share',
      'C:/x',
      'c:\\x',
      'a\0b',
      '\ud800',
      'x'.repeat(256),
      '图'.repeat(86),
      'a/'.repeat(65),
      'a/'.repeat(3000),
    ]
    for (const path of bad) assert.throws(() => pathParts(path), refused, path.slice(0, 20))
  })

  it('gives only names that stay where they are, quickly, whatever comes', () => {
    const word = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', '%', '2e', '%2e', '%25', '\0', '．', '‥', '／'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        let parts: readonly string[]
        try {
          parts = pathParts(words.join(''))
        } catch (error) {
          assert.ok(refused(error), String(error))
          return
        }
        for (const part of parts)
          assert.ok(part !== '' && part !== '.' && part !== '..' && !part.includes('/') && !part.includes('\0'), part)
      }),
      { numRuns: 2_000 },
    )
    assert.throws(() => pathParts('%25'.repeat(5_000_000)), refused)
  })
})
