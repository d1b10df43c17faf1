import type { CallBinding } from '../../contract/call.ts'
import { AdjutantError } from '../../contract/errors.ts'
import { type CallId, callId, digest, type SessionId, sessionId, type TraceId, traceId } from '../../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import type { Principal } from '../../contract/principal.ts'
import type { ToolResult } from '../../contract/result.ts'

/** The kind of jobs that are calls of tools. */
export const TOOL_JOB = 'tool'

/** Also those that a host keeps for some of its workers: `tool.` and a name. */
export function isToolJob(kind: string): boolean {
  return kind === TOOL_JOB || kind.startsWith(`${TOOL_JOB}.`)
}

/** A call on its way to whichever process does it: all that is needed to run exactly what was let through. */
export interface ToolJob {
  readonly version: 1
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly callId: CallId
  /** The tool's. */
  readonly name: string
  /** Validated; as a person may have edited it. */
  readonly input: JsonObject
  readonly idempotencyKey: string
  readonly principal: Principal
  readonly binding: CallBinding
}

export function writeToolJob(job: ToolJob): JsonObject {
  return JSON.parse(JSON.stringify(job))
}

/** @throws AdjutantError CONFLICT when it is no call that this version knows */
export function readToolJob(payload: JsonObject): ToolJob {
  const { version, input, binding, principal } = payload
  try {
    if (version !== 1) throw new TypeError(`its version is ${JSON.stringify(version)?.slice(0, 40)}`)
    if (!isJsonObject(input) || !isJsonObject(binding)) throw new TypeError('it has no arguments or no binding')
    return {
      version,
      input,
      sessionId: sessionId(text(payload, 'sessionId')),
      traceId: traceId(text(payload, 'traceId')),
      callId: callId(text(payload, 'callId')),
      name: text(payload, 'name'),
      idempotencyKey: text(payload, 'idempotencyKey'),
      principal: readPrincipal(principal),
      binding: {
        arguments: digest(text(binding, 'arguments')),
        tool: digest(text(binding, 'tool')),
        principal: digest(text(binding, 'principal')),
      },
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new AdjutantError('CONFLICT', `this job is no call that is known here: ${why}`, { grade: 'final', outcome: 'not-run', cause })
  }
}

/** True for what {@link ToolJob}s give back. */
export function isToolResult(value: unknown): value is ToolResult {
  return (
    isJsonObject(value) &&
    ['id', 'name', 'outcome', 'text'].every((member) => typeof value[member] === 'string') &&
    typeof value.isError === 'boolean' &&
    Array.isArray(value.parts)
  )
}

function text(of: JsonObject, member: string): string {
  const value = Object.hasOwn(of, member) ? of[member] : undefined
  if (typeof value !== 'string') throw new TypeError(`${member} is no text`)
  return value
}

function readPrincipal(value: JsonValue | undefined): Principal {
  if (!isJsonObject(value)) throw new TypeError('it has no principal')
  const { roles, attributes } = value
  if (!Array.isArray(roles)) throw new TypeError('its principal has no roles')
  return {
    tenantId: text(value, 'tenantId'),
    userId: text(value, 'userId'),
    roles: roles.filter((role) => typeof role === 'string'),
    ...(isJsonObject(attributes) ? { attributes } : {}),
  }
}
