/**
 * A program of its own: kills the process trees of a host that ended without doing so. It is told of trees as JSON lines on
 * stdin, `{"add":{marker,pid,started}}` and `{"remove":marker}`; the end of stdin is the end of the host, whatever it died of.
 * Then what is left gets {@link GRACE_MS} to end by itself (its own stdin ended too), SIGTERM, and {@link TERM_MS} later
 * SIGKILL. It ends as soon as nothing is left. Writes nothing.
 */
import { createInterface } from 'node:readline'
import { isJsonObject } from '../contract/json.ts'
import { findMembers, type TreeIdentity } from './process-members.ts'
import { type ProcessEntry, readProcessTable, readTreeMarker } from './process-table.ts'
import { signalProcess } from './signal-process.ts'

/** All three together stay below the two seconds within which nothing may be left. */
const GRACE_MS = 200
const TERM_MS = 1_000
const POLL_MS = 25
/** After SIGKILL only the kernel can be waited for, and not for ever. */
const KILL_WAIT_MS = 5_000

interface Watched {
  readonly identity: TreeIdentity
  readonly known: Map<number, number>
}

const watched = new Map<string, Watched>()

// A signal to all processes of a terminal, a service or a name must not end the one that has to clean up after it.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGQUIT'] as const) process.on(signal, () => {})

for await (const line of createInterface({ input: process.stdin })) take(line)
await cleanUp()
process.exit(0)

function take(line: string): void {
  const message = parse(line)
  if (!isJsonObject(message)) return
  if (typeof message.remove === 'string') watched.delete(message.remove)
  const added = message.add
  if (added === undefined || !isJsonObject(added)) return
  const { marker, pid, started } = added
  if (typeof marker !== 'string' || typeof pid !== 'number' || typeof started !== 'number') return
  watched.set(marker, { identity: { marker, pid, started }, known: new Map() })
}

/** The last line may be cut off: the host can be killed in the middle of it. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function cleanUp(): Promise<void> {
  if (await gone(GRACE_MS)) return
  for (const member of members()) signalProcess(member.pid, 'SIGTERM')
  if (await gone(TERM_MS)) return
  const end = performance.now() + KILL_WAIT_MS
  do for (const member of members()) signalProcess(member.pid, 'SIGKILL')
  while (!(await gone(POLL_MS)) && performance.now() < end)
}

async function gone(ms: number): Promise<boolean> {
  const end = performance.now() + ms
  for (;;) {
    if (members().length === 0) return true
    if (performance.now() >= end) return false
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function members(): readonly ProcessEntry[] {
  if (watched.size === 0) return []
  const table = readProcessTable()
  const markers = new Map<number, string | undefined>()
  const markerOf = (pid: number): string | undefined => {
    if (!markers.has(pid)) markers.set(pid, readTreeMarker(pid))
    return markers.get(pid)
  }
  const all: ProcessEntry[] = []
  for (const { identity, known } of watched.values()) {
    for (const member of findMembers(table, identity, markerOf, known)) {
      known.set(member.pid, member.started)
      all.push(member)
    }
  }
  return all
}
