import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Owns reading which processes this machine runs. Synchronous, because the last resort (the host's `exit` event) can wait for
 * nothing; a table of some hundred processes takes a few milliseconds. A process that ends while it is read is left out.
 */

/** One process. `started` tells it from a later one with the same pid; it is comparable within one machine only. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Clock ticks since boot (Linux) or milliseconds since 1970 (elsewhere). */
  readonly started: number
  /** Ended and only waiting to be reaped: it runs no more and cannot be killed. */
  readonly dead: boolean
}

/** The environment variable that every process of a tree inherits. */
export const TREE_VARIABLE = 'ADJUTANT_PROCESS_TREE'

const HAS_PROC = existsSync('/proc/self/stat')

/** All processes of this machine. */
export function readProcessTable(): readonly ProcessEntry[] {
  return HAS_PROC ? readProc() : readPs()
}

/** One process, ended ones included until they are reaped. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return HAS_PROC ? readStat(pid) : readPs().find((entry) => entry.pid === pid)
}

/**
 * The tree that a process was started in, by its environment. Undefined where the system does not say: another user's process,
 * one that cleared its environment, and every process on a system without /proc.
 */
export function readTreeMarker(pid: number): string | undefined {
  if (!HAS_PROC) return undefined
  const environment = readText(`/proc/${pid}/environ`)
  if (environment === undefined) return undefined
  const key = `${TREE_VARIABLE}=`
  const start = environment.startsWith(key) ? key.length : environment.indexOf(`\0${key}`) + 1 + key.length
  if (start === key.length && !environment.startsWith(key)) return undefined
  const end = environment.indexOf('\0', start)
  return environment.slice(start, end === -1 ? undefined : end)
}

function readProc(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const entry = readStat(pid)
    if (entry !== undefined) entries.push(entry)
  }
  return entries
}

/** `pid (name) state ppid pgrp session …`: the name may hold spaces and brackets, so what counts starts after the last one. */
function readStat(pid: number): ProcessEntry | undefined {
  const text = readText(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const [state, parent, group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // proc(5): starttime is field 22, the 17th after pgrp (field 5).
  const started = rest[16]
  if (state === undefined || parent === undefined || group === undefined || started === undefined) return undefined
  return { pid, parent: Number(parent), group: Number(group), started: Number(started), dead: state === 'Z' || state === 'X' }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

function readPs(): readonly ProcessEntry[] {
  const run = spawnSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8', env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } })
  return parsePs(run.stdout ?? '')
}

/** The lines of `ps -axo pid=,ppid=,pgid=,stat=,lstart=` in the C locale. */
export function parsePs(text: string): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = []
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line)
    if (match === null) continue
    const [, pid, parent, group, state = '', started = ''] = match
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      started: Date.parse(started),
      dead: state.startsWith('Z'),
    })
  }
  return entries
}
