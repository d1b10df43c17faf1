import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type } from 'arktype'
import * as z from 'zod'
import {
  type CallContext,
  callId,
  isJsonObject,
  type JsonObject,
  LOCAL_PRINCIPAL,
  type Progress,
  sessionId,
  traceId,
} from '../../contract/index.ts'
import { Registry } from '../registry.ts'
import { defineTool } from './define-tool.ts'
import { makeTool } from './make-tool.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const cx: CallContext = {
  callId: callId('call_1'),
  sessionId: sessionId('s1'),
  traceId: traceId('1'.padStart(32, '0')),
  principal: LOCAL_PRINCIPAL,
  namespace: {
    sessionId: sessionId('s1'),
    directory: async () => '/nowhere',
    path: async (name) => `/nowhere/${name}`,
    issueHandle: async () => 'none',
    readHandle: async () => 'none',
  },
  signal: new AbortController().signal,
  idempotencyKey: 'key',
  log: silent,
  progress() {},
  ask: async () => 'yes',
}

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } as const

describe('defineTool with a JSON Schema', () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    input: numbers,
    effect: 'read',
    execute: async ({ a, b }) => a + b,
    format: (sum) => `The sum is ${sum}.`,
  })

  it('makes a tool that the registry takes', async () => {
    assert.deepEqual(new Registry().add([add], 'test'), [])
    assert.deepEqual(add.inputSchema, numbers)
    assert.equal(await add.execute({ a: 1, b: 2 }, cx), 3)
    assert.equal(add.format?.(3, { a: 1, b: 2 }), 'The sum is 3.')
    assert.deepEqual([add.tier, add.lifetime, add.effect, add.check], ['core', 'session', 'read', undefined])
    assert.ok(Object.isFrozen(add))
  })

  it('counts a tool that says nothing of its effect as writing', () => {
    const unmarked = defineTool({ name: 'x', description: 'x', input: true, execute: () => 1 })
    assert.equal(unmarked.effect, 'write')
    assert.equal(unmarked.repeatable, undefined)
  })

  it('takes permission levels for effects', () => {
    const make = (permission: 'read_only' | 'write' | 'dangerous') =>
      defineTool({ name: 'x', description: 'x', input: true, permission, execute: () => 1 }).effect
    assert.deepEqual([make('read_only'), make('write'), make('dangerous')], ['read', 'write', 'dangerous'])
  })

  it('asks for the effect with the actual arguments', () => {
    const tool = defineTool({
      name: 'touch',
      description: 'x',
      input: { type: 'object', properties: { dry: { type: 'boolean' } } },
      effect: ({ dry }) => (dry === true ? 'read' : 'write'),
      resources: () => [{ key: 'file:a', mode: 'write' }],
      execute: () => 1,
    })
    assert.ok(typeof tool.effect === 'function')
    assert.equal(tool.effect({ dry: true }), 'read')
    assert.equal(tool.effect({}), 'write')
    assert.deepEqual(tool.resources?.({}), [{ key: 'file:a', mode: 'write' }])
  })

  it('lets a plain value, a promise and a generator of progress through', async () => {
    const plain = defineTool({ name: 'x', description: 'x', input: true, execute: () => 5 })
    assert.equal(await plain.execute({}, cx), 5)
    const slow = defineTool({
      name: 'slow',
      description: 'x',
      input: true,
      async *execute() {
        yield { current: 1, total: 2 }
        return 'done'
      },
    })
    assert.deepEqual(await drain(slow.execute({}, cx)), { progress: [{ current: 1, total: 2 }], value: 'done' })
  })

  it('turns a function that throws at once into a rejected promise', async () => {
    const bad = defineTool({
      name: 'bad',
      description: 'x',
      input: true,
      execute: (): number => {
        throw new Error('no')
      },
    })
    const execution = bad.execute({}, cx)
    assert.ok(execution instanceof Promise)
    await assert.rejects(execution, /no/)
  })

  it('keeps the business rule, and `this` of the spec', async () => {
    const spec = {
      name: 'rule',
      description: 'x',
      input: true,
      limit: undefined,
      async check(input: JsonObject) {
        if (input.amount === 13) throw new Error('not 13')
      },
      execute: () => 1,
    } as const
    const { limit: _, ...rest } = spec
    const tool = defineTool(rest)
    await assert.rejects(async () => tool.check?.({ amount: 13 }, cx), /not 13/)
    await tool.check?.({ amount: 12 }, cx)
  })
})

