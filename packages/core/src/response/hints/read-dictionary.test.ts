import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../../contract/errors.ts'
import { readHintDictionary } from './read-dictionary.ts'
import { recogniseFailure } from './recognise-failure.ts'

function faults(text: string): string {
  try {
    readHintDictionary(text, { file: 'ours.yaml' })
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID', String(error))
    return error.message
  }
  return ''
}

const GOOD = `hints:
  - code: VPN_DOWN
    grade: final
    rank: 80
    patterns:
      - "no route to build-{1:number}"
    exits:
      - codes: [77]
        commands: [deploy]
    hint:
      en: Ask for the VPN to build {1|host}.
      zh: 请连接 VPN 后再访问构建机 {1|(见上)}。
`

describe('readHintDictionary', () => {
  it('reads YAML and JSON', () => {
    const dictionary = readHintDictionary(GOOD, { file: 'ours.yaml' })
    assert.equal(recogniseFailure('x: no route to build-7 now', { exitCode: 1, dictionary })?.hint, 'Ask for the VPN to build "7".')
    assert.equal(recogniseFailure('', { exitCode: 77, command: 'sudo ./deploy all', dictionary })?.code, 'VPN_DOWN')
    assert.equal(recogniseFailure('', { exitCode: 77, command: 'other', dictionary }), undefined)
    const json = JSON.stringify({ hints: [{ code: 'A_B', grade: 'retry', patterns: ['some text'], hint: 'Wait.' }] })
    assert.equal(readHintDictionary(json, { file: 'x.json' }).entries.length, 1)
  })

  it('names file and line of every fault at once', () => {
    const said = faults(`hints:
  - code: vpn
    grade: maybe
    patterns: ["abc"]
    hint: Ask.
  - code: OTHER
    grade: final
    patern: ["some text"]
    hint: Ask.
  - code: THIRD
    grade: final
    rank: 101
    patterns: ["some text", 7]
    exits: [{ codes: [0] }]
    hint: { en: "" }
  - nothing
more: 1
`)
    for (const expected of [
      /^ours\.yaml: line 17: "more"/m,
      /ours\.yaml: line 2: a code is/,
      /ours\.yaml: line 3: the grade is/,
      /ours\.yaml: line 4: pattern "abc": .*4 literal/,
      /ours\.yaml: line 8: "patern" is not known/,
      /ours\.yaml: line 6: an entry needs patterns or exits/,
      /ours\.yaml: line 12: the rank/,
      /ours\.yaml: line 13: "patterns" is a list/,
      /ours\.yaml: line 14: "codes"/,
      /ours\.yaml: line 15: the hint is/,
      /ours\.yaml: line 16: an entry has/,
    ]) {
      assert.match(said, expected)
    }
  })

  it('refuses what is no dictionary', () => {
    for (const [text, said] of [
      ['', /"hints" with a list/],
      ['[]', /"hints" with a list/],
      ['hints: 1', /line 1: "hints" with a list/],
      ['hints: [', /line 1: /],
      ['hints:\n  - code: A\n   grade: b', /line \d/],
      ['a: &a [1]\nhints: *b', /ours\.yaml/],
      ['x'.repeat(1_000_001), /at most 1000000/],
      [`hints: [${'1,'.repeat(2_001)}]`, /2000 entries at most/],
    ] as const) {
      assert.match(faults(text), said, text.slice(0, 30))
    }
  })

  it('ends soon and with one kind of error, whatever the text', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...[...'bcdefghi'].map((name, at) => `${name}: &${name} [${`*${'abcdefghi'[at]},`.repeat(9)}]`),
      'hints: *i',
    ].join('\n')
    assert.notEqual(faults(bomb), '')
    const piece = fc.constantFrom(
      'hints:',
      '\n',
      ' ',
      '- ',
      'code: A',
      'grade: final',
      'patterns: [',
      '"some text"',
      ']',
      'hint: x',
      '{',
      '}',
      ':',
      '&a',
      '*a',
      '!!js',
      '\t',
      '#',
      '"',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => void faults(pieces.join(''))),
      { numRuns: 300 },
    )
  })
})
