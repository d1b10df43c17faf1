/**
 * Owns the index by which jobs are taken in turns: the next tenant, its next group, and the first of that group are each found without reading what else
 * waits.
 */
import type { StoreMigration } from './migration.ts'

export const jobTurns: StoreMigration = {
  name: '0002-job-turns',
  version: 2,
  async up(connection) {
    await connection.script(
      `CREATE INDEX jobs_in_turn ON jobs (kind, tenant_id, group_key, priority DESC, run_at, created_at, job_id) WHERE state = 'queued'`,
    )
  },
}
