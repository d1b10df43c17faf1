declare const brand: unique symbol

/** A string that may not be mixed up with other strings. Made only by the assertion functions below. */
export type Branded<Name extends string> = string & { readonly [brand]: Name }

export type CallId = Branded<'CallId'>
export type SessionId = Branded<'SessionId'>
export type ApprovalId = Branded<'ApprovalId'>
/** 32 lower-case hex digits, the form of W3C Trace Context, never all zero. */
export type TraceId = Branded<'TraceId'>
/** `sha256:` and 64 hex digits over a canonical form. */
export type Digest = Branded<'Digest'>

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/

function refuse(kind: string, value: string): never {
  throw new TypeError(`not a ${kind}: ${JSON.stringify(value.slice(0, 80))}`)
}

function assertCallId(value: string): asserts value is CallId {
  if (value.length === 0) refuse('call id (it is empty)', value)
}
function assertSessionId(value: string): asserts value is SessionId {
  if (!SESSION_ID.test(value)) refuse('session id (letters, digits, _ and -, at most 128)', value)
}
function assertApprovalId(value: string): asserts value is ApprovalId {
  if (value.length === 0) refuse('approval id (it is empty)', value)
}
function assertTraceId(value: string): asserts value is TraceId {
  if (!TRACE_ID.test(value)) refuse('trace id (32 hex digits)', value)
}
function assertDigest(value: string): asserts value is Digest {
  if (!DIGEST.test(value)) refuse('digest', value)
}

/** Brands a provider's call id. Any non-empty string is one. @throws TypeError when empty */
export function callId(value: string): CallId {
  assertCallId(value)
  return value
}

/** Brands a session id. It becomes a folder name, so its letters are limited. @throws TypeError on anything else */
export function sessionId(value: string): SessionId {
  assertSessionId(value)
  return value
}

/** @throws TypeError when empty */
export function approvalId(value: string): ApprovalId {
  assertApprovalId(value)
  return value
}

/** @throws TypeError unless 32 hex digits, not all zero */
export function traceId(value: string): TraceId {
  assertTraceId(value)
  return value
}

/** @throws TypeError unless `sha256:` and 64 hex digits */
export function digest(value: string): Digest {
  assertDigest(value)
  return value
}
