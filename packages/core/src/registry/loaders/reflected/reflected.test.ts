import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { AdjutantError, type AgentTool, type JsonObject, ToolOutput } from '../../../contract/index.ts'
import type { ConversionPlan } from './conversion-plan.ts'
import { convertIn } from './convert-in.ts'
import { convertOut } from './convert-out.ts'
import { loadReflectedTools } from './load-reflected.ts'
import { readReflectedDocument } from './read-document.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-reflected-'))
  await put('package.json', '{ "type": "module" }')
  await put(
    'tools.js',
    `export const add = (a, b = 10) => a + b
export const shift = (at, days) => new Date(at.getTime() + Number(days) * 86400000)
export const all = async (first, ...rest) => [first, rest]
export const whole = (options, cx) => ({ ...options, id: cx.callId })
export async function* steps(count) { for (let at = 0; at < count; at++) yield { current: at }; return new Set([count]) }
export const later = () => ({ then: (done) => done(new Date(0)) })
export const throws = () => { throw new Error('no more paper') }
export const notFunction = 5
`,
  )
  await put('broken.js', 'throw new Error("not today")\n')
})
after(() => rm(folder, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  return file
}

const BARE = { description: 'D.', module: './tools.js', inputSchema: { type: 'object' }, effect: 'read' } as const

function described(name: string, call: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { ...BARE, name, export: name, call: [...call], ...more }
}

function documentOf(...tools: readonly JsonObject[]): JsonObject {
  return { format: 'adjutant-tools', version: 1, compiler: '6', tools: [...tools] }
}

const argument = (name: string, more: JsonObject = {}): JsonObject => ({ from: 'argument', name, ...more })

async function load(
  ...tools: readonly JsonObject[]
): Promise<{ readonly tools: readonly AgentTool[]; readonly problems: readonly string[] }> {
  const file = await put('tools.schema.json', JSON.stringify(documentOf(...tools)))
  const { tools: loaded, problems } = await loadReflectedTools(file)
  return { tools: loaded, problems: problems.map(({ message }) => message.replaceAll(`${folder}/`, '')) }
}

describe('loadReflectedTools', () => {
  it('calls by position, with defaults, rest, whole objects and the context', async () => {
    const { tools, problems } = await load(
      described('add', [argument('a'), argument('b')]),
      described('all', [argument('first'), argument('rest', { spread: true })]),
      described('whole', [{ from: 'whole' }, { from: 'context' }]),
    )
    assert.deepEqual(problems, [])
    const [add, all, whole] = tools
    await using cx = await testContext()
    assert.equal(await add?.execute({ a: 1 }, cx), 11)
    assert.equal(await add?.execute({ b: 2, a: 1 }, cx), 3)
    assert.deepEqual(await all?.execute({ first: 1, rest: [2, 3] }, cx), [1, [2, 3]])
    assert.deepEqual(await all?.execute({ first: 1 }, cx), [1, []])
    assert.deepEqual(await whole?.execute({ x: 1 }, cx), { x: 1, id: 'call_1' })
    assert.equal(whole?.check, undefined)
  })

  it('converts before the call and back after it, and checks before anybody is asked', async () => {
    const { tools } = await load(
      described('shift', [argument('at'), argument('days')], {
        convert: { as: 'object', properties: { at: { as: 'date' }, days: { as: 'bigint' } } },
      }),
    )
    await using cx = await testContext()
    assert.equal(await tools[0]?.execute({ at: '2026-01-31T00:00:00Z', days: '1' }, cx), '2026-02-01T00:00:00.000Z')
    await assert.rejects(async () => tools[0]?.check?.({ at: '2026-02-30', days: '1' }, cx), {
      code: 'INVALID_ARGUMENTS',
      message: /^\/at: "2026-02-30" is not a moment/,
    })
  })

  it('lets a generator tell its progress and converts what it returns', async () => {
    const { tools } = await load(described('steps', [argument('count')]))
    await using cx = await testContext()
    const execution = tools[0]?.execute({ count: 2 }, cx)
    assert.ok(execution !== undefined && Symbol.asyncIterator in execution)
    const seen: unknown[] = []
    for (let step = await execution.next(); ; step = await execution.next()) {
      seen.push(step.value)
      if (step.done === true) break
    }
    assert.deepEqual(seen, [{ current: 0 }, { current: 1 }, [2]])
  })

  it('waits for anything that can be waited for', async () => {
    const { tools } = await load(described('later', []))
    await using cx = await testContext()
    assert.equal(await tools[0]?.execute({}, cx), '1970-01-01T00:00:00.000Z')
  })

  it('rejects with what the function throws', async () => {
    const { tools } = await load(described('throws', []))
    await using cx = await testContext()
    await assert.rejects(async () => tools[0]?.execute({}, cx), { message: 'no more paper' })
  })

  it('reports what is wrong with one tool or module; the others load', async () => {
    const { tools, problems } = await load(
      described('add', []),
      described('gone', []),
      described('notFunction', []),
      described('add', []),
      described('x', [], { module: './broken.js' }),
      described('y', [], { module: './none.js' }),
      described('z', [], { module: 'node:fs' }),
      described('u', [], { module: 'https://example.com/x.js' }),
      described('v', [], { module: '/etc/passwd' }),
      described('no good name', [], { export: 'add' }),
    )
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['add'],
    )
    const wanted = [
      /tools\.js: gone: there is no function gone among its exports/,
      /tools\.js: notFunction: there is no function notFunction among its exports/,
      /tools\.js: add: the name is taken by tools\.js; this one is left out/,
      /tools\.js: tool "no good name": name "no good name" is not legal/,
      /broken\.js: it could not be imported: Error: not today/,
      /none\.js: it could not be imported: Error: Cannot find module/,
      /the module "node:fs" is not named by a relative path/,
      /the module "https:\/\/example\.com\/x\.js" is not named by a relative path/,
      /the module "\/etc\/passwd" is not named by a relative path/,
    ]
    assert.equal(problems.length, wanted.length)
    for (const [at, pattern] of wanted.entries()) assert.match(problems[at] ?? '', pattern)
  })

  it('says what is wrong with the file itself', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      [await put('a.json', '{'), /a\.json is no JSON/],
      [await put('b.json', '[]'), /b\.json is no file of tools/],
      [await put('c.json', JSON.stringify({ ...documentOf(), version: 9 })), /c\.json has version 9, and 1 is what can be read/],
      [await put('d.json', JSON.stringify(documentOf({ name: 'x' }))), /d\.json tools\[0\]\.description is not a text/],
      [join(folder, 'none.json'), /none\.json does not exist/],
      [folder, /is not a file/],
    ]
    for (const [file, pattern] of cases) {
      const { tools, problems } = await loadReflectedTools(file)
      assert.deepEqual([tools.length, problems.length], [0, 1])
      assert.match(problems[0]?.message ?? '', pattern)
    }
  })
})

