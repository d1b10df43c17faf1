import type { StepRecord } from '../contract/events.ts'
import { isJsonObject } from '../contract/json.ts'

type Shape = `${StepRecord['type']}.${StepRecord['version']}`

/**
 * What a step must have, by type and version. Every shape that was ever written stays here and has its line in a fixture: look at
 * `fixtures/step-record.*.jsonl` before changing one.
 */
const FIELDS: Readonly<Partial<Record<Shape, readonly string[]>>> = {
  'user.1': ['at', 'text'],
  'model.1': ['at', 'endedAt', 'round', 'text', 'calls'],
  'model.2': ['at', 'endedAt', 'round', 'text', 'calls', 'providerBlocks', 'usage'],
  'batch.1': ['time', 'calls'],
  'started.1': ['time', 'batch', 'id', 'name', 'effect', 'attempt', 'idempotencyKey', 'binding'],
  'call.1': ['call', 'result'],
  'asked.1': ['time', 'approval'],
  'answered.1': ['time', 'approvalId', 'grants'],
  'queued.1': ['time', 'batch', 'id', 'name', 'jobId'],
  'job.1': ['time', 'jobId', 'result'],
  'tools.1': ['time', 'loaded'],
  'paused.1': ['time', 'waiting'],
  'resumed.1': ['time', 'node', 'traceId'],
  'answer.1': ['at', 'text', 'reason'],
}

/** By type, then by version: looked up for each step that is loaded, and by nothing that a record could name by its prototype. */
const BY_TYPE = new Map<string, Map<number, readonly string[]>>()
for (const [shape, fields] of Object.entries(FIELDS)) {
  const [type = '', version] = shape.split('.')
  BY_TYPE.set(type, (BY_TYPE.get(type) ?? new Map<number, readonly string[]>()).set(Number(version), fields))
}

/** True for a step of a version that is known, with all its fields. */
export function isStepRecord(value: unknown): value is StepRecord {
  if (!isJsonObject(value) || typeof value.version !== 'number' || typeof value.type !== 'string') return false
  const fields = BY_TYPE.get(value.type)?.get(value.version)
  if (fields === undefined) return false
  for (const field of fields) if (!Object.hasOwn(value, field)) return false
  return true
}
