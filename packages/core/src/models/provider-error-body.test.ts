import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, ownValue } from '../contract/json.ts'
import { httpError } from './model-error.ts'
import type { Provider } from './provider.ts'
import { readErrorBody } from './provider-error-body.ts'

const provider: Provider = {
  label: 'openai:gpt-5',
  modelName: 'gpt-5',
  baseUrl: 'https://api.openai.com/v1',
  keyVariable: 'OPENAI_API_KEY',
  apiKey: 'sk-secret-key-1',
}
const error = (status: number, body: string, headers: Record<string, string> = {}, of: Provider = provider) =>
  httpError(of, { status, body, headers: new Headers(headers) })

describe('readErrorBody', () => {
  for (const [what, body, message] of [
    ['OpenAI', '{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}', 'no such model'],
    ['Anthropic', '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}', 'Overloaded'],
    ['a list with one error', '[{"error":{"message":"bad key","status":"UNAUTHENTICATED"}}]', 'bad key'],
    ['an error that is text', '{"error":"model \\"x\\" not found, try pulling it first"}', 'model "x" not found, try pulling it first'],
    ['a detail', '{"detail":"Not Found"}', 'Not Found'],
    [
      'validation details',
      '{"detail":[{"loc":["body","messages"],"msg":"Field required","type":"missing"}]}',
      'body.messages: Field required',
    ],
    [
      'a plain message',
      '{"message":"The security token included in the request is invalid."}',
      'The security token included in the request is invalid.',
    ],
    [
      'a router',
      '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"slow down\\"}}"}}}',
      'Provider returned error: slow down',
    ],
    ['plain text', '404 page not found\n', '404 page not found'],
    ['a page', '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>', '502 Bad Gateway'],
    ['a page without title', '<html><body><h1>Access denied</h1><script>x()</script></body></html>', 'Access denied'],
    ['cut JSON', '{"error":{"message":"Over', '{"error":{"message":"Over'],
    ['JSON without a message', '{"ok":false}', '{"ok":false}'],
    ['nothing', '  ', ''],
  ] as const) {
    it(`reads ${what}`, () => assert.equal(readErrorBody(body).message, message))
  }

  it('never throws, and gives one bounded printable line of anything', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5_000 }),
      fc.jsonValue().map((json) => JSON.stringify(json)),
      fc.jsonValue().map((json) => JSON.stringify({ error: json })),
    )
    fc.assert(
      fc.property(value, (body) => {
        const { message } = readErrorBody(body)
        assert.ok(message.length <= 1_001)
        assert.doesNotMatch(message, /[\u0000-\u001f\u007f-\u009f]/)
        assert.ok(message.isWellFormed())
      }),
      { numRuns: 300 },
    )
  })
})

describe('httpError', () => {
  it('says who said what under which request, and which variable to set', () => {
    const refused = error(401, '{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}', { 'x-request-id': 'req_9' })
    assert.equal(refused.code, 'MODEL_FAILED')
    assert.equal(refused.message, 'openai:gpt-5 answered 401: Incorrect API key provided (invalid_api_key, request req_9)')
    assert.match(refused.hint, /OPENAI_API_KEY/)
    const keyless = error(401, '{}', {}, { ...provider, apiKey: undefined })
    assert.match(keyless.hint, /set OPENAI_API_KEY/)
  })

  it('names the model and the address where one of them is wrong', () => {
    const missing = error(404, '{"error":{"message":"The model does not exist","code":"model_not_found"}}')
    assert.equal(missing.code, 'MODEL_FAILED')
    assert.match(missing.hint, /"gpt-5".*api\.openai\.com/)
    assert.match(error(404, 'Not Found', {}, { ...provider, baseUrl: 'http://localhost:11434' }).hint, /below \/v1/)
    assert.match(error(404, '<html><title>nginx</title></html>').hint, /web page/)
  })

  it('tells what may be tried again from what may not', () => {
    for (const status of [408, 429, 500, 502, 503, 529]) assert.equal(error(status, 'busy').code, 'MODEL_UNAVAILABLE', String(status))
    for (const status of [400, 401, 403, 404, 413, 422]) assert.equal(error(status, 'no').code, 'MODEL_FAILED', String(status))
    const quota = error(
      429,
      '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
    )
    assert.equal(quota.code, 'MODEL_FAILED')
    assert.match(quota.hint, /billing/)
  })

  it('keeps the key out of what it says', () => {
    assert.doesNotMatch(error(401, '{"error":{"message":"bad key sk-secret-key-1"}}').message, /secret/)
  })
})

const material = process.env.ADJUTANT_MATERIAL
describe('recorded error bodies', { skip: material === undefined ? 'ADJUTANT_MATERIAL is not set' : false }, () => {
  it('each gives a readable message and a next step', () => {
    const lines = readFileSync(join(material ?? '', 'streams', 'errors.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    assert.ok(lines.length >= 40)
    for (const line of lines) {
      const entry: unknown = JSON.parse(line)
      assert.ok(isJsonObject(entry))
      const status = ownValue(entry, 'status')
      const body = ownValue(entry, 'body')
      assert.ok(typeof status === 'number' && typeof body === 'string')
      const failure = error(status, body)
      const truth = innermostMessage(body)
      assert.ok(failure.message.includes(truth.slice(0, 900)), `${line.slice(0, 200)}\n→ ${failure.message}`)
      assert.doesNotMatch(failure.message, /{"error"|\\n/, failure.message)
      assert.equal(failure.code, status === 429 ? 'MODEL_UNAVAILABLE' : 'MODEL_FAILED')
      if (/context length|too long|maximum number of tokens|Input Tokens Exceeded/i.test(truth))
        assert.match(failure.hint, /conversation is longer/)
    }
  })
})

/** Read without the code under test: the text after the first "message". */
function innermostMessage(body: string): string {
  const found = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1]
  const text: unknown = found === undefined ? body : JSON.parse(found)
  return typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : ''
}
