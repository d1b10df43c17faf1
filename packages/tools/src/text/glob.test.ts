import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compileGlob } from './glob.ts'

const CASES: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ['*.ts', ['a.ts', 'a/b/c.ts', '.ts', '.hidden.ts'], ['a.tsx', 'a.ts/b']],
  ['src/*.ts', ['src/a.ts'], ['src/a/b.ts', 'a.ts', 'x/src/a.ts']],
  ['./src/*.ts', ['src/a.ts'], ['a.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/a/b/c.ts'], ['a.ts', 'src/a.js']],
  ['**/a', ['a', 'x/a', 'x/y/a'], ['a/b', 'ba']],
  ['**', ['a', 'a/b'], []],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'x']],
  ['src/', ['src/a'], ['src']],
  ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c'], ['a/c', 'a/b']],
  ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.t']],
  ['{a,b{c,d}}/x', ['a/x', 'bc/x', 'bd/x'], ['b/x']],
  ['{a}', ['{a}'], ['a']],
  ['[a-c]?.md', ['ax.md', 'c😀.md'], ['dx.md', 'a.md']],
  ['[!a-c].md', ['d.md'], ['a.md']],
  ['[]x].md', ['].md', 'x.md'], ['a.md']],
  ['[abc', ['[abc'], ['a']],
  ['a\\*b', ['a*b'], ['axb']],
  ['*a*b*', ['ab', 'xaxbx'], ['ba', 'a']],
]

describe('glob patterns', () => {
  for (const [pattern, yes, no] of CASES) {
    it(pattern, () => {
      const glob = compileGlob(pattern)
      for (const path of yes) assert.ok(glob.matches(path), `${pattern} should match ${path}`)
      for (const path of no) assert.ok(!glob.matches(path), `${pattern} should not match ${path}`)
    })
  }

  it('match what a plain search through all ways would (property)', () => {
    const letters = fc.constantFrom('a', 'b', '*', '?')
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 8 }),
        fc.array(fc.constantFrom('a', 'b'), { maxLength: 8 }),
        (pattern, name) => {
          const expected = slowMatch(pattern.join(''), name.join(''))
          assert.equal(compileGlob(pattern.join('')).matches(name.join('')), expected)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('cannot be made to search for ever', () => {
    const glob = compileGlob(`${'*a'.repeat(100)}*b`)
    assert.ok(!glob.matches('a'.repeat(255)))
    const folders = compileGlob(`${'**/a/'.repeat(50)}b`)
    assert.ok(!folders.matches('a/'.repeat(200)))
    assert.throws(() => compileGlob('{a,b}'.repeat(30)), { code: 'INVALID_ARGUMENTS' })
  })

  it('that lead elsewhere are refused', () => {
    for (const pattern of ['', '/etc/*', '../*', 'a/../../*', '*'.repeat(2_000)]) {
      assert.throws(() => compileGlob(pattern), { code: 'INVALID_ARGUMENTS' }, pattern)
    }
  })
})

function slowMatch(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  const rest = pattern.slice(1)
  if (pattern[0] === '*') return slowMatch(rest, name) || (name !== '' && slowMatch(pattern, name.slice(1)))
  return name !== '' && (pattern[0] === '?' || pattern[0] === name[0]) && slowMatch(rest, name.slice(1))
}