describe('defineTool with a schema library', () => {
  it('takes the JSON Schema from zod, and gives the function what zod makes of the input', async () => {
    const tool = defineTool({
      name: 'search',
      description: 'Searches.',
      input: z.object({
        query: z.string().min(2),
        limit: z.number().int().default(5),
        since: z.string().transform((text) => new Date(text)),
      }),
      effect: 'read',
      execute: async ({ query, limit, since }) => `${query} ${limit} ${since.getUTCFullYear()}`,
    })
    assert.ok(isJsonObject(tool.inputSchema))
    assert.equal(tool.inputSchema.type, 'object')
    assert.deepEqual(tool.inputSchema.required, ['query', 'since'])
    assert.equal(await tool.execute({ query: 'ab', since: '2024-05-01' }, cx), 'ab 5 2024')
  })

  it('takes the JSON Schema from arktype', async () => {
    const tool = defineTool({
      name: 'greet',
      description: 'x',
      input: type({ name: 'string', 'age?': 'number' }),
      execute: ({ name }) => name,
    })
    assert.ok(isJsonObject(tool.inputSchema))
    assert.deepEqual(tool.inputSchema.required, ['name'])
    assert.equal(await tool.execute({ name: 'Ada' }, cx), 'Ada')
  })

  it('takes what is to be done when a session is over, and nothing that cannot be called', async () => {
    const ended: string[] = []
    const spec = { name: 'x', description: 'x', input: true, execute: () => 1 } as const
    const tool = defineTool({ ...spec, endSession: async (id) => void ended.push(id) })
    await tool.endSession?.(cx.sessionId)
    assert.deepEqual(ended, ['s1'])
    assert.equal(defineTool(spec).endSession, undefined)
    assert.throws(() => makeTool({ ...spec, endSession: 'close' }, { kind: 'function', from: 'test' }), /endSession/)
  })

  it('takes that it goes on behind the session, and what became of a call, which gets the value of the schema library', async () => {
    const spec = {
      name: 'x',
      description: 'x',
      input: z.object({ at: z.string().transform((text) => text.length) }),
      execute: () => 1,
    } as const
    const asked: unknown[] = []
    const tool = defineTool({
      ...spec,
      background: true,
      reconcile: ({ at }, { idempotencyKey }) => {
        asked.push(at, idempotencyKey)
        return 'not-run'
      },
    })
    assert.deepEqual(new Registry().add([tool], 'test'), [])
    assert.equal(tool.background, true)
    assert.equal(await tool.reconcile?.({ at: 'four' }, cx), 'not-run')
    assert.deepEqual(asked, [4, 'key'])
    assert.deepEqual([defineTool(spec).background, defineTool(spec).reconcile], [undefined, undefined])
    const make = (more: object) => makeTool({ ...spec, ...more }, { kind: 'function', from: 'test' })
    assert.throws(() => make({ background: 'yes' }), /background is "yes"/)
    assert.throws(() => make({ reconcile: true }), /reconcile is boolean/)
    await assert.rejects(
      async () => make({ reconcile: () => 'perhaps' }).reconcile?.({ at: '' }, cx),
      /must give 'ran', 'not-run' or 'unknown'/,
    )
  })

  it('takes the JSON Schema of the output', () => {
    const tool = defineTool({
      name: 'x',
      description: 'x',
      input: true,
      output: z.object({ sum: z.number() }),
      execute: () => ({ sum: 1 }),
    })
    assert.ok(isJsonObject(tool.outputSchema))
    assert.deepEqual(tool.outputSchema.required, ['sum'])
  })

  it('checks before approval and says which argument is wrong', async () => {
    let checked = 0
    const tool = defineTool({
      name: 'range',
      description: 'x',
      input: z
        .object({ from: z.number(), to: z.number(), 'a/b': z.array(z.string()).optional() })
        .refine((range) => range.from < range.to, {
          message: 'from must be below to',
          path: ['from'],
        }),
      check: () => {
        checked++
      },
      execute: () => 1,
    })
    await assert.rejects(async () => tool.check?.({ from: 3, to: 1 }, cx), {
      code: 'INVALID_ARGUMENTS',
      message: 'range: 1 argument does not fit:\n- /from: from must be below to',
    })
    await assert.rejects(
      async () => tool.check?.({ from: 'x', to: 1, 'a/b': [1] }, cx),
      /2 arguments do not fit:.*- \/from: .*- \/a~1b\/0: /s,
    )
    assert.equal(checked, 0)
    await tool.check?.({ from: 1, to: 2 }, cx)
    assert.equal(checked, 1)
    await assert.rejects(async () => tool.execute({ from: 3, to: 1 }, cx), { code: 'INVALID_ARGUMENTS' })
  })

  it('waits for a library that validates asynchronously, with a generator too', async () => {
    const input = z.object({ id: z.string().refine(async (id) => id !== 'gone', 'does not exist') })
    const tool = defineTool({
      name: 'load',
      description: 'x',
      input,
      async *execute({ id }) {
        yield { message: id }
        return id.length
      },
    })
    assert.deepEqual(await drain(tool.execute({ id: 'abc' }, cx)), { progress: [{ message: 'abc' }], value: 3 })
    await assert.rejects(drain(tool.execute({ id: 'gone' }, cx)), /\/id: does not exist/)
    await assert.rejects(async () => tool.check?.({ id: 'gone' }, cx), /does not exist/)
  })

  const opaque = { '~standard': { version: 1, vendor: 'plainlib', validate: (value: unknown) => ({ value }) } } as const

  it('says what to pass when the library writes no JSON Schema', async () => {
    assert.throws(() => defineTool({ name: 'x', description: 'x', input: opaque, execute: () => 1 }), {
      code: 'TOOL_INVALID',
      message: /tool "x": input is a schema of plainlib, which gives no JSON Schema/,
      hint: 'Pass its JSON Schema as inputSchema beside input.',
    })
    const tool = defineTool({ name: 'x', description: 'x', input: opaque, inputSchema: { type: 'object' }, execute: () => 1 })
    assert.deepEqual(tool.inputSchema, { type: 'object' })
  })

  it('says so when a schema cannot be written as JSON Schema', () => {
    assert.throws(() => defineTool({ name: 'x', description: 'x', input: z.object({ at: z.date() }), execute: () => 1 }), {
      code: 'TOOL_INVALID',
      message: /zod cannot write input as JSON Schema/,
    })
    assert.throws(() => defineTool({ name: 'x', description: 'x', input: z.string(), execute: () => 1 }), /arguments are always an object/)
  })
})

