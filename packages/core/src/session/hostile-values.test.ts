/** Names and values that mean something to the language: they change no prototype and no decision, and lose no result, wherever they stand. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { countingIds, scriptedApprover } from '@adjutant/testkit'
import fc from 'fast-check'
import { policyOf } from '../../test/policy-words.ts'
import { openSession, sessionCall, sessionTool, textsIn } from '../../test/session-bench.ts'
import { type DecodeEvent, DIALECTS } from '../contract/decode.ts'
import { type AgentTool, callId, isJsonObject, type JsonObject, type JsonValue } from '../contract/index.ts'
import { createDecoder } from '../intake/dialect.ts'
import { checkPlan } from '../intake/plan/check-plan.ts'
import { toToolMessages } from '../response/envelope.ts'
import { runPlan } from './run-plan.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('session: ADJUTANT_MATERIAL is not set; naughty strings from outside were not tried\n')

const INHERITED = [
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__proto__',
  '__defineGetter__',
  '__lookupSetter__',
  'prototype',
  'then',
  'toJSON',
  'length',
]

/** As text: `JSON.parse` makes `__proto__` a member like any other. */
const POLLUTING = [
  '{"__proto__":{"admin":true}}',
  '{"__proto__":{"__proto__":{"admin":true}}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"a":{"__proto__":{"admin":true}},"b":[{"__proto__":{"admin":true}}]}',
  '{"__proto__":["admin"]}',
  '{"__proto__":null}',
  '{"__proto__":{"toString":"x","valueOf":"x","then":"x"}}',
  '{"__proto__":{"effect":"read","type":"allow","ok":true,"outcome":"ok"}}',
  '{"__proto__.admin":true,"__proto__[admin]":true,"constructor[prototype][admin]":true}',
  '{"toJSON":"x","then":"x","length":-1,"valueOf":"1"}',
]

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype, Promise.prototype]
const shapeOf = (): string => JSON.stringify(PROTOTYPES.map((prototype) => Object.getOwnPropertyNames(prototype)))

function objectOf(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isJsonObject(value) ? value : assert.fail(text)
}

/** What a caller who may nothing gets for these arguments: who is admin in them may write. */
const POLICY = `rules:
  - { id: admins, effect: allow, tools: write, when: { admin: { in: [true] } } }
  - { id: nested, effect: allow, tools: write, when: { /a/admin: { in: [true] } } }
  - { id: reads, effect: allow, effects: read }
default: ask`

interface World {
  readonly ran: JsonObject[]
  readonly tools: readonly AgentTool[]
}

function world(): World {
  const ran: JsonObject[] = []
  const keep = async (input: JsonObject): Promise<unknown> => {
    ran.push(input)
    return input
  }
  return {
    ran,
    tools: [
      sessionTool('read', { execute: keep }),
      sessionTool('write', { effect: 'write', execute: keep }),
      sessionTool('strict', {
        inputSchema: { type: 'object', properties: { count: { type: 'integer' } }, additionalProperties: false },
        execute: keep,
      }),
      sessionTool('typed', {
        inputSchema: { type: 'object', properties: { __proto__: { type: 'string' }, n: { type: 'integer' } }, required: ['n'] },
        execute: keep,
      }),
    ],
  }
}

