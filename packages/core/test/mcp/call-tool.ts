import assert from 'node:assert/strict'
import { AdjutantError, type AgentTool, type CallContext, type JsonObject, ToolOutput } from '@adjutant/core'
import { testContext } from '@adjutant/testkit'

interface WithTools {
  readonly tools: readonly AgentTool[]
}

/** The tool that the server calls so. */
export function toolOf({ tools }: WithTools, originalName: string): AgentTool {
  const tool = tools.find(({ origin }) => origin.originalName === originalName)
  assert.ok(tool !== undefined, `there is a tool ${originalName}`)
  return tool
}

/** Calls a tool of a server and gives what it gave. */
export async function callTool(
  server: WithTools,
  originalName: string,
  input: JsonObject = {},
  context?: CallContext,
): Promise<ToolOutput> {
  await using own = await testContext()
  const output: unknown = await toolOf(server, originalName).execute(input, context ?? own)
  assert.ok(output instanceof ToolOutput)
  return output
}

/** The text of a call's parts. */
export async function callText(server: WithTools, originalName: string, input: JsonObject = {}): Promise<string> {
  const { parts } = await callTool(server, originalName, input)
  return parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n')
}

/** The error of a call that has to fail. */
export async function callError(
  server: WithTools,
  originalName: string,
  input: JsonObject = {},
  context?: CallContext,
): Promise<AdjutantError> {
  const error: unknown = await callTool(server, originalName, input, context).then(
    () => assert.fail(`${originalName} worked`),
    (thrown: unknown) => thrown,
  )
  assert.ok(AdjutantError.isInstance(error), String(error))
  return error
}