describe('a spec that is wrong', () => {
  const good = { name: 'x', description: 'x', input: true, execute: () => 1 }
  const origin = { kind: 'module', from: 'x.js' } as const
  const cases: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', 7, /described by an object, not by number/],
    ['no name', { ...good, name: undefined }, /name is missing/],
    ['a name with a space', { ...good, name: 'a b' }, /tool "a b": name "a b" is not legal/],
    ['no description', { ...good, description: undefined }, /description is missing/],
    ['no input', { ...good, input: undefined }, /input is missing/],
    ['a list as input', { ...good, input: [] }, /input is a list/],
    ['null as input', { ...good, input: null }, /input is null/],
    ['an input of type array', { ...good, input: { type: 'array' } }, /input describes type "array"/],
    ['no execute', { ...good, execute: undefined }, /execute is missing/],
    ['execute as text', { ...good, execute: 'run' }, /execute is string/],
    ['an unknown effect', { ...good, effect: 'safe' }, /effect is "safe"/],
    ['a member that is not known', { ...good, timeout: 5 }, /timeout is unknown/],
    ['an unknown limit', { ...good, limits: { timeout: 5 } }, /limits\.timeout is unknown/],
    ['effect and permission that differ', { ...good, effect: 'read', permission: 'dangerous' }, /contradict/],
  ]
  for (const [title, spec, expected] of cases) {
    it(`is refused: ${title}`, () => {
      assert.throws(() => makeTool(spec, origin), { code: 'TOOL_INVALID', message: expected })
      assert.throws(() => makeTool(spec, origin), /^AdjutantError: x\.js: /)
    })
  }

  it('is refused where its functions answer wrongly', () => {
    const tool = makeTool({ ...good, effect: () => 'harmless', resources: () => 'file', format: () => 7 }, origin)
    const { effect } = tool
    assert.ok(typeof effect === 'function')
    assert.throws(() => effect({}), /effect\(\) gave "harmless"/)
    assert.throws(() => tool.resources?.({}), /resources\(\) must give a list/)
    assert.throws(() => tool.format?.(1, {}), /format\(\) must give/)
  })
})

async function drain(execution: ReturnType<ReturnType<typeof defineTool>['execute']>): Promise<{ progress: Progress[]; value: unknown }> {
  const progress: Progress[] = []
  if (execution instanceof Promise) return { progress, value: await execution }
  for (;;) {
    const step = await execution.next()
    if (step.done === true) return { progress, value: step.value }
    progress.push(step.value)
  }
}
