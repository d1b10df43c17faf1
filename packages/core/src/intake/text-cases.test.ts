import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'
import { REFUSED_TEXT_CASES, type TextCase, textCases } from '../../test/intake/text-cases.ts'
import { coerce } from '../admission/coerce.ts'
import { compileSchema } from '../admission/validate.ts'
import { isJsonObject, type JsonSchema } from '../contract/json.ts'

/**
 * Recorded cases of another server's parsers, with what they expect. Where that expectation goes against a rule of ours, the case is in a
 * list with the reason; a case in the list that passes is a mistake too.
 */

const material = process.env.ADJUTANT_MATERIAL

/** White space around calls and thinking is layout to those parsers, and text to us. */
function bare(text: string): string {
  return text.replace(/[\s\u00a0]+/g, '')
}

/** What a tool with this schema gets. */
function converted(value: unknown, schema: JsonSchema | undefined): unknown {
  return schema === undefined || !isJsonObject(value) ? value : coerce(compileSchema(schema), value).value
}

/** What a case says something about, of what came out. */
function outcome(decoded: Decoded, given: TextCase): unknown {
  const whole = decoded.calls.filter((call) => call.arguments.ok)
  return {
    calls: given.calls && namesAndValues(whole).map(([name, value]) => [name, converted(value, given.schema)]),
    raws: given.raws && decoded.calls.flatMap((call) => (call.arguments.ok ? [] : [bare(call.arguments.raw)])),
    text: given.text === undefined ? undefined : bare(decoded.text),
    reasoning: given.reasoning === undefined ? undefined : bare(decoded.reasoning),
  }
}

describe('recorded cases of calls in text', { skip: material === undefined }, () => {
  const file = join(material ?? '', 'streams/text-tool-calls/ollama-parser-cases.jsonl')
  const { cases, left } = material === undefined ? { cases: [], left: 0 } : textCases(readFileSync(file, 'utf8'))

  it('are read as their parsers expect, however they are cut', () => {
    const failed: string[] = []
    const refused = new Set<string>()
    for (const given of cases) {
      const thinking = given.thinking
      const decoded = decodeAll(given.input, 'tagged-text', [], { thinking })
      if (given.input !== '')
        assert.deepEqual(decodeAll(given.input, 'tagged-text', 'each', { thinking }).events, decoded.events, given.name)
      const expected = {
        calls: given.calls,
        raws: given.raws?.map(bare),
        text: given.text === undefined ? undefined : bare(given.text),
        reasoning: given.reasoning === undefined ? undefined : bare(given.reasoning),
      }
      let same = true
      try {
        assert.deepEqual(outcome(decoded, given), expected)
      } catch {
        same = false
      }
      const known = REFUSED_TEXT_CASES.has(given.name)
      if (known) refused.add(given.name)
      if (same === known) failed.push(`${given.name}: ${JSON.stringify(outcome(decoded, given))} for ${JSON.stringify(expected)}`)
    }
    assert.deepEqual(failed, [])
    assert.deepEqual([...refused].toSorted(), [...REFUSED_TEXT_CASES.keys()].toSorted())
    assert.ok(cases.length > 250, `${cases.length} cases, ${left} left out`)
  })
})
