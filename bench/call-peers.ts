/** The same batch of no-op calls in other systems, each in the way its own documentation shows. */
import { AIMessage } from '@langchain/core/messages'
import { tool as langChainTool } from '@langchain/core/tools'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { Agent, tool as agentsTool, type Model, type ModelResponse, Runner, setTracingDisabled, Usage } from '@openai/agents'
import { tool as aiTool, generateText, jsonSchema, stepCountIs } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { z } from 'zod'

export const SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
  required: ['path'],
  additionalProperties: false,
} as const
export const INPUT = { path: 'src/index.ts', limit: 20 }
/** Runs one batch. `close`: nothing more comes. */
export type Run = (() => Promise<unknown>) & { readonly close?: () => Promise<void> }
/** Makes what is run again and again. @param turns how often, for whoever prepares its input */
export type Batch = (size: number, turns: number) => Promise<Run>

export function promiseAll(): Batch {
  return async (size) => {
    const validate = new Ajv2020().compile(SCHEMA)
    const inputs = Array.from({ length: size }, () => ({ ...INPUT }))
    return () =>
      Promise.all(
        inputs.map(async (input) => {
          if (!validate(input)) throw new Error('invalid')
          return 'done'
        }),
      )
  }
}

export function aiGenerateText(): Batch {
  return async (size) => {
    const noopTool = aiTool({
      description: 'Does nothing.',
      inputSchema: jsonSchema({ ...SCHEMA, required: [...SCHEMA.required] }),
      execute: async () => 'done',
    })
    const content = Array.from({ length: size }, (_, index) => ({
      type: 'tool-call' as const,
      toolCallId: `call_${index}`,
      toolName: 'noop',
      input: JSON.stringify(INPUT),
    }))
    const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({ content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }),
    })
    return () => generateText({ model, prompt: 'go', tools: { noop: noopTool }, stopWhen: stepCountIs(1) })
  }
}

export function toolNode(): Batch {
  return async (size) => {
    const noopTool = langChainTool(async () => 'done', {
      name: 'noop',
      description: 'Does nothing.',
      schema: z.object({ path: z.string(), limit: z.number().int().min(1).optional() }),
    })
    const node = new ToolNode([noopTool])
    const message = new AIMessage({
      content: '',
      tool_calls: Array.from({ length: size }, (_, index) => ({
        id: `call_${index}`,
        name: 'noop',
        args: { ...INPUT },
        type: 'tool_call',
      })),
    })
    return () => node.invoke({ messages: [message] })
  }
}

/** A run that ends when its tools have run: one answer of the model, one batch. */
export function openAiAgents(): Batch {
  return async (size) => {
    setTracingDisabled(true)
    const noopTool = agentsTool({
      name: 'noop',
      description: 'Does nothing.',
      parameters: z.object({ path: z.string(), limit: z.number().int().min(1) }),
      execute: async () => 'done',
    })
    const response: ModelResponse = {
      usage: new Usage(),
      output: Array.from({ length: size }, (_, index) => ({
        type: 'function_call' as const,
        callId: `call_${index}`,
        name: 'noop',
        status: 'completed' as const,
        arguments: JSON.stringify(INPUT),
      })),
    }
    const model: Model = {
      getResponse: async () => response,
      getStreamedResponse: () => {
        throw new Error('not streamed here')
      },
    }
    const agent = new Agent({ name: 'bench', instructions: 'go', model, tools: [noopTool], toolUseBehavior: 'stop_on_first_tool' })
    const runner = new Runner({ tracingDisabled: true })
    return () => runner.run(agent, 'go', { maxTurns: 2 })
  }
}