async function tryPolluting(text: string): Promise<void> {
  const before = shapeOf()
  const value = objectOf(text)
  const { ran, tools } = world()
  {
    await using bench = openSession(tools, { policy: policyOf({ admin: POLICY }) })
    const results = await bench.run(['read', value], ['write', value], ['strict', value], ['typed', { ...value, n: '3' }])
    // Nothing in the arguments made the caller an admin, and nothing unknown got in where the schema lets nothing unknown in.
    assert.deepEqual(
      results.slice(0, 3).map(({ outcome, code }) => code ?? outcome),
      ['ok', 'DENIED_BY_PERSON', 'INVALID_ARGUMENTS'],
      text,
    )
    assert.deepEqual(
      ran.slice(0, 1).map((input) => JSON.stringify(input)),
      [JSON.stringify(value)],
    )
    for (const dialect of DIALECTS) assert.ok(textsIn(toToolMessages(dialect, results)).every((one) => one.isWellFormed()))
  }
  {
    // As edited arguments of an approval, as parameters of use_tool, as a step of a plan, out of a stream.
    const approver = scriptedApprover(() => ({ type: 'edit', input: value }))
    await using bench = openSession(tools, { mode: 'ask', approver, catalog: { disclosure: 'on' } })
    const [edited, used] = await bench.run(['write', {}], ['use_tool', { name: 'read', params: value }])
    for (const result of [edited, used]) if (result?.outcome === 'ok') assert.equal(result.text, JSON.stringify(value))
    const check = checkPlan({ plan: [{ id: 'a', tool: 'read', params: value }] })
    if ('plan' in check) {
      const [step] = await runPlan(bench.session, check.plan)
      assert.equal(step?.result.text, JSON.stringify(value))
    }
    const events: DecodeEvent[] = []
    const decoder = createDecoder('openai-chat', (event) => void events.push(event), { ids: countingIds() })
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: text } }
    decoder.push(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\ndata: [DONE]\n\n`)
    decoder.end()
    const calls = events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
    const [streamed] = await bench.session.execute(calls)
    assert.equal(streamed?.text, JSON.stringify(value))
  }
  assert.equal(shapeOf(), before)
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, 'admin'), undefined)
}

describe('values that would change a prototype', () => {
  for (const text of POLLUTING) it(`change nothing: ${text}`, () => tryPolluting(text))

  it('change nothing, whatever they are made of (property)', async () => {
    const key = fc.oneof(fc.constantFrom(...INHERITED, 'admin', 'a', 'n'), fc.string({ maxLength: 3 }))
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(true, null, 1, 'admin'),
        fc.array(tie('tree'), { maxLength: 2 }),
        fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((entries) => ({ __proto__: null, ...Object.fromEntries(entries) })),
      ),
    }))
    const object = fc.array(
      fc.tuple(
        key.filter((name) => name !== 'admin' && name !== 'a'),
        tree,
      ),
      { minLength: 1, maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(object, (entries) => tryPolluting(JSON.stringify(Object.fromEntries(entries)))),
      { numRuns: 60 },
    )
  })
})

describe('names that every object inherits', () => {
  it('are no tools, however they are asked for', async () => {
    const { ran, tools } = world()
    await using bench = openSession(tools, { catalog: { disclosure: 'on' }, loopGuard: false })
    for (const name of INHERITED) {
      const results = await bench.run([name], ['use_tool', { name, params: {} }], ['load_skill', { name }], ['unload_tool', { name }])
      assert.deepEqual(results.map(({ outcome }) => outcome === 'ok').slice(0, 3), [false, false, false], name)
      assert.equal(results[0]?.code, 'UNKNOWN_TOOL', name)
    }
    assert.deepEqual(ran, [])
  })

  it('are tools like any other where somebody registered them, and ids like any other', async () => {
    const names = INHERITED.filter((name) => /^[A-Za-z]/.test(name))
    await using bench = openSession(names.map((name) => sessionTool(name, { execute: async () => `ran ${name}` })))
    const results = await bench.run(...names.map((name, index) => [name, {}, INHERITED[(index + 3) % INHERITED.length] ?? ''] as const))
    for (const [index, { id, text }] of results.entries()) {
      assert.deepEqual([String(id), text], [INHERITED[(index + 3) % INHERITED.length], `ran ${names[index]}`])
    }
  })

  it('are users, tenants and roles like any other, and give no rights', async () => {
    const policy = policyOf({ admin: 'rules: [{id: a, effect: allow, who: {roles: [boss]}}]\ndefault: deny' })
    for (const name of INHERITED) {
      const { ran, tools } = world()
      await using bench = openSession(tools, { policy, principal: { tenantId: name, userId: name, roles: [name] } })
      assert.equal((await bench.run(['write']))[0]?.outcome, 'not-run', name)
      assert.deepEqual(ran, [])
    }
  })
})

/** Each text as tool name, id, argument, key, result and error; results come back under their ids, in order. */
async function tryTexts(texts: readonly string[]): Promise<void> {
  const before = shapeOf()
  const say = sessionTool('say', { execute: async (input) => Object.values(input)[0] })
  const fail = sessionTool('fail', {
    execute: async (input) => {
      throw new Error(String(input.text))
    },
  })
  await using bench = openSession([say, fail], { loopGuard: false })
  const ids = texts.map((text, index) => (text === '' ? `empty ${index}` : text))
  const batches = [
    texts.map((text, index) => sessionCall(index, 'say', { text }, ids[index])),
    texts.map((text, index) => sessionCall(index, 'say', Object.fromEntries([[text, text]]), ids[index])),
    texts.map((text, index) => sessionCall(index, 'fail', { text }, ids[index])),
    texts.map((text, index) => ({ ...sessionCall(index, text, {}, ids[index]), name: text })),
    texts.map((text, index) => ({
      ...sessionCall(index, 'say', {}, ids[index]),
      arguments: { ok: false, raw: text, problem: text, code: 'INVALID_JSON' } as const,
    })),
  ]
  for (const calls of batches) {
    const results = await bench.session.execute(calls)
    assert.deepEqual(
      results.map(({ id, name }) => [id, name]),
      calls.map(({ id, name }) => [id, name]),
    )
    for (const { text } of results)
      assert.ok(text.isWellFormed() && !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text), JSON.stringify(text))
    for (const dialect of DIALECTS) {
      const sent = toToolMessages(dialect, results)
      assert.equal(JSON.stringify(JSON.parse(JSON.stringify(sent))), JSON.stringify(sent))
    }
  }
  assert.equal(shapeOf(), before)
}

describe('naughty texts', () => {
  it('of any kind end no session and come back in order (property)', async () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...INHERITED, '\u0000', '\u001b[2J', '\u202e', '\ud800', '\\u0000', '%s%n', `\${${'7*7'}}`),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.array(unit, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
          { minLength: 1, maxLength: 8 },
        ),
        tryTexts,
      ),
      { numRuns: 60 },
    )
  })

  it('of the big list do not, either', { skip: material === undefined }, async () => {
    const list: unknown = JSON.parse(readFileSync(join(material ?? '', 'security/blns/blns.json'), 'utf8'))
    assert.ok(Array.isArray(list) && list.length > 500)
    await tryTexts([...new Set(list.map(String))])
  })

  it('of the list of polluting payloads change no prototype', { skip: material === undefined }, async () => {
    const page = readFileSync(join(material ?? '', 'security/payloads/Prototype Pollution/README.md'), 'utf8')
    let objects = 0
    for (const [, block = ''] of page.matchAll(/```(?:js|ps1)\n([\s\S]*?)```/g)) {
      for (const text of [block.trim(), ...block.split('\n').map((line) => line.trim())]) {
        if (text === '') continue
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          value = undefined
        }
        if (isJsonObject(value)) objects++
        await (isJsonObject(value) ? tryPolluting(text) : tryTexts([text]))
      }
    }
    for (const [, text = ''] of page.matchAll(/`(\{[^`]*\})`/g)) {
      objects++
      await tryPolluting(text)
    }
    assert.ok(objects > 8, `${objects}`)
  })

  it('are ids of any form, also equal in all but case and marks', async () => {
    const ids = ['a', 'A', 'á', 'a\u0301', ' a', 'a ', 'a\u200b', 'a\n', '../a', 'a/b', 'con', 'x'.repeat(5_000)]
    const long = sessionTool('long', { execute: async (input) => `${String(input.id)}\n${'line\n'.repeat(5_000)}` })
    await using bench = openSession([long], { loopGuard: false })
    const results = await bench.session.execute(ids.map((id, index) => ({ ...sessionCall(index, 'long', { id }), id: callId(id) })))
    const kept = new Set(results.map(({ spill }) => spill?.path))
    assert.equal(kept.size, ids.length)
    for (const [index, { id, spill }] of results.entries()) {
      assert.equal(id, ids[index])
      assert.ok(spill)
      assert.ok(spill.path.startsWith(await bench.session.namespace.directory()))
      assert.ok(readFileSync(spill.path, 'utf8').startsWith(String(ids[index]).slice(0, 1)))
    }
  })
})
