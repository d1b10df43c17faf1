import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AdjutantError } from '../../contract/errors.ts'
import { splitLines } from '../../util/split-lines.ts'
import { type ReadRecord, readRecord } from './read-record.ts'
import { type AuditReport, type VerifyAuditOptions, verifyAudit } from './verify-audit.ts'

const SUFFIX = '.jsonl'

/** One log in a folder. */
export interface AuditFile {
  readonly sessionId: string
  readonly path: string
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

/** The logs of a folder, the one written last first. A folder that is not there has none. */
export async function listAuditFiles(folder: string): Promise<readonly AuditFile[]> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw AdjutantError.from(error, 'NOT_FOUND', folder)
  })
  const files: AuditFile[] = []
  for (const name of entries) {
    if (!name.endsWith(SUFFIX)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() === true) files.push({ sessionId: name.slice(0, -SUFFIX.length), path, changedAt: found.mtimeMs })
  }
  return files.sort((a, b) => b.changedAt - a.changedAt || (a.sessionId < b.sessionId ? -1 : 1))
}

/**
 * Checks one file: see {@link verifyAudit}.
 *
 * @throws AdjutantError NOT_FOUND
 */
export function verifyAuditFile(path: string, options: VerifyAuditOptions = {}): Promise<AuditReport> {
  return verifyAudit(linesOf(path), options)
}

/**
 * Reads one file line by line, whatever state it is in. Does not check the chain.
 *
 * @throws AdjutantError NOT_FOUND
 */
export async function* readAuditFile(path: string): AsyncGenerator<ReadRecord & { readonly line: number }, void, void> {
  let line = 0
  for await (const { text, complete } of linesOf(path)) {
    line += 1
    const read: ReadRecord = complete ? readRecord(text) : { ok: false, problem: 'has no end' }
    yield { ...read, line }
  }
}

async function* linesOf(path: string): AsyncGenerator<{ readonly text: string; readonly complete: boolean }, void, void> {
  const file = await open(path, constants.O_RDONLY).catch((error: unknown) => {
    throw new AdjutantError('NOT_FOUND', `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      hint: 'Name a session or the file of an audit log; see adjutant audit --help.',
      cause: error,
    })
  })
  // Ends the file with the stream, also when the reader stops early.
  yield* splitLines(file.createReadStream())
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
