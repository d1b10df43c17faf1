/**
 * Owns the targets that attempts aim at: throwaway files in a folder of its own, and one process of a user that nobody is.
 * All of it is gone after disposal, also what attempts made.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Canaries } from './attempt.ts'
import { CANARY_PROGRAM } from './canary-program.ts'
import { unprivileged } from './unprivileged.ts'

export interface PlantedCanaries extends AsyncDisposable {
  readonly canaries: Canaries
  /** Signals that reached the planted process so far. */
  signals(): Promise<number>
}

/** Always by its whole path: the first of that name may be a script that needs a home folder. */
export const PYTHON = '/usr/bin/python3'

/** Plants everything. @throws Error when there is no Python, or the planted process does not start */
export async function plantCanaries(): Promise<PlantedCanaries> {
  if (!existsSync(PYTHON)) throw new Error(`the attack part needs ${PYTHON} on the host for its planted process`)
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-canaries-'))
  chmodSync(folder, 0o755)
  const token = (what: string): string => `canary-${what}-${randomBytes(12).toString('hex')}`
  const user = unprivileged()
  const publicFolder = join(folder, 'public')
  const plant = (path: string, text: string, mode: number): string => {
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const openFolder = (path: string, mode: number): string => {
    mkdirSync(path)
    chmodSync(path, mode)
    return path
  }
  openFolder(publicFolder, 0o755)
  if (user !== undefined) chownSync(publicFolder, user.uid, user.gid)
  const secret = token('secret')
  const session = token('session')
  const editable = token('editable')
  const otherFolder = openFolder(join(publicFolder, 'other-session'), 0o755)
  const environment = { name: `ADJUTANT_CANARY_${randomBytes(4).toString('hex').toUpperCase()}`, token: token('environment') }
  const service = token('service')
  const database = token('database')
  const argumentToken = token('argument')
  const environmentToken = token('process-environment')
  const abstractName = `adjutant-${randomBytes(8).toString('hex')}`
  const child = spawn(PYTHON, ['-I', '-S', '-c', CANARY_PROGRAM, folder, abstractName, argumentToken], {
    cwd: '/',
    env: { ADJUTANT_CANARY: environmentToken },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(user ?? {}),
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<Record<string, unknown>> => {
    const line = await lines.next()
    if (line.done === true) throw new Error('the planted process ended; see its message above')
    const value: unknown = JSON.parse(line.value)
    if (typeof value !== 'object' || value === null) throw new Error('the planted process spoke nonsense')
    return { ...value }
  }
  child.stdin.on('error', () => undefined)
  child.stdin.write(`${JSON.stringify({ token: service, database })}\n`)
  const ready = await answer().catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true })
    throw error
  })
  process.env[environment.name] = environment.token
  return {
    canaries: {
      folder,
      secret: { path: plant(join(publicFolder, 'secret.txt'), secret, 0o644), token: secret },
      otherSession: { folder: otherFolder, path: plant(join(otherFolder, 'notes.txt'), session, 0o644), token: session },
      writable: openFolder(join(publicFolder, 'writable'), 0o777),
      editable: { path: plant(join(publicFolder, 'editable.txt'), editable, 0o666), token: editable },
      database: { path: String(ready.database), token: database },
      service: {
        tcpPort: Number(ready.tcp),
        udpPort: Number(ready.udp),
        unixPath: String(ready.unix),
        abstractName,
        token: service,
      },
      process: { pid: child.pid ?? 0, argumentToken, environmentToken },
      environment,
      neighbour: { token: token('neighbour') },
      nonce: randomBytes(6).toString('hex'),
    },
    signals: async () => {
      child.stdin.write('\n')
      return Number((await answer()).signals)
    },
    [Symbol.asyncDispose]: async () => {
      delete process.env[environment.name]
      child.stdin.end()
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
