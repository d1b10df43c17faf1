import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Admission, callId, isJsonObject, type JsonValue, LOCAL_PRINCIPAL, Registry } from '@adjutant/core'
import { testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { HELPERS, typeTexts } from '../test/random-types.ts'
import { valuesOf } from '../test/schema-values.ts'
import { sourceFolder } from '../test/source-folder.ts'
import { reflectTools } from './index.ts'

/** What is refused, by its kind: everything else that is said is a fault of ours. */
const REFUSED = /which JSON cannot tell apart|lists that JSON cannot tell apart|is of type never|is a function with|objects that/

const CONFIG = '{ "compilerOptions": { "target": "es2024", "lib": ["es2024", "dom"], "module": "nodenext", "strict": true, "types": [] } }'

describe('any type', () => {
  it('is refused by its place, or round-trips: generated, admitted, converted, called, and back', async () => {
    const admission = new Admission({ mode: 'allow', principal: LOCAL_PRINCIPAL })
    await using cx = await testContext()
    await fc.assert(
      fc.asyncProperty(fc.array(typeTexts, { minLength: 60, maxLength: 60 }), async (types) => {
        const functions = types.map(
          (type, at) => `/** D. */\nexport function f${at}(value: ${type}, mark?: 0): { value: ${type} } {\n  return { value }\n}\n`,
        )
        await using folder = await sourceFolder({ 'tsconfig.json': CONFIG, 'a.ts': HELPERS + functions.join('') })
        const { tools, problems } = await reflectTools([folder.path], { cacheFolder: false })
        for (const { message } of problems) assert.match(message, REFUSED)
        const registry = new Registry()
        assert.deepEqual(registry.add(tools, 'random'), [])
        const lookup = registry.snapshot()
        for (const tool of tools) {
          const type = types[Number(tool.name.slice(1))] ?? ''
          for (const value of fc.sample(valuesOf(tool.inputSchema), { numRuns: 5 })) {
            assert.ok(isJsonObject(value))
            const said = `${type}: ${JSON.stringify(value)}`
            const call = { id: callId('call_1'), index: 0, name: tool.name, arguments: { ok: true, value }, idFromProvider: true } as const
            const verdict = admission.admit(call, lookup)
            assert.ok(verdict.type === 'admitted', `${said}: ${verdict.type === 'refused' ? verdict.error.message : verdict.type}`)
            assert.equal(verdict.call.conversions.length, 0, said)
            const ran = Promise.resolve(tool.check?.(verdict.call.input, cx)).then(() => tool.execute(verdict.call.input, cx))
            const result: unknown = await ran.catch((error: unknown) => assert.fail(`${said}: ${String(error)}`))
            const back: JsonValue = JSON.parse(JSON.stringify(result))
            assert.deepEqual(back, { value: value.value }, said)
          }
        }
      }),
      { numRuns: 4, endOnFailure: true },
    )
  })
})
