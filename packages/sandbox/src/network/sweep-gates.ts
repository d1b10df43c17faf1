/**
 * Owns the names of gates' folders, which carry the process that made them, and removing those whose process is dead. Only the two names that
 * a gate makes are removed, one by one and never recursively: who can write here could put a link in their place.
 */
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

export const SOCKET_NAME = 'gate.sock'

const PREFIX = 'adjutant-gate-'
const NAME = /^adjutant-gate-(\d{1,10})-\w{6}$/

export function folderPrefix(): string {
  return `${PREFIX}${process.pid}-`
}

const swept = new Set<string>()

/** Once for each place and process. Never rejects. */
export async function sweepDeadGates(parent: string): Promise<void> {
  if (swept.has(parent)) return
  swept.add(parent)
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const pid = Number(NAME.exec(name)?.[1])
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid)) await removeGate(join(parent, name)).catch(() => {})
  }
}

async function removeGate(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) return
  // Another container that shares this folder has processes that are not seen from here.
  if (await answers(join(folder, SOCKET_NAME))) return
  await unlink(join(folder, SOCKET_NAME)).catch(() => {})
  await rmdir(folder)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
