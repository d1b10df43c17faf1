import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digestOf } from '../../../util/canonical-json.ts'
import type { McpServerConfig } from './config.ts'

/**
 * Owns what is kept of a server between runs, as small JSON files below a state folder that only this user can read. A file is
 * replaced as a whole, so that a reader or a crash sees the old or the new one; of two writers the last wins.
 */

/** Names a server's file by what it is, so that another command or address under the same name has files of its own. */
export function stateFile(stateFolder: string, server: string, config: McpServerConfig, kind: 'tools' | 'pins' | 'oauth'): string {
  const identity = 'url' in config ? { url: config.url } : { command: config.command, args: config.args ?? [], cwd: config.cwd ?? '' }
  const plain = server.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40)
  return join(stateFolder, 'mcp', `${plain}-${digestOf({ server, ...identity }).slice(-16)}.${kind}.json`)
}

/** Undefined when there is none. @throws when it cannot be read, or is no JSON */
export async function readState(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const value: unknown = JSON.parse(text)
  return value
}

export async function writeState(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeFile(temporary, JSON.stringify(value), { mode: 0o600, flag: 'wx' })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
