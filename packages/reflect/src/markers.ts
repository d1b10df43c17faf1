import type { AgentTool, Effect, JsonObject, ReflectedTool, ToolLimits } from '@adjutant/core'
import { isJsonObject } from '@adjutant/core'
import { jsonOf } from './constraints.ts'
import type { DocTag, FunctionDoc } from './doc-comment.ts'
import { ReflectFault } from './place.ts'

/** Owns the tags that say how a tool is to be handled: `@effect`, `@timeout`, `@tier` and the like. */

export interface Markers {
  readonly name?: string
  readonly effect: Effect
  readonly tier?: AgentTool['tier']
  readonly lifetime?: AgentTool['lifetime']
  readonly repeatable?: boolean
  readonly background?: boolean
  readonly limits?: ToolLimits
  readonly tags: readonly string[]
  readonly examples: NonNullable<ReflectedTool['examples']>
  readonly returns?: string
  /** `@internal`: exported, but not for models. */
  readonly hidden: boolean
}

interface Draft {
  name?: string
  effect?: { readonly value: Effect; readonly tag: DocTag }
  tier?: AgentTool['tier']
  lifetime?: AgentTool['lifetime']
  repeatable?: boolean
  background?: boolean
  timeoutMs?: number
  maxResultChars?: number
  returns?: string
  hidden: boolean
  readonly tags: string[]
  readonly examples: (string | JsonObject)[]
}

/** @throws ReflectFault at the tag that cannot be read */
export function readMarkers(doc: FunctionDoc): Markers {
  const draft: Draft = { hidden: false, tags: [], examples: [] }
  for (const tag of doc.tags) READERS.get(tag.name)?.(draft, tag)
  const { effect, timeoutMs, maxResultChars, name, tier, lifetime, repeatable, background, returns } = draft
  const limits: ToolLimits = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxResultChars === undefined ? {} : { maxResultChars }),
  }
  return {
    ...(name === undefined ? {} : { name }),
    // Unmarked tools count as writing, as everywhere.
    effect: effect?.value ?? 'write',
    ...(tier === undefined ? {} : { tier }),
    ...(lifetime === undefined ? {} : { lifetime }),
    ...(repeatable === undefined ? {} : { repeatable }),
    ...(background === undefined ? {} : { background }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(returns === undefined || returns === '' ? {} : { returns }),
    tags: draft.tags,
    examples: draft.examples,
    hidden: draft.hidden,
  }
}

const READERS: ReadonlyMap<string, (draft: Draft, tag: DocTag) => void> = new Map<string, (draft: Draft, tag: DocTag) => void>([
  [
    'name',
    (draft, tag) => {
      draft.name = tag.text === '' ? refuse(tag, 'a name') : tag.text
    },
  ],
  ['effect', (draft, tag) => setEffect(draft, tag, oneOf(tag, ['read', 'write', 'dangerous']))],
  ['dangerous', (draft, tag) => setEffect(draft, tag, 'dangerous')],
  ['readonly', (draft, tag) => setEffect(draft, tag, 'read')],
  [
    'tier',
    (draft, tag) => {
      draft.tier = oneOf(tag, ['core', 'extended'])
    },
  ],
  [
    'lifetime',
    (draft, tag) => {
      draft.lifetime = oneOf(tag, ['turn', 'task', 'session'])
    },
  ],
  [
    'repeatable',
    (draft, tag) => {
      draft.repeatable = tag.text === '' || oneOf(tag, ['true', 'false']) === 'true'
    },
  ],
  [
    'background',
    (draft, tag) => {
      draft.background = tag.text === '' || oneOf(tag, ['true', 'false']) === 'true'
    },
  ],
  [
    'timeout',
    (draft, tag) => {
      draft.timeoutMs = durationOf(tag)
    },
  ],
  [
    'maxResultChars',
    (draft, tag) => {
      draft.maxResultChars = /^[1-9]\d*$/.test(tag.text) ? Number(tag.text) : refuse(tag, 'a whole number above 0')
    },
  ],
  ['tag', (draft, tag) => void draft.tags.push(...words(tag))],
  ['tags', (draft, tag) => void draft.tags.push(...words(tag))],
  ['returns', setReturns],
  ['return', setReturns],
  [
    'example',
    (draft, tag) => {
      const example = jsonOf(tag.text.replace(/^```\w*\n?|\n?```$/g, '').trim())
      draft.examples.push(isJsonObject(example) ? example : tag.text)
    },
  ],
  [
    'internal',
    (draft) => {
      draft.hidden = true
    },
  ],
])

function setReturns(draft: Draft, tag: DocTag): void {
  draft.returns = tag.text.replace(/^-\s+/, '')
}

function setEffect(draft: Draft, tag: DocTag, value: Effect): void {
  if (draft.effect !== undefined && draft.effect.value !== value) {
    throw new ReflectFault(tag.node, `@${tag.name} and @${draft.effect.tag.name} contradict each other`, 'Keep one of them.')
  }
  draft.effect = { value, tag }
}

function oneOf<const T extends string>(tag: DocTag, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === tag.text.trim().toLowerCase())
  return found ?? refuse(tag, allowed.join(', '))
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, sec: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }

/** `500ms`, `30s`, `5m`, `1h`; a bare number is milliseconds, as everywhere in the code. */
function durationOf(tag: DocTag): number {
  const [, amount = '', unit = 'ms'] = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|m|min|h)?$/.exec(tag.text.trim()) ?? []
  const ms = Number(amount) * (UNITS[unit] ?? Number.NaN)
  return amount !== '' && ms > 0 && Number.isFinite(ms) ? ms : refuse(tag, 'a time such as 500ms, 30s or 5m')
}

function words(tag: DocTag): readonly string[] {
  const found = tag.text.split(/[\s,]+/).filter((word) => word !== '')
  return found.length === 0 ? refuse(tag, 'a word') : found
}

function refuse(tag: DocTag, wanted: string): never {
  throw new ReflectFault(
    tag.node,
    `@${tag.name} ${tag.text === '' ? 'says nothing' : `says ${JSON.stringify(tag.text.slice(0, 60))}`}, where ${wanted} is wanted`,
    `Write @${tag.name} and ${wanted}.`,
  )
}
