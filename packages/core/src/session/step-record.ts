import type { StepRecord } from '../contract/events.ts'
import { isJsonObject } from '../contract/json.ts'

const FIELDS: Readonly<Record<StepRecord['type'], readonly string[]>> = {
  user: ['at', 'text'],
  model: ['at', 'endedAt', 'round', 'text', 'calls'],
  call: ['call', 'result'],
  answer: ['at', 'text', 'reason'],
}

/** True for a record of the one version there is, with all its fields. Look at the fixture `step-record.v1.jsonl` before changing it. */
export function isStepRecord(value: unknown): value is StepRecord {
  if (!isJsonObject(value) || value.version !== 1 || typeof value.type !== 'string') return false
  if (!Object.hasOwn(FIELDS, value.type)) return false
  const fields = Object.entries(FIELDS).find(([type]) => type === value.type)?.[1] ?? []
  return fields.every((field) => Object.hasOwn(value, field))
}
