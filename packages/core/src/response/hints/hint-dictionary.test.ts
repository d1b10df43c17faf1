import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { builtInHints } from './dictionary/built-in.ts'
import { BUILT_IN_FIELDS } from './dictionary/index.ts'
import { HINT_LANGUAGES, type HintEntry } from './hint.ts'
import { HintDictionary } from './hint-dictionary.ts'
import { failureOf, LOOKED_AT } from './recognise-failure.ts'

const entries = Object.values(BUILT_IN_FIELDS).flat()

function entry(code: string, patterns: readonly string[]): HintEntry {
  return { code, grade: 'final', patterns, hint: { en: 'x', zh: 'x' } }
}

describe('the dictionary', () => {
  it('finds each pattern wherever its longest literal is, and nothing else', () => {
    const words = ['abcd', 'bcde', 'abcde', 'cdef', '错误信息', 'xyzw']
    const dictionary = new HintDictionary(words.map((word, at) => entry(`C${at}`, [word])))
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words, 'ab', 'c', '误', '\n'), { maxLength: 20 }), (pieces) => {
        const text = pieces.join('')
        const found: string[] = []
        dictionary.search(text, ({ pattern }, at) => found.push(`${pattern.key}@${at}`))
        const expected: string[] = []
        for (const word of words)
          for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) expected.push(`${word}@${at}`)
        assert.deepEqual(found.toSorted(), expected.toSorted())
      }),
    )
  })

  it('names the entry whose pattern cannot be used', () => {
    assert.throws(() => new HintDictionary([entry('SHORT', ['ab'])]), /^Error: SHORT: .*4 literal/)
  })

  it('has a text in each language for every entry, and something to say where nothing was caught', () => {
    for (const { code, hint, patterns = [], exits = [], form } of entries) {
      assert.match(code, /^[A-Z][A-Z0-9_]+$/)
      assert.ok(patterns.length + exits.length > 0 || form !== undefined, code)
      for (const language of HINT_LANGUAGES) {
        assert.ok(hint[language].length > 8 && hint[language].length < 260, `${code} ${language}`)
        for (const [gap] of hint[language].matchAll(/\{[a-z0-9][^}]*\}/g)) assert.match(gap, /^\{[0-9]\|[^{}]+\}$/, `${code}: ${gap}`)
      }
      assert.match(hint.en, /\.$/, code)
      assert.match(hint.zh, /\p{Script=Han}.*。$/u, code)
    }
  })

  it('uses only what some pattern of the entry catches', () => {
    for (const { code, hint, patterns = [] } of entries) {
      for (const [, name] of `${hint.en}${hint.zh}`.matchAll(/\{(\d)\|/g)) {
        assert.ok(
          patterns.some((pattern) => pattern.includes(`{${name}}`) || pattern.includes(`{${name}:`)),
          `${code}: nothing catches {${name}}`,
        )
      }
    }
  })

  it('has every code in docs/reference/hints.md, with its grade, and no other', () => {
    const page = readFileSync(join(fileURLToPath(import.meta.url), '../../../../../../docs/reference/hints.md'), 'utf8')
    const documented = [...page.matchAll(/^\| `([A-Z0-9_]+)` \| (retry|clarify|final) \|/gm)].map(([, code, grade]) => `${code} ${grade}`)
    const wanted = new Set(entries.map(({ code, grade }) => `${code} ${grade}`))
    assert.deepEqual([...new Set(documented)].toSorted(), [...wanted].toSorted())
  })

  it('bounds the work of every pattern on lines made to take long', () => {
    // Work is counted, not timed: places found are at most one for each character looked at, and each is tried within a budget.
    for (const { pattern } of builtInHints().patterns) {
      let hits = 0
      builtInHints().search(pattern.key.repeat(40), () => hits++)
      assert.ok(hits >= 40, pattern.source)
    }
    const literals = builtInHints().patterns.map(({ pattern }) => pattern.steps.map(({ literal }) => literal).join(' '))
    for (let at = 0; at < literals.length; at += 120) {
      const line = literals.slice(at, at + 120).join(' ')
      for (const text of [line.repeat(Math.ceil(1_000_000 / line.length)), `${line}\n`.repeat(Math.ceil(1_000_000 / line.length))]) {
        assert.ok(text.length > 4 * LOOKED_AT)
        failureOf(text)
      }
    }
  })
})
