import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { tool as aiTool, jsonSchema, type LanguageModel, readUIMessageStream, streamText, toUIMessageStream } from 'ai'
import OpenAI from 'openai'
import { check } from './intake-work.ts'

/**
 * Other systems over the same bytes, each as its own documentation uses it. The bytes come from a `fetch` of ours, so that no socket is
 * measured.
 */

// It would say with each request that it does not know the model.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Bytes as they come from the network. */
export type Source = () => AsyncIterable<Uint8Array>

type Fetch = () => Promise<Response>

function fetchOf(source: Source): Fetch {
  return async () => new Response(ReadableStream.from(source()), { headers: { 'content-type': 'text/event-stream' } })
}

export type Peer = (source: Source, wanted: number) => Promise<void>

export const chatPeers: Readonly<Record<string, Peer>> = {
  'openai, raw iteration': openAiRaw,
  'openai, .stream()': openAiStream,
  'ai + @ai-sdk/openai, streamText': (source, wanted) => aiStreamText(chatModel(source), wanted),
  'ai + @ai-sdk/openai, UI message stream': (source, wanted) => aiMessages(chatModel(source), wanted),
}

export const messagesPeers: Readonly<Record<string, Peer>> = {
  '@anthropic-ai/sdk, .stream()': (source, wanted) => anthropicStream(source, wanted, false),
  '@anthropic-ai/sdk, inputJson listener': (source, wanted) => anthropicStream(source, wanted, true),
  'ai + @ai-sdk/anthropic, streamText': (source, wanted) => aiStreamText(messagesModel(source), wanted),
}

async function openAiRaw(source: Source, wanted: number): Promise<void> {
  const client = new OpenAI({ apiKey: 'none', maxRetries: 0, fetch: fetchOf(source) })
  const stream = await client.chat.completions.create({
    model: 'some-model',
    messages: [{ role: 'user', content: 'write it' }],
    stream: true,
  })
  const texts = new Map<number, string>()
  for await (const chunk of stream) {
    for (const call of chunk.choices[0]?.delta.tool_calls ?? [])
      texts.set(call.index, (texts.get(call.index) ?? '') + (call.function?.arguments ?? ''))
  }
  for (const text of texts.values()) check(typeof JSON.parse(text) === 'object')
  check(texts.size === wanted)
}

async function openAiStream(source: Source, wanted: number): Promise<void> {
  const client = new OpenAI({ apiKey: 'none', maxRetries: 0, fetch: fetchOf(source) })
  const stream = client.chat.completions.stream({ model: 'some-model', messages: [{ role: 'user', content: 'write it' }] })
  const { choices } = await stream.finalChatCompletion()
  const calls = choices[0]?.message.tool_calls ?? []
  for (const call of calls) check(call.type === 'function' && typeof JSON.parse(call.function.arguments) === 'object')
  check(calls.length === wanted)
}

async function anthropicStream(source: Source, wanted: number, listen: boolean): Promise<void> {
  const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: fetchOf(source) })
  const stream = client.messages.stream({ model: 'some-model', max_tokens: 100, messages: [{ role: 'user', content: 'write it' }] })
  let snapshots = 0
  if (listen)
    stream.on('inputJson', () => {
      snapshots += 1
    })
  const { content } = await stream.finalMessage()
  check(content.filter((block) => block.type === 'tool_use').length === wanted && snapshots > 0 === listen)
}

function chatModel(source: Source): LanguageModel {
  return createOpenAI({ apiKey: 'none', fetch: fetchOf(source) }).chat('some-model')
}

function messagesModel(source: Source): LanguageModel {
  return createAnthropic({ apiKey: 'none', fetch: fetchOf(source) })('some-model')
}

function aiStream(model: LanguageModel) {
  const inputSchema = jsonSchema({ type: 'object' })
  return streamText({ model, prompt: 'write it', tools: { write_file: aiTool({ description: 'Writes a file.', inputSchema }) } })
}

async function aiStreamText(model: LanguageModel, wanted: number): Promise<void> {
  let calls = 0
  for await (const part of aiStream(model).fullStream) if (part.type === 'tool-call') calls += 1
  check(calls === wanted)
}

/** With the arguments so far in each state of the message. */
async function aiMessages(model: LanguageModel, wanted: number): Promise<void> {
  let calls = 0
  for await (const message of readUIMessageStream({ stream: toUIMessageStream({ stream: aiStream(model).fullStream }) }))
    calls = message.parts.filter((part) => part.type.startsWith('tool-') && 'state' in part && part.state === 'input-available').length
  check(calls === wanted)
}
