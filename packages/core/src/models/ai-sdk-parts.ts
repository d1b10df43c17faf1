/** Owns reading values out of stream parts: made by other people's code, so each field is looked at before it is believed. */
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { AiSdkJson, AiSdkMetadata } from './ai-sdk-types.ts'

/** The type of the provider blocks that a bridged model's parts are kept in. */
export const SIGNED_PART = 'ai-sdk-part'

export type Part = Readonly<Record<string, unknown>>

export function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function stringIn(part: Part, key: string): string | undefined {
  const value = part[key]
  return typeof value === 'string' ? value : undefined
}

export function numberIn(part: Part, key: string): number | undefined {
  const value = part[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A copy as plain JSON; `undefined` for what JSON cannot say. */
export function plainJson(value: unknown): AiSdkJson | undefined {
  try {
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) return undefined
    const copy: AiSdkJson = JSON.parse(text)
    return copy
  } catch {
    return undefined
  }
}

/** Metadata as it can be kept in a history: by provider, plain JSON. `undefined` when there is none. */
export function metadataOf(value: unknown): AiSdkMetadata | undefined {
  const copy = plainJson(value)
  if (!isObject(copy)) return undefined
  const metadata: AiSdkMetadata = {}
  for (const [provider, members] of Object.entries(copy)) if (isObject(members)) metadata[provider] = members
  return Object.keys(metadata).length === 0 ? undefined : metadata
}

function isObject(value: AiSdkJson | undefined): value is { [key: string]: AiSdkJson } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a history keeps of a part: for the provider that it came from only. */
export function keptPart(provider: string, part: Readonly<Record<string, AiSdkJson | AiSdkMetadata | undefined>>): JsonObject {
  const members: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(part)) {
    const copy = plainJson(value)
    if (copy !== undefined) members[key] = copy
  }
  return { type: SIGNED_PART, provider, part: members }
}
