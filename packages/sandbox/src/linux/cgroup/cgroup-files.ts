/**
 * Owns the file operations on a cgroup file system, as a port: rules of v2 that the machine at hand does not have can be tried on a model.
 * Reading is synchronous (microseconds); what makes the kernel wait for others is not.
 */
import { constants, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rmdir, writeFile } from 'node:fs/promises'

export interface CgroupFiles {
  /** Undefined when it is not there or cannot be read. */
  read(file: string): string | undefined
  /** The file must exist. Rejects with the kernel's error. */
  write(file: string, text: string): Promise<void>
  /** Rejects when it exists. */
  makeFolder(folder: string): Promise<void>
  /** Rejects when processes are in it. */
  removeFolder(folder: string): Promise<void>
  /** Names of the children; empty when it cannot be read. */
  children(folder: string): readonly string[]
}

export const cgroupFiles: CgroupFiles = {
  read(file) {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return undefined
    }
  },
  // Write-only: some of these files may not be read, and where there is no such controller no file must come into being.
  write: (file, text) => writeFile(file, text, { flag: constants.O_WRONLY }),
  makeFolder: async (folder) => void (await mkdir(folder, 0o755)),
  removeFolder: (folder) => rmdir(folder),
  children(folder) {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    } catch {
      return []
    }
  },
}

/** A number that stands alone in the file. */
export function readNumber(files: CgroupFiles, file: string): number | undefined {
  const text = files.read(file)?.trim()
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** The number after `key` in a file with one `key number` a line. */
export function readKeyed(files: CgroupFiles, file: string, key: string): number | undefined {
  for (const line of files.read(file)?.split('\n') ?? []) {
    const [name, value] = line.split(' ')
    if (name === key && value !== undefined && /^\d+$/.test(value)) return Number(value)
  }
  return undefined
}

export function readPids(files: CgroupFiles, folder: string): readonly number[] {
  const pids = (files.read(`${folder}/cgroup.procs`) ?? '').split('\n').map(Number)
  return pids.filter((pid) => pid > 0)
}

/** `ENOENT`, `EBUSY` …, or undefined when it is none of the system's. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
