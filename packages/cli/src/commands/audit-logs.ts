/** Owns where audit logs are found: files of a folder, or chains of a store; each is checked and read in the same way. */
import { resolve } from 'node:path'
import {
  type AuditReport,
  listAuditFiles,
  type ReadRecord,
  readAuditFile,
  readAuditRecord,
  type VerifyAuditOptions,
  verifyAudit,
  verifyAuditFile,
} from '@adjutant/core'
import type { Store } from '@adjutant/store'
import { notFound } from './listing.ts'

export interface AuditLog {
  /** For people: a path, or whose chain of which store. */
  readonly name: string
  /** Empty for a file that was named as a file. */
  readonly sessionId: string
  verify(options: VerifyAuditOptions): Promise<AuditReport>
  records(): AsyncIterable<ReadRecord>
}

function fileLog(path: string, sessionId: string): AuditLog {
  return { name: path, sessionId, verify: (options) => verifyAuditFile(path, options), records: () => readAuditFile(path) }
}

/** The logs of a folder that are meant: a session of the folder before a file of that name. @throws AdjutantError NOT_FOUND */
export async function logsOfFolder(folder: string, cwd: string, log: string | undefined): Promise<readonly AuditLog[]> {
  const files = await listAuditFiles(folder)
  if (log === undefined) return files.map(({ path, sessionId }) => fileLog(path, sessionId))
  const known = files.find((file) => file.sessionId === log)
  if (known !== undefined) return [fileLog(known.path, known.sessionId)]
  if (/[/\\]|\.jsonl$/.test(log)) return [fileLog(resolve(cwd, log), '')]
  throw notFound(
    'audit log of a session',
    log,
    files.map((file) => file.sessionId),
    `adjutant audit verify --folder ${folder}`,
  )
}

/** The chains of one tenant in a store, that of the decisions from outside of sessions included. @throws AdjutantError NOT_FOUND, STORE_FAILED */
export async function logsOfStore(store: Store, tenantId: string, log: string | undefined): Promise<readonly AuditLog[]> {
  const sink = store.audit(tenantId)
  const chains = await sink.chains()
  const logs = chains.map(
    (id): AuditLog => ({
      name: `${store.database.shown} ${id}`,
      sessionId: id,
      verify: (options) => verifyAudit(sink.lines(id), options),
      async *records() {
        // What was erased is an empty line: its hash still holds the chain together.
        for await (const { text } of sink.lines(id)) if (text !== '') yield readAuditRecord(text)
      },
    }),
  )
  if (log === undefined) return logs
  const known = logs.find(({ sessionId }) => sessionId === log)
  if (known !== undefined) return [known]
  throw notFound('audit log of a session', log, chains, 'adjutant audit verify --store')
}
