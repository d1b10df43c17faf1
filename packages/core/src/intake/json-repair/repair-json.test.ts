import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { exactDecimal } from '../../util/exact-decimal.ts'
import { repairJson } from './repair-json.ts'
import type { RepairRule } from './repair-log.ts'

const DEPTH = 200

/** How a value is written wrongly. */
interface Style {
  readonly quote?: readonly [string, string]
  readonly comma?: string
  readonly trailing?: boolean
  readonly words?: Readonly<Record<string, string>>
  readonly bareKeys?: boolean
  readonly between?: string
  readonly within?: (text: string) => string
}

function written(value: JsonValue, style: Style): string {
  const space = style.between ?? ''
  if (typeof value === 'string') return textOf(value, style)
  if (typeof value !== 'object' || value === null) {
    const plain = JSON.stringify(value)
    return style.words?.[plain] ?? plain
  }
  const comma = style.comma ?? ','
  const end = style.trailing === true ? ',' : ''
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[${space}${value.map((item: JsonValue) => written(item, style)).join(`,${space}`)}${end}${space}]`
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${style.bareKeys === true ? key : textOf(key, style)}${space}:${space}${written(member, style)}`,
  )
  return members.length === 0 ? '{}' : `{${space}${members.join(`${comma}${space}`)}${end}${space}}`
}

function textOf(text: string, { quote = ['"', '"'], within }: Style): string {
  return `${quote[0]}${within === undefined ? JSON.stringify(text).slice(1, -1) : within(text)}${quote[1]}`
}

const anyObject = fc
  .dictionary(
    fc.string({ unit: 'binary' }).filter((key) => key.isWellFormed()),
    fc.jsonValue(),
  )
  .map((value): JsonObject => {
    const parsed: unknown = JSON.parse(JSON.stringify(value))
    return isJsonObject(parsed) ? parsed : {}
  })
  .filter((value) => JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(value)))

/** Objects of plain words: no sign that means something in JSON. */
const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 ]{0,10}[a-z]$/)
const key = fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,8}$/)
const plainValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value
const plainObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(key, plainValue, { minKeys: 1, maxKeys: 4 })
  .map((value) => Object.fromEntries(Object.entries(value)))

function holds(
  arbitrary: fc.Arbitrary<JsonObject>,
  rule: RepairRule,
  spoil: (value: JsonObject) => string,
  options: { readonly ended?: boolean } = {},
): void {
  let seen = 0
  fc.assert(
    fc.property(arbitrary, (value) => {
      const text = spoil(value)
      const outcome = repairJson(text, { depth: DEPTH, ...options })
      assert.ok(outcome.ok, `${text}: ${outcome.ok ? '' : outcome.message}`)
      assert.deepEqual(JSON.parse(JSON.stringify(outcome.value)), JSON.parse(JSON.stringify(value)))
      assert.ok(
        outcome.repairs.every((repair) => repair.at >= 0 && repair.at <= text.length && repair.note !== ''),
        'each repair has its place',
      )
      if (outcome.repairs.some((repair) => repair.rule === rule)) seen++
      assert.deepEqual(repairJson(text, { depth: DEPTH, ...options }), outcome)
    }),
    { numRuns: 150 },
  )
  assert.ok(seen > 20, `${rule} was recorded ${seen} times`)
}

const refuses = (text: string, options: { readonly ended?: boolean } = {}): void => {
  const outcome = repairJson(text, { depth: DEPTH, ...options })
  assert.ok(!outcome.ok, `${text.slice(0, 80)} became ${JSON.stringify(outcome).slice(0, 300)}`)
}

