/** Arguments that are no JSON, or JSON that says two things: refused with the reason, or read with what was changed on record. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { chunk } from '../../test/intake/chat.ts'
import { decodeAll } from '../../test/intake/decode-all.ts'
import { openSession, sessionTool } from '../../test/session-bench.ts'
import { DIALECTS } from '../contract/decode.ts'
import { isJsonObject, type JsonObject, type ToolCall } from '../contract/index.ts'
import { toOpenAiMessages } from '../models/history-openai.ts'
import { WireNames } from '../registry/naming.ts'
import { toToolMessages } from '../response/envelope.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('session: ADJUTANT_MATERIAL is not set; the JSON test suite was not tried as arguments\n')

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The text as the arguments of a call in a stream, carried out, and sent back in the history. */
async function tryArguments(name: string, text: string): Promise<'refused' | 'read' | 'repaired'> {
  const whole = parsed(text)
  const piece = { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'take', arguments: text } }] }
  const { calls } = decodeAll(`${chunk(piece)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`, 'openai-chat')
  const seen: JsonObject[] = []
  await using bench = openSession([sessionTool('take', { execute: async (input) => void seen.push(input) })])
  const results = await bench.session.execute(calls)
  assert.deepEqual(
    results.map(({ id }) => id),
    calls.map(({ id }) => id),
    name,
  )
  assert.ok(calls.length >= 1, name)
  for (const dialect of DIALECTS) assert.ok(JSON.stringify(toToolMessages(dialect, results)).length > 0)
  assertSendable(calls, name)
  const [call] = calls
  const ran = results.filter(({ outcome }) => outcome === 'ok')
  assert.equal(seen.length, ran.length, name)
  if (ran.length === 0) {
    assert.ok(
      results.every(({ outcome, code }) => outcome === 'not-run' && code !== undefined),
      name,
    )
    // What is a JSON object is refused only where it says two things, or is too deep.
    if (isJsonObject(whole?.value) && call?.arguments.ok === false) assert.ok(call.arguments.problem.length > 10, name)
    return 'refused'
  }
  const repaired = calls.some((one) => one.arguments.ok && (one.arguments.repairs ?? []).length > 0)
  const saysNothing = ['', 'null'].includes(text.trim()) || calls.length > 1
  if (whole === undefined && !saysNothing) assert.ok(repaired, `${name} is no JSON, and was read without a word: ${text.slice(0, 80)}`)
  if (isJsonObject(whole?.value) && !repaired) assert.deepEqual(seen, [whole.value], name)
  return repaired ? 'repaired' : 'read'
}

/** What goes back to the provider is a JSON object, whatever came: broken arguments would be refused a turn later. */
function assertSendable(calls: readonly ToolCall[], name: string): void {
  const [assistant] = toOpenAiMessages([{ role: 'assistant', text: '', calls }], undefined, new WireNames(['take'], 'openai'))
  const texts = JSON.stringify(assistant)
  const sent: unknown = JSON.parse(texts)
  assert.ok(isJsonObject(sent) && Array.isArray(sent.tool_calls), name)
  for (const one of sent.tool_calls) {
    assert.ok(isJsonObject(one) && isJsonObject(one.function) && typeof one.function.arguments === 'string', name)
    assert.ok(isJsonObject(JSON.parse(one.function.arguments)), name)
  }
}

describe('arguments of every kind of fault', () => {
  const cases: Readonly<Record<string, readonly [text: string, became: 'refused' | 'read' | 'repaired']>> = {
    empty: ['', 'read'],
    'the word null': ['null', 'read'],
    'a list': ['[1]', 'refused'],
    'a text': ['"x"', 'refused'],
    'single quotes': ["{'paths': ['app.py', 'b.py']}", 'repaired'],
    'a raw line end': ['{"text": "one\ntwo"}', 'repaired'],
    'an unescaped quote that could be meant in two ways': ['{"x": "5" pipe"}', 'refused'],
    'half an object': ['{"path": "a', 'refused'],
    'two objects': ['{"path":"a"}{"path":"b"}', 'read'],
    'a comma too many': ['{"a":1,}', 'repaired'],
    'a number that no number keeps': ['{"id":9007199254740993}', 'repaired'],
    'a key twice with two values': ['{"a":1,"a":2}', 'refused'],
    'a hundred thousand brackets': ['['.repeat(100_000), 'refused'],
    'a hundred thousand levels': [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'refused'],
  }
  for (const [name, [text, became]] of Object.entries(cases)) {
    it(`${name}: ${became}`, async () => assert.equal(await tryArguments(name, text), became))
  }
})

describe('the JSON test suite as arguments', { skip: material === undefined }, () => {
  it('nothing wrong is read without a word, nothing right is lost, and every call has its result', async () => {
    const root = join(material ?? '', 'json/JSONTestSuite')
    const counts = { refused: 0, read: 0, repaired: 0 }
    for (const folder of ['test_parsing', 'test_transform']) {
      for (const file of readdirSync(join(root, folder))) {
        const text = readFileSync(join(root, folder, file), 'utf8')
        counts[await tryArguments(file, text)]++
        // Most of the suite are lists: as a member they are arguments.
        counts[await tryArguments(`${file} as a member`, `{"it": ${text}}`)]++
      }
    }
    assert.ok(counts.refused > 200 && counts.read > 80, JSON.stringify(counts))
  })
})
