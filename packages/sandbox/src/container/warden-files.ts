/**
 * Owns the files of a container's workspace as its host sees them. The first process opens them folder by folder and follows no link; what comes
 * back is bounded by what was asked for.
 */
import { AdjutantError, type IdSource, type SandboxFile } from '@adjutant/core/contract'
import { listOf, numberOf, parseJson, recordOf, textOf } from '../e2b/json-value.ts'
import { failure, notPlain, tooLarge } from '../workspace/failures.ts'
import { pathParts, shown } from '../workspace/path-parts.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Answer, WardenLine } from './warden-line.ts'

/** What is read of a file when nobody says how much. */
const MAX_READ = 64 << 20
const MOST = 1 << 30

export type BoxFiles = Pick<Workspace, 'readFile' | 'writeFile' | 'list' | 'close'>

export class WardenFiles implements BoxFiles {
  readonly #line: WardenLine
  readonly #ids: IdSource
  readonly #maxBytes: number
  readonly #maxFiles: number

  constructor(line: WardenLine, ids: IdSource, limits: { readonly maxBytes: number; readonly maxFiles: number }) {
    this.#line = line
    this.#ids = ids
    this.#maxBytes = limits.maxBytes
    this.#maxFiles = limits.maxFiles
  }

  async readFile(path: string, options: { readonly maxBytes?: number } = {}): Promise<Uint8Array> {
    const max = Math.min(Math.max(0, Math.floor(options.maxBytes ?? MAX_READ)), MOST)
    const answer = await this.#line.ask('G', { parts: fileParts(path), max })
    const large = numberOf(checked(answer, path).large)
    if (large !== undefined) throw tooLarge(`${shown(path)} has ${large} bytes or more; the most is ${max}`)
    return answer.rest
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#maxBytes) throw tooLarge(`${shown(path)} has ${bytes.length} bytes; the workspace takes ${this.#maxBytes}`)
    const word = `.adjutant-${this.#ids.traceId()}`
    checked(await this.#line.ask('W', { parts: fileParts(path), word }, bytes), path)
  }

  async list(path = ''): Promise<readonly SandboxFile[]> {
    const answer = await this.#line.ask('D', { parts: pathParts(path), max: this.#maxFiles })
    if (checked(answer, path).many !== undefined) throw tooLarge(`there are more than ${this.#maxFiles} files`)
    return listOf(parseJson(answer.rest.toString('utf8'))).map((entry) => {
      const [found, type, bytes, modifiedAt] = listOf(entry)
      return {
        path: textOf(found) ?? '',
        type: type === 'file' || type === 'folder' ? type : 'other',
        bytes: numberOf(bytes) ?? 0,
        modifiedAt: numberOf(modifiedAt) ?? 0,
      }
    })
  }

  /** They go with the container. */
  close(): Promise<void> {
    return Promise.resolve()
  }
}

function fileParts(path: string): readonly string[] {
  const parts = pathParts(path)
  if (parts.length === 0 || path.endsWith('/')) throw notPlain(path, 'a folder')
  return parts
}

function checked(answer: Answer, path: string): Readonly<Record<string, unknown>> {
  const value = recordOf(answer.value)
  const code = textOf(value.failed)
  if (code !== undefined) {
    throw failure(Object.assign(new Error(textOf(value.said) ?? code), { code }), path)
  }
  if (typeof value.plain === 'boolean') {
    if (value.plain) throw new AdjutantError('CONFLICT', `${shown(path)} is a folder`)
    throw notPlain(path, 'a link, a second name of a file, a pipe or a device')
  }
  return value
}
