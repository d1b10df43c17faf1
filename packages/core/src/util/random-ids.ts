import { randomBytes } from 'node:crypto'
import type { IdSource } from '../contract/ports.ts'

/** Ids of 96 random bits in base64url after the prefix, and W3C trace ids. */
export const randomIds: IdSource = {
  next: (prefix) => `${prefix}_${randomBytes(12).toString('base64url')}`,
  traceId: () => randomBytes(16).toString('hex'),
}
