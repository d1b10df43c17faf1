import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import {
  Admission,
  type AgentTool,
  callId,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LOCAL_PRINCIPAL,
  Registry,
  type ToolCall,
  type ToolLookup,
} from '@adjutant/core'
import { type TestContext, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { valuesOf } from '../test/schema-values.ts'
import { type ReflectReport, reflectTools } from './index.ts'

const CORPUS = join(import.meta.dirname, '../test/corpus')

let report: ReflectReport
let tools: ToolLookup
before(async () => {
  report = await reflectTools([CORPUS], { cacheFolder: false })
  const registry = new Registry()
  assert.deepEqual(registry.add(report.tools, 'corpus'), [])
  tools = registry.snapshot()
})

function callOf(tool: AgentTool, value: JsonObject): ToolCall {
  return { id: callId('call_1'), index: 0, name: tool.name, arguments: { ok: true, value }, idFromProvider: true }
}

/** A tool that takes what the other gives, so that results are checked by the same rules as arguments. */
function takingResultOf(tool: AgentTool): AgentTool {
  const { $defs = {}, ...result } = isJsonObject(tool.outputSchema) ? tool.outputSchema : {}
  return { ...tool, inputSchema: { type: 'object', properties: { result }, required: ['result'], $defs } }
}

async function run(tool: AgentTool, input: JsonObject, cx: TestContext): Promise<unknown> {
  const execution = tool.execute(input, cx)
  if (!(Symbol.asyncIterator in execution)) return execution
  for (;;) {
    const step = await execution.next()
    if (step.done === true) return step.value
  }
}

function lookupOf(tool: AgentTool): ToolLookup {
  return { get: () => tool, names: () => [tool.name] }
}

/** Everything that was sent came back; what was left out may have come back as its default. */
function assertHolds(whole: JsonValue, part: JsonValue, path: string): void {
  if (isJsonObject(part) && isJsonObject(whole)) {
    for (const [name, value] of Object.entries(part)) {
      const own = Object.hasOwn(whole, name) ? whole[name] : undefined
      assert.notEqual(own, undefined, `${path}/${name} did not come back`)
      if (own !== undefined) assertHolds(own, value, `${path}/${name}`)
    }
  } else assert.deepEqual(whole, part, path)
}

/** A function whose one parameter is all the arguments may give it back under its name. */
function echoOf(back: JsonValue, sent: JsonObject): JsonValue {
  const members = isJsonObject(back) ? Object.entries(back) : []
  const [only] = members
  return only !== undefined && members.length === 1 && !Object.hasOwn(sent, only[0]) && isJsonObject(only[1]) ? only[1] : back
}

const SAYS_NOTHING = new Set(['saysNothing', 'takeNothing'])

describe('the corpus', () => {
  it('is at least a hundred functions, all of which are reflected', () => {
    assert.deepEqual(report.problems, [])
    assert.ok(report.tools.length >= 100, `${report.tools.length}`)
    assert.equal(tools.get('notForModels'), undefined)
  })

  it('round-trips: generated from its schema, admitted, converted, called, and back', async () => {
    const admission = new Admission({ mode: 'allow', principal: LOCAL_PRINCIPAL })
    await using cx = await testContext()
    for (const tool of report.tools) {
      const returned = takingResultOf(tool)
      await fc.assert(
        fc.asyncProperty(valuesOf(tool.inputSchema), async (value) => {
          assert.ok(isJsonObject(value), tool.name)
          const verdict = admission.admit(callOf(tool, value), tools)
          assert.ok(verdict.type === 'admitted', `${tool.name}: ${verdict.type === 'refused' ? verdict.error.message : verdict.type}`)
          assert.equal(verdict.call.conversions.length, 0, `${tool.name}: was not valid as it came`)
          await tool.check?.(verdict.call.input, cx)
          const result = await run(tool, verdict.call.input, cx)
          if (SAYS_NOTHING.has(tool.name)) return
          const back: JsonValue = JSON.parse(JSON.stringify(result))
          assertHolds(echoOf(back, value), value, tool.name)
          const fits = admission.admit(callOf(returned, { result: back }), lookupOf(returned))
          assert.ok(
            fits.type === 'admitted',
            `${tool.name}: its result does not fit: ${fits.type === 'refused' ? fits.error.message : fits.type}`,
          )
        }),
        { numRuns: 25 },
      )
    }
  })

  it('has a schema of every result but of what says nothing', () => {
    const without = report.tools.filter((tool) => tool.outputSchema === undefined).map((tool) => tool.name)
    assert.deepEqual(without, ['saysNothing'])
  })
})
