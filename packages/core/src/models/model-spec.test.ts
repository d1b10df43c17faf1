import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sse, startStubProvider } from '@adjutant/testkit'
import { modelFromSpec } from './model-spec.ts'

const cwd = tmpdir()
const HELLO = { chunks: [sse({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] }, '[DONE]')] }

describe('modelFromSpec', () => {
  for (const [spec, code, message] of [
    ['openai:gpt-5', 'CONFIG_INVALID', /OPENAI_API_KEY is not set/],
    ['anthropic:claude', 'CONFIG_INVALID', /ANTHROPIC_API_KEY is not set/],
    ['openai:', 'USAGE', /name of the model is missing/],
    ['compatible:', 'USAGE', /address is missing/],
    ['compatible:http://localhost:11434/v1', 'USAGE', /compatible:URL#NAME/],
    ['compatible:localhost#m', 'CONFIG_INVALID', /not an http\(s\) address/],
    ['replay:', 'USAGE', /file is missing/],
    ['replay:no-such-file.jsonl', 'CONFIG_INVALID', /no-such-file\.jsonl: ENOENT/],
    ['gemini:gemini-3', 'CONFIG_INVALID', /GEMINI_API_KEY or GOOGLE_API_KEY is not set/],
    ['openai-responses:gpt-5', 'CONFIG_INVALID', /OPENAI_API_KEY is not set/],
    ['gemini:', 'USAGE', /name of the model is missing/],
    ['gpt-5', 'USAGE', /"gpt-5" is no kind of model/],
    ['', 'USAGE', /it is empty/],
    ['constructor:x', 'USAGE', /no kind of model/],
  ] as const) {
    it(`refuses ${JSON.stringify(spec)} with what to do`, async () => {
      await assert.rejects(modelFromSpec(spec, { env: { OPENAI_API_KEY: ' ' }, cwd }), { code, message })
    })
  }

  it('lists the forms with every refusal of a form', async () => {
    await assert.rejects(modelFromSpec('mistral:x', { env: {}, cwd }), {
      hint: /openai:NAME, openai-responses:NAME, anthropic:NAME, gemini:NAME, compatible:URL#NAME .*replay:FILE/,
    })
    await assert.rejects(modelFromSpec('gemini:x', { env: {}, cwd }), { hint: /Set GEMINI_API_KEY.*openai:NAME.*replay:FILE/ })
  })

  for (const [spec, path, header, env] of [
    ['openai:m', '/v1/chat/completions', 'authorization', { OPENAI_API_KEY: 'k' }],
    ['openai-chat:m', '/v1/chat/completions', 'authorization', { OPENAI_API_KEY: 'k' }],
    ['openai-responses:m', '/v1/responses', 'authorization', { OPENAI_API_KEY: 'k' }],
    ['anthropic:m', '/v1/messages', 'x-api-key', { ANTHROPIC_API_KEY: 'k' }],
    ['gemini:m', '/v1beta/models/m:streamGenerateContent?alt=sse', 'x-goog-api-key', { GEMINI_API_KEY: 'k', GOOGLE_API_KEY: 'other' }],
    ['gemini:tunedModels/a b', '/v1beta/tunedModels/a%20b:streamGenerateContent?alt=sse', 'x-goog-api-key', { GOOGLE_API_KEY: 'k' }],
  ] as const) {
    it(`asks at the right place with the right key: ${spec}`, async () => {
      await using provider = await startStubProvider([{ status: 400, body: '{"error":{"message":"no"}}' }])
      const addresses = { OPENAI_BASE_URL: `${provider.url}/v1`, ANTHROPIC_BASE_URL: provider.url, GEMINI_BASE_URL: provider.url }
      const { model } = await modelFromSpec(spec, { env: { ...addresses, ...env }, cwd })
      assert.equal(model.name, spec.replace('openai-chat', 'openai'))
      await assert.rejects(Array.fromAsync(model.stream({ messages: [{ role: 'user', text: 'x' }], tools: [] }, new AbortController())))
      const request = await provider.request(0)
      assert.equal(request.path, path)
      assert.equal(String(request.headers[header]).replace('Bearer ', ''), 'k')
    })
  }

  it('takes address and key from the environment', async () => {
    await using provider = await startStubProvider([HELLO])
    const env = { OPENAI_API_KEY: 'sk-test-1', OPENAI_BASE_URL: `${provider.url}/v1` }
    const handle = await modelFromSpec('openai:gpt-5', { env, cwd })
    assert.equal(handle.model.name, 'openai:gpt-5')
    for await (const _ of handle.model.stream({ messages: [{ role: 'user', text: 'x' }], tools: [] }, new AbortController()));
    assert.equal((await provider.request(0)).headers.authorization, 'Bearer sk-test-1')
    await handle.close()
  })

  it('never sends OpenAI’s key to a compatible server', async () => {
    await using provider = await startStubProvider([HELLO, HELLO])
    const env = { OPENAI_API_KEY: 'sk-test-1' }
    const request = { messages: [{ role: 'user', text: 'x' }], tools: [] } as const
    const keyless = await modelFromSpec(`compatible:${provider.url}/v1#qwen3:8b`, { env, cwd })
    for await (const _ of keyless.model.stream(request, new AbortController()));
    assert.equal((await provider.request(0)).headers.authorization, undefined)
    assert.match((await provider.request(0)).text, /"model":"qwen3:8b"/)
    const keyed = await modelFromSpec(`compatible:${provider.url}/v1#qwen3:8b`, { env: { ...env, COMPATIBLE_API_KEY: 'own' }, cwd })
    for await (const _ of keyed.model.stream(request, new AbortController()));
    assert.equal((await provider.request(1)).headers.authorization, 'Bearer own')
  })

  it('finds a recording from the working folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spec-'))
    try {
      const lines = [
        { adjutant: 'recording', version: 1, dialect: 'openai-chat', model: 'm' },
        { paceMs: 50_000, chunks: HELLO.chunks.concat(': slow\n\n') },
        { approvals: [{ tool: 'write_file', answer: 'deny' }] },
      ]
      await writeFile(join(folder, 'talk.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'))
      const handle = await modelFromSpec('replay:talk.jsonl', { env: { ADJUTANT_REPLAY_PACE: '0' }, cwd: folder })
      assert.equal(handle.approvals?.length, 1)
      let text = ''
      for await (const event of handle.model.stream({ messages: [{ role: 'user', text: 'x' }], tools: [] }, new AbortController())) {
        if (event.type === 'text') text += event.text
      }
      assert.equal(text, 'Hello')
      await handle.close()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
