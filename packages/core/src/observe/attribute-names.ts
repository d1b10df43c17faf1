/**
 * Every name that traces and metrics carry, in one place. `gen_ai.*` follows the GenAI semantic conventions of OpenTelemetry (status: development;
 * kept in their own repository, semantic-conventions-genai, as read in November 2026): they are copied, as the package of constants no longer
 * carries them. What the conventions have no word for is `adjutant.*`.
 */

/** The scope of spans and instruments. */
export const SCOPE = '@adjutant/core'

// Operations
export const OPERATION_NAME = 'gen_ai.operation.name'
export const INVOKE_AGENT = 'invoke_agent'
export const CHAT = 'chat'
export const EXECUTE_TOOL = 'execute_tool'

// General
export const ERROR_TYPE = 'error.type'
export const PROVIDER_NAME = 'gen_ai.provider.name'
export const REQUEST_MODEL = 'gen_ai.request.model'
export const AGENT_NAME = 'gen_ai.agent.name'
export const CONVERSATION_ID = 'gen_ai.conversation.id'

// Model
export const INPUT_TOKENS = 'gen_ai.usage.input_tokens'
export const OUTPUT_TOKENS = 'gen_ai.usage.output_tokens'
export const FINISH_REASONS = 'gen_ai.response.finish_reasons'
export const TOKEN_MODALITY = 'gen_ai.token.modality'

// Tool
export const TOOL_NAME = 'gen_ai.tool.name'
/** `function`, or `extension` for a tool of an MCP server. */
export const TOOL_TYPE = 'gen_ai.tool.type'
export const TOOL_CALL_ID = 'gen_ai.tool.call.id'

// Content: on demand only, and without secrets
export const TOOL_CALL_ARGUMENTS = 'gen_ai.tool.call.arguments'
export const TOOL_CALL_RESULT = 'gen_ai.tool.call.result'
export const INPUT_MESSAGES = 'gen_ai.input.messages'
export const OUTPUT_MESSAGES = 'gen_ai.output.messages'

// Our own
export const TENANT = 'adjutant.tenant'
export const ROUND = 'adjutant.round'
/** Why a task ended. */
export const END_REASON = 'adjutant.end.reason'
/** `read`, `write` or `dangerous`, of these very arguments. */
export const EFFECT = 'adjutant.tool.effect'
/** `function`, `module`, `mcp`, `skill` or `built-in`. */
export const ORIGIN = 'adjutant.tool.origin'
export const DECISION = 'adjutant.decision'
export const DECISION_RULE = 'adjutant.decision.rule'
export const DECISION_TIER = 'adjutant.decision.tier'
/** `ok`, `failed`, `not-run` or `unknown`; of a span that ends because a person is asked: `held`. */
export const OUTCOME = 'adjutant.call.outcome'
export const ATTEMPTS = 'adjutant.call.attempts'
export const CACHED = 'adjutant.call.cached'
/** The model got a part of the text. */
export const CLIPPED = 'adjutant.call.clipped'
/** Secrets that were taken out of the result. */
export const REDACTED = 'adjutant.call.redacted'
/** The call of an answer that broke off, whose execution was taken over. */
export const ADOPTED_BY = 'adjutant.call.adopted_by'
/** Seconds between admission and start, without the wait for a person. */
export const QUEUE_SECONDS = 'adjutant.call.queue.duration'
/** Seconds that a person took. */
export const APPROVAL_SECONDS = 'adjutant.approval.duration'
export const APPROVAL_ANSWER = 'adjutant.approval.answer'
export const RETRY_EVENT = 'adjutant.retry'
export const RETRY_ATTEMPT = 'adjutant.retry.attempt'
export const RETRY_DELAY_SECONDS = 'adjutant.retry.delay'
export const LOOP_EVENT = 'adjutant.loop'
export const LOOP_STEP = 'adjutant.loop.step'
export const BUDGET_EVENT = 'adjutant.budget'
export const BUDGET_NAME = 'adjutant.budget.name'
export const BUDGET_USED = 'adjutant.budget.used'
export const BUDGET_LIMIT = 'adjutant.budget.limit'
export const UNIT = 'adjutant.unit'

// Instruments
export const METRIC_TOOL_DURATION = 'gen_ai.execute_tool.duration'
export const METRIC_AGENT_DURATION = 'gen_ai.invoke_agent.duration'
export const METRIC_INPUT_TOKENS = 'gen_ai.client.inference.usage.input_tokens'
export const METRIC_OUTPUT_TOKENS = 'gen_ai.client.inference.usage.output_tokens'
export const METRIC_CALLS = 'adjutant.tool.calls'
export const METRIC_ARGUMENT_ERRORS = 'adjutant.tool.argument_errors'
export const METRIC_CLIPPED = 'adjutant.tool.clipped'
export const METRIC_CACHE_HITS = 'adjutant.tool.cache_hits'
export const METRIC_RETRIES = 'adjutant.tool.retries'
export const METRIC_QUEUE_DURATION = 'adjutant.tool.queue.duration'
export const METRIC_APPROVAL_DURATION = 'adjutant.approval.duration'
export const METRIC_LOOPS = 'adjutant.loops'
export const METRIC_UNITS = 'adjutant.tool.units'

/** Seconds. As the conventions advise for `gen_ai.execute_tool.duration`. */
export const TOOL_BUCKETS: readonly number[] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
/** Seconds. As they advise for `gen_ai.invoke_agent.duration`. */
export const AGENT_BUCKETS: readonly number[] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]
/** Seconds: from a key pressed at once to the next working day. */
export const APPROVAL_BUCKETS: readonly number[] = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400]
