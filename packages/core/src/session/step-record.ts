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

/** True for a step of a version that is known, with all its fields. */
export function isStepRecord(value: unknown): value is StepRecord {
  if (!isJsonObject(value) || typeof value.version !== 'number' || typeof value.type !== 'string') return false
  const shape = `${value.type}.${value.version}`
  const fields = Object.entries(FIELDS).find(([known]) => known === shape)?.[1]
  return fields?.every((field) => Object.hasOwn(value, field)) ?? false
}
