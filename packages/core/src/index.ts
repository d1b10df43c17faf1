// The public face of @adjutant/core, room by room. Only what is meant for others is listed.

// contract
export * from './contract/index.ts'

// registry
export { toAnthropicTools } from './registry/definitions/anthropic.ts'
export { toolDefinitionOf } from './registry/definitions/definition.ts'
export { toGeminiTools } from './registry/definitions/gemini.ts'
export { toMcpTools } from './registry/definitions/mcp.ts'
export { toOpenAiChatTools, toOpenAiResponsesTools } from './registry/definitions/openai.ts'
export { legalToolName, WireNames, type WireRule } from './registry/naming.ts'
export { Registry } from './registry/registry.ts'
export { ToolSnapshot } from './registry/snapshot.ts'

// intake

// admission

// dispatch

// execution

// response

// session

// models

// util
export { canonicalJson, digestOf } from './util/canonical-json.ts'
export { randomIds } from './util/random-ids.ts'
export { systemClock } from './util/system-clock.ts'
