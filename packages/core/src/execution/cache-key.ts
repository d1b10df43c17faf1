import type { AdmittedCall } from '../contract/call.ts'
import type { Digest } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import type { Principal } from '../contract/principal.ts'
import type { AgentTool } from '../contract/tool.ts'
import { digestOf } from '../util/canonical-json.ts'
import { setOwn } from '../util/set-own.ts'

/**
 * Owns which calls are equal: same tool, same definition, same arguments (without the parts that the tool calls volatile), same principal with the same roles and
 * attributes. The tool is the very object: two tools of one definition may look into two folders or talk with two people's keys. For other processes it is what
 * the tool says that its results depend on.
 */

const serials = new WeakMap<AgentTool, number>()
let lastSerial = 0

/**
 * @param scope for what is not shared further, e.g. a session's id
 * @returns `undefined` when the definition or the arguments are no JSON, so that nothing can be said
 */
export function callKey(call: AdmittedCall, principal: Principal, scope: string): Digest | undefined {
  return digestOfCall(call, principal, { scope, tool: serialOf(call.tool) })
}

/** The same for all processes; only for tools that say what their results depend on. */
export function sharedCallKey(call: AdmittedCall, principal: Principal): Digest | undefined {
  const scope = call.tool.limits?.cacheScope
  return scope === undefined || scope === '' ? undefined : digestOfCall(call, principal, { shared: scope })
}

function digestOfCall(call: AdmittedCall, principal: Principal, where: JsonObject): Digest | undefined {
  const { tool } = call
  try {
    return digestOf({
      ...where,
      definition: [tool.name, tool.description, tool.inputSchema, tool.outputSchema ?? null],
      // Roles are a set: their order says nothing.
      principal: [principal.tenantId, principal.userId, [...new Set(principal.roles)].sort(), principal.attributes ?? {}],
      arguments: withoutVolatile(call.input, tool.volatile ?? []),
    })
  } catch {
    return undefined
  }
}

function serialOf(tool: AgentTool): number {
  const known = serials.get(tool)
  if (known !== undefined) return known
  lastSerial += 1
  serials.set(tool, lastSerial)
  return lastSerial
}

/**
 * The arguments without what these JSON Pointers (RFC 6901) point at. Pointers to nothing change nothing.
 */
function withoutVolatile(input: JsonObject, pointers: readonly string[]): JsonObject {
  let rest: JsonValue = input
  for (const pointer of pointers) {
    if (!pointer.startsWith('/')) continue
    const path = pointer
      .slice(1)
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    rest = without(rest, path, 0)
  }
  return isJsonObject(rest) ? rest : input
}

/** Copies the way to the part, shares the rest. In a list the place stays, so that its neighbours keep theirs. */
function without(value: JsonValue, path: readonly string[], depth: number): JsonValue {
  const token = path[depth]
  if (token === undefined) return value
  const isLast = depth === path.length - 1
  if (isList(value)) {
    if (!/^(?:0|[1-9]\d{0,9})$/.test(token) || Number(token) >= value.length) return value
    return value.map((item, index) => (index !== Number(token) ? item : isLast ? null : without(item, path, depth + 1)))
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, token)) return value
  const copy: { [key: string]: JsonValue } = {}
  for (const [key, item] of Object.entries(value)) {
    if (key !== token) setOwn(copy, key, item)
    else if (!isLast) setOwn(copy, key, without(item, path, depth + 1))
  }
  return copy
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