describe('repairJson', () => {
  it('right JSON comes through as it is, with nothing to tell', () => {
    fc.assert(
      fc.property(anyObject, fc.nat(3), (value, indent) => {
        const outcome = repairJson(JSON.stringify(value, undefined, indent), { depth: DEPTH })
        assert.deepEqual(outcome, { ok: true, value: JSON.parse(JSON.stringify(value)), repairs: [] })
      }),
      { numRuns: 300 },
    )
  })

  describe('each kind of fault is undone exactly', () => {
    it('commas before closing brackets', () => {
      holds(anyObject, 'trailing-comma', (value) => written(value, { trailing: true }))
    })
    it('single quotes', () => {
      const within = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
      holds(anyObject, 'single-quotes', (value) => written(value, { quote: ["'", "'"], within }))
    })
    it('raw line breaks and control characters in strings', () => {
      const within = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
      const lines = fc.dictionary(
        key,
        fc.array(word, { minLength: 2 }).map((words) => words.join('\n\t')),
        { minKeys: 1 },
      )
      holds(lines, 'control-character', (value) => written(value, { within }))
    })
    it('literals of Python', () => {
      holds(plainObject, 'python-literal', (value) => written(value, { words: { true: 'True', false: 'False', null: 'None' } }))
    })
    it('keys without quotes', () => {
      holds(plainObject, 'unquoted-key', (value) => written(value, { bareKeys: true }))
    })
    it('comments', () => {
      holds(plainObject, 'comment', (value) => written(value, { between: " /* why: [ */ // so: {, it's\n" }))
      holds(plainObject, 'comment', (value) => written(value, { between: '# why\n' }))
    })
    it('typographic quotes', () => {
      holds(plainObject, 'smart-quotes', (value) => written(value, { quote: ['“', '”'] }))
      holds(plainObject, 'smart-quotes', (value) => written(value, { quote: ['‘', '’'] }))
    })
    it('missing commas between members', () => {
      const several = fc.dictionary(key, plainValue, { minKeys: 2, maxKeys: 4 })
      holds(several, 'missing-comma', (value) => written(value, { comma: '\n' }))
    })
    it('brackets that are missing at the end of what the sender called finished', () => {
      const nested = fc.tuple(key, word, word).map(([name, one, two]): JsonObject => ({ [name]: [one, { inner: [two] }] }))
      holds(nested, 'missing-end', (value) => JSON.stringify(value).replace(/[\]}]+$/, ''), { ended: true })
      holds(nested, 'missing-end', (value) => JSON.stringify(value).slice(0, -2), { ended: true })
    })
    it('a fenced block, and words around', () => {
      holds(anyObject, 'fence', (value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`)
      holds(anyObject, 'fence', (value) => `Here they are:\n\`\`\`\n${JSON.stringify(value)}\n\`\`\` Done.`)
      holds(anyObject, 'text-around', (value) => `The arguments are: ${JSON.stringify(value)}`)
      holds(anyObject, 'text-around', (value) => `${JSON.stringify(value)} and that is all.`)
    })
    it('the same object several times', () => {
      holds(anyObject, 'doubled-object', (value) => JSON.stringify(value) + JSON.stringify(value, undefined, 1))
      holds(anyObject, 'doubled-object', (value) => `${JSON.stringify(value)}\n`.repeat(3))
    })
    it('closing brackets too many', () => {
      holds(anyObject, 'stray-closing', (value) => `${JSON.stringify(value)}}`)
      holds(anyObject, 'stray-closing', (value) => `${JSON.stringify(value)} ]}`)
    })
    it('quotes in pairs inside a string', () => {
      const quoted = fc.tuple(word, word, word).map((words) => `${words[0]} "${words[1]}" ${words[2]}`)
      const said = fc.dictionary(key, fc.oneof(quoted, plainValue), { minKeys: 1, maxKeys: 4 })
      const within = (text: string): string => text
      holds(said, 'inner-quotes', (value) => written(value, { within }))
      holds(fc.constant({ text: "it's the user's", list: ["don't", 'x'] }), 'inner-quotes', (value) =>
        written(value, { quote: ["'", "'"], within }),
      )
      holds(fc.constant({ code: 'print("a", "b")' }), 'inner-quotes', (value) => written(value, { within }))
    })
    it('several faults at once', () => {
      const style: Style = { quote: ["'", "'"], trailing: true, between: ' ', words: { true: 'True', false: 'False', null: 'None' } }
      holds(plainObject, 'single-quotes', (value) => `\`\`\`python\n${written(value, style)}\n\`\`\``)
    })
  })

  it('says what was changed, and where', () => {
    const outcome = repairJson(`{'paths': ['a.py', True,], }`, { depth: DEPTH })
    assert.ok(outcome.ok)
    assert.deepEqual(outcome.value, { paths: ['a.py', true] })
    assert.deepEqual(
      outcome.repairs.map(({ rule, at }) => [rule, at]),
      [
        ['single-quotes', 1],
        ['single-quotes', 11],
        ['python-literal', 19],
        ['trailing-comma', 23],
        ['trailing-comma', 25],
      ],
    )
  })

  it('tells a bounded number of repairs and counts the rest', () => {
    const outcome = repairJson(`[${'1,'.repeat(3)}]`.replace('[1,1,1,]', `{"a": [${"'x',".repeat(5_000)}]}`), { depth: DEPTH })
    assert.ok(outcome.ok)
    assert.equal(outcome.repairs.length, 65)
    assert.deepEqual(outcome.repairs.at(-1)?.note, '4937 further repairs of these kinds')
  })

  it('refuses what could be meant in two ways, or is not whole', () => {
    for (const text of [
      '{"a": "say "hi", "b": "c"}',
      `{'a': 'x' 'y', 'b': 1}`,
      '{"a": "x" "y"}',
      '{"body": "{"k": "v"}"}',
      '["a "b" c", "d"]',
      '{"a": ["say "hi" now", "b"]}',
      '{"a":1}{"a":2}',
      '{"a":1,"a":2}',
      '{"a":[1 2]}',
      '{"a":["x" "y"]}',
      '{"a":0x10}',
      '{"a":NaN}',
      '{"a":Infinity}',
      '{"a":-Infinity}',
      '{"a":undefined}',
      '{"a":+1}',
      '{"a":.5}',
      '{"a":01}',
      '{"a":1_000}',
      '{"a":hello}',
      '{"a":}',
      '{"a"}',
      '{"a":1,,"b":2}',
      '{,"a":1}',
      '{"a":[1}',
      '{"a":[1,2}}',
      '{"a":"C:\\Users"}',
      '["x", {"a":1},]',
      'see [1] {"a":1}',
      '"args": {"a":1}',
      '{"a":1} {',
      '{"a":1} "x"',
      '',
      'no object',
      '{',
    ]) {
      refuses(text)
      refuses(text, { ended: true })
    }
  })

  it('never lets a half-written value pass for a whole one', () => {
    fc.assert(
      fc.property(plainObject, fc.nat(), fc.boolean(), (value, cut, ended) => {
        const text = JSON.stringify(value)
        const part = text.slice(0, cut % text.length)
        const outcome = repairJson(part, { depth: DEPTH, ended })
        if (!ended) assert.ok(!outcome.ok)
        // Where it is taken, it lacks nothing but brackets: every character of it is in what was written.
        else if (outcome.ok) assert.equal(JSON.stringify(outcome.value).replace(/[\]}]+$/, ''), part.replace(/[\]}]+$/, ''))
      }),
      { numRuns: 500 },
    )
    for (const text of ['{"a":12', '{"a":"x', '{"a":[1,2', '{"a":', '{"a":1,', '{"a":tr', '{"a":"x"', '{"a":{"b":true']) refuses(text)
    for (const text of ['{"a":12', '{"a":"x', '{"a":[1,2', '{"a":', '{"a":"x",', '{"a":tr']) refuses(text, { ended: true })
  })

  it('keeps digits that a number does not, and says where decimal places are lost', () => {
    const read = (text: string): unknown => {
      const outcome = repairJson(text, { depth: DEPTH })
      return outcome.ok ? [outcome.value, ...outcome.repairs.map(({ rule }) => rule)] : outcome
    }
    assert.deepEqual(read('{"id":9007199254740993}'), [{ id: '9007199254740993' }, 'big-number'])
    assert.deepEqual(read('{"id":-12345678901234567890}'), [{ id: '-12345678901234567890' }, 'big-number'])
    assert.deepEqual(read('{"id":1e400}'), [{ id: '1e400' }, 'big-number'])
    assert.deepEqual(read('{"a":9007199254740992,"b":1e23,"c":0.30000000000000004,"d":5e-324,"e":1.50,"f":100000000000000000000}'), [
      { a: 9007199254740992, b: 1e23, c: 0.30000000000000004, d: 5e-324, e: 1.5, f: 1e20 },
    ])
    assert.deepEqual(read('{"a":2.99999999999999999999123}'), [{ a: 3 }, 'rounded-number'])
    assert.deepEqual(read('{"a":1e-400}'), [{ a: 0 }, 'rounded-number'])
    assert.deepEqual(read('{"a":12345678901234567.25}'), [{ a: '12345678901234567.25' }, 'big-number'])
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (number) => {
        const outcome = repairJson(`{"id":${number}}`, { depth: DEPTH })
        assert.ok(outcome.ok)
        assert.equal(exactDecimal(String(outcome.value.id)), exactDecimal(String(number)))
      }),
    )
  })

  it('a key that stands twice with one value is taken once; __proto__ stays a property', () => {
    const twice = repairJson('{"a":{"x":[1]},"a":{ "x" : [1] }}', { depth: DEPTH })
    assert.ok(twice.ok)
    assert.deepEqual([twice.value, twice.repairs[0]?.rule], [{ a: { x: [1] } }, 'duplicate-key'])
    const named = repairJson("{'__proto__': {'admin': true}, 'constructor': 1}", { depth: DEPTH })
    assert.ok(named.ok)
    assert.deepEqual(Object.keys(named.value), ['__proto__', 'constructor'])
    assert.equal(Object.getPrototypeOf(named.value), Object.prototype)
    assert.equal(Reflect.get({}, 'admin'), undefined)
    assert.ok(!repairJson('{"__proto__":1,"__proto__":2}', { depth: DEPTH }).ok)
  })

  it('halves of characters become U+FFFD', () => {
    const outcome = repairJson('{"a":"\\ud83d","b":"\\ud83d\\ude00"}', { depth: DEPTH })
    assert.ok(outcome.ok)
    assert.deepEqual(outcome.value, { a: '\uFFFD', b: '😀' })
    assert.deepEqual(
      outcome.repairs.map(({ rule }) => rule),
      ['lone-surrogate'],
    )
  })

  it('unescaped quotes anywhere in texts give the texts, or nothing', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '"', '"', "'", '{', '}', '[', ']', '#', '/', 'true', '1'),
      maxLength: 12,
    })
    const values = fc.dictionary(key, fc.oneof(text, fc.array(text, { maxLength: 1 })), { minKeys: 1, maxKeys: 3 })
    const within = (inside: string): string => inside
    let taken = 0
    fc.assert(
      fc.property(values, fc.constantFrom('"', "'"), (value, quote) => {
        const json = written(value, { quote: [quote, quote], within })
        const outcome = repairJson(json, { depth: DEPTH })
        if (!outcome.ok) return
        taken++
        assert.deepEqual(JSON.parse(JSON.stringify(outcome.value)), JSON.parse(JSON.stringify(value)), json)
      }),
      { numRuns: 2_000 },
    )
    assert.ok(taken > 200, `${taken}`)
  })

  it('garbage is refused, or what comes of it stands in the text', () => {
    const sign = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ',',
      ':',
      ' ',
      '\n',
      'a',
      '1',
      'true',
      'None',
      '\\',
      '“',
      '”',
      '#',
      '//',
      '```',
      '-',
      '.',
    )
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 40 }), fc.boolean(), (signs, ended) => {
        const text = signs.join('')
        const outcome = repairJson(text, { depth: 8, ended })
        if (!outcome.ok) return
        for (const [name, value] of Object.entries(outcome.value)) {
          assert.ok(text.includes(name))
          if (typeof value === 'number') assert.ok(text.includes(String(value)))
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('takes hostile text of megabytes without a stack, and in one pass', () => {
    const size = 2_000_000
    for (const text of [
      '{'.repeat(size),
      '['.repeat(size),
      `{"a":${'['.repeat(size)}`,
      `{"a":"${'"x'.repeat(size / 2)}`,
      `{"a":"${'" '.repeat(size / 2)}`,
      `{'a':'${"x'".repeat(size / 2)}`,
      `{"a":"x","b"${' '.repeat(size)}`,
      `{"a":${'/*'.repeat(size / 2)}`,
      `{${'#\n'.repeat(size / 2)}`,
      `${'{"a":1}'.repeat(size / 8)}{"a":2}`,
      `${'`'.repeat(size)}{`,
      `{"a":1}${'}'.repeat(size)}x{`,
      `{${'"a":1,'.repeat(size / 6)}`,
      `{"a":${'9'.repeat(size)}`,
      `{"a":"${'\\u00'.repeat(size / 4)}`,
    ]) {
      refuses(text, { ended: true })
    }
  })
})
