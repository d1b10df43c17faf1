/**
 * Owns finding what a private PostgreSQL needs on this machine: the programs, and an account that may run them. Both refuse to work as
 * root, and as an account that has no entry in the list of users. Reads only; nothing is installed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'

export interface PostgresProgram {
  /** Folder of initdb and postgres. */
  readonly bin: string
  /** As whom they run; undefined: as the account of this process. */
  readonly account: PostgresAccount | undefined
}

interface PostgresAccount {
  readonly uid: number
  readonly gid: number
}

export type PostgresSearch = PostgresProgram | { readonly missing: string }

/** Where Debian and its descendants keep each version. */
const DEBIAN = '/usr/lib/postgresql'

/** Looks once a call: a machine may get PostgreSQL while a process runs. */
export function findPostgres(): PostgresSearch {
  if (process.platform === 'win32') return { missing: 'a private PostgreSQL cannot be started on Windows' }
  const bin = [...debianFolders(), ...(process.env.PATH ?? '').split(delimiter)].find(
    (folder) => isAbsolute(folder) && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
  if (bin === undefined) {
    return { missing: `no initdb and postgres under ${DEBIAN}/*/bin or in PATH (Debian: apt-get install postgresql)` }
  }
  if (process.geteuid?.() !== 0) return isListed() ? { bin, account: undefined } : { missing: 'this account is not in the list of users' }
  const account = ordinaryAccounts().find(mayRun)
  return account === undefined ? { missing: 'no ordinary account in /etc/passwd that PostgreSQL could run as' } : { bin, account }
}

/** Newest version first. */
function debianFolders(): readonly string[] {
  if (!existsSync(DEBIAN)) return []
  return readdirSync(DEBIAN)
    .toSorted((one, other) => Number.parseFloat(other) - Number.parseFloat(one))
    .map((version) => join(DEBIAN, version, 'bin'))
}

function isListed(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** `postgres`, then `nobody`, then whoever is there. */
function ordinaryAccounts(): readonly PostgresAccount[] {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid = '', gid = '']) => ({ name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) }))
    .filter(({ uid, gid }) => uid > 0 && gid >= 0)
  const rank = (name: string): number => (name === 'postgres' ? 0 : name === 'nobody' ? 1 : 2)
  return accounts.toSorted((one, other) => rank(one.name) - rank(other.name)).map(({ uid, gid }) => ({ uid, gid }))
}

/** In a user namespace only some ids exist. */
function mayRun(account: PostgresAccount): boolean {
  return spawnSync('/bin/sh', ['-c', ':'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}