describe('a document', () => {
  it('is read or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const candidate of [
          value,
          { format: 'adjutant-tools', version: 1, tools: value },
          { format: 'adjutant-tools', version: 1, tools: [value] },
        ]) {
          try {
            readReflectedDocument(candidate, 'it')
          } catch (error) {
            assert.ok(AdjutantError.isInstance(error))
          }
        }
      }),
    )
  })

  it('is refused for a plan that is none', () => {
    const plans: readonly JsonObject[] = [
      { as: 'eval' },
      { as: 'list', first: [{ as: 'x' }] },
      { as: 'map', keys: 'date' },
      { as: 'choice', branches: [{ when: { type: 'symbol' }, plan: null }] },
      { as: 'object', properties: { a: 5 } },
      { as: 'defined' },
    ]
    for (const plan of plans) {
      assert.throws(
        () => readReflectedDocument(documentOf(described('add', [], { convert: plan })), 'it'),
        /tools\[0\]\.convert is no conversion/,
      )
    }
  })
})

describe('conversion', () => {
  const cases: readonly (readonly [plan: ConversionPlan, json: Parameters<typeof convertIn>[1], value: unknown])[] = [
    [{ as: 'date' }, '2026-01-31T09:30:00.000Z', new Date('2026-01-31T09:30:00Z')],
    [{ as: 'bigint' }, '-12345678901234567890', -12345678901234567890n],
    [{ as: 'bytes' }, 'AQID', new Uint8Array([1, 2, 3])],
    [{ as: 'buffer' }, 'AQID', Buffer.from([1, 2, 3])],
    [{ as: 'url' }, 'https://example.com/a', new URL('https://example.com/a')],
    [{ as: 'set', items: { as: 'bigint' } }, ['1', '2'], new Set([1n, 2n])],
    [{ as: 'map', keys: 'number', values: { as: 'bigint' } }, { 1: '2' }, new Map([[1, 2n]])],
    [{ as: 'map', keys: 'bigint' }, { 1: true }, new Map([[1n, true]])],
    [{ as: 'list', first: [null, { as: 'bigint' }], items: { as: 'bigint' } }, ['a', '1', '2'], ['a', 1n, 2n]],
    [
      { as: 'object', properties: { a: { as: 'bigint' } } },
      { a: '1', b: '1' },
      { a: 1n, b: '1' },
    ],
    [{ as: 'object', others: { as: 'bigint' } }, { a: '1' }, { a: 1n }],
  ]
  for (const [plan, json, value] of cases) {
    it(`goes both ways: ${plan.as} ${JSON.stringify(json)}`, () => {
      const converted = convertIn(plan, json, {}, '')
      assert.deepEqual(converted, value)
      assert.deepEqual(convertOut(converted), json)
    })
  }

  it('takes the first branch that a value passes', () => {
    const plan: ConversionPlan = {
      as: 'choice',
      branches: [
        { when: { type: 'string', equals: ['now'] }, plan: null },
        { when: { type: 'string', form: 'date' }, plan: { as: 'date' } },
        { when: { type: 'object', values: { kind: ['n'] } }, plan: { as: 'object', properties: { n: { as: 'bigint' } } } },
        { when: { type: 'object', required: ['m'], known: ['m'] }, plan: { as: 'object', properties: { m: { as: 'bigint' } } } },
      ],
    }
    const converted = ['now', '2026-01-01', 'text', { kind: 'n', n: '1' }, { m: '1' }, { m: '1', o: 1 }, null, 4].map((value) =>
      convertIn(plan, value, {}, ''),
    )
    assert.deepEqual(converted, ['now', new Date('2026-01-01'), 'text', { kind: 'n', n: 1n }, { m: 1n }, { m: '1', o: 1 }, null, 4])
  })

  it('tries what looks alike one after the other, in bounded time', () => {
    const leaf = (as: 'date' | 'bigint'): ConversionPlan => ({
      as: 'object',
      properties: { at: { as }, next: { as: 'defined', name: 'node' } },
    })
    const node: ConversionPlan = {
      as: 'choice',
      branches: [
        { when: { type: 'object' }, plan: leaf('date') },
        { when: { type: 'object' }, plan: leaf('bigint') },
      ],
    }
    assert.deepEqual(convertIn(node, { at: '5', next: { at: '2026-01-01' } }, { node }, ''), {
      at: 5n,
      next: { at: new Date('2026-01-01') },
    })
    let deep: JsonObject = { at: 'neither' }
    for (let at = 0; at < 200; at++) deep = { at: '5', next: deep }
    assert.throws(() => convertIn(node, deep, { node }, ''), { code: 'INVALID_ARGUMENTS' })
  })

  const refused: readonly (readonly [ConversionPlan, Parameters<typeof convertIn>[1], RegExp])[] = [
    [{ as: 'date' }, 'yesterday', /^\/at: "yesterday" is not a date and time/],
    [{ as: 'date' }, '2026-02-30T00:00:00Z', /is not a moment that exists/],
    [{ as: 'date' }, '2026-13-01', /is not a moment that exists/],
    [{ as: 'bigint' }, '1.5', /is not a whole number/],
    [{ as: 'bigint' }, '9'.repeat(5_000), /is not a whole number of at most 4000 digits/],
    [{ as: 'bytes' }, 'AQI', /is not base64/],
    [{ as: 'url' }, 'example.com', /is not an absolute address/],
    [{ as: 'map', keys: 'number' }, { x: 1 }, /^\/at\/x: "x" is not a number/],
    [{ as: 'set' }, 'a', /is not a list/],
    [{ as: 'object', properties: { 'a/b': { as: 'date' } } }, { 'a/b': 1 }, /^\/at\/a~1b: 1 is not a date/],
  ]
  for (const [plan, value, message] of refused) {
    it(`refuses with the place: ${plan.as} ${JSON.stringify(value).slice(0, 40)}`, () => {
      assert.throws(() => convertIn(plan, value, {}, '/at'), { code: 'INVALID_ARGUMENTS', message })
    })
  }

  it('knows the days of every month, of leap years too', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (year, month, day) => {
          const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
          const date = new Date(`${text}T00:00:00Z`)
          const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
          let taken = true
          try {
            convertIn({ as: 'date' }, text, {}, '')
          } catch {
            taken = false
          }
          assert.equal(taken, exists, text)
        },
      ),
    )
  })

  it('keeps a member named __proto__ a member', () => {
    const value: JsonObject = JSON.parse('{"__proto__":"1"}')
    const converted = convertIn({ as: 'object', others: { as: 'bigint' } }, value, {}, '')
    assert.deepEqual(Object.getOwnPropertyNames(converted), ['__proto__'])
    assert.equal(Object.getPrototypeOf(converted), Object.prototype)
    assert.deepEqual(Object.getOwnPropertyNames(convertOut(new Map([['__proto__', 1]]))), ['__proto__'])
  })

  it('hands on results that hold nothing to change, without a copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(convertOut(value), value)
      }),
    )
    const output = new ToolOutput([{ type: 'text', text: 'a' }])
    assert.equal(convertOut(output), output)
  })

  it('refuses a result that holds itself, or has no end', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    assert.throws(() => convertOut(circle), { code: 'TOOL_FAILED', message: 'the result holds itself' })
    let deep: unknown = 1
    for (let at = 0; at < 1_000; at++) deep = [deep]
    assert.throws(() => convertOut(deep), { code: 'TOOL_FAILED', message: 'the result is nested deeper than 256' })
    const shared = { a: 1n }
    assert.deepEqual(convertOut([shared, shared]), [{ a: '1' }, { a: '1' }])
  })
})
