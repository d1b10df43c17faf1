/** What tests of whole sessions share: a tool, a call, a session over a temporary folder, a batch that is followed while it runs. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countingIds, ManualClock, scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import type { AgentTool, JsonObject, SessionEvent, ToolCall, ToolResult } from '../src/contract/index.ts'
import { callId } from '../src/contract/index.ts'
import { Registry } from '../src/registry/registry.ts'
import { Session } from '../src/session/session.ts'
import type { SessionOptions } from '../src/session/session-options.ts'

export function sessionTool(name: string, over: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: `Use for tests of ${name}. Not for anything else.`,
    inputSchema: { type: 'object' },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => name,
    ...over,
  }
}

export function sessionCall(index: number, name: string, value: JsonObject = {}, id = `id_${index}`): ToolCall {
  return { id: callId(id), index, name, arguments: { ok: true, value }, idFromProvider: true }
}

export interface SessionBench extends AsyncDisposable {
  readonly session: Session
  readonly clock: ManualClock
  readonly events: readonly SessionEvent[]
  /** Runs calls as one batch; ids are made up unless given. */
  run(...calls: readonly (readonly [name: string, input?: JsonObject, id?: string])[]): Promise<readonly ToolResult[]>
}

let folder: string | undefined
let counted = 0

/** One folder for the process, gone with it: a session makes its own below it, and only when it keeps something. */
function namespaces(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'adjutant-session-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    folder = made
  }
  return join(folder, String(++counted))
}

/** A session that allows everything and asks nobody, unless told otherwise. */
export function openSession(tools: readonly AgentTool[], over: Partial<SessionOptions> = {}): SessionBench {
  const registry = new Registry()
  assert.deepEqual(registry.add(tools, 'test'), [])
  const clock = new ManualClock()
  const events: SessionEvent[] = []
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot: namespaces(),
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'deny', reason: 'nobody was to be asked' })),
    asker: scriptedAsker(),
    clock,
    ids: countingIds(),
    redactor: false,
    events: (event) => void events.push(event),
    ...over,
  })
  let made = 0
  return {
    session,
    clock,
    events,
    run: (...calls) =>
      session.execute(calls.map(([name, input = {}, id], index) => sessionCall(index, name, input, id ?? `made_${++made}`))),
    [Symbol.asyncDispose]: () => session.close(),
  }
}

/** Every text in a value, wherever it stands. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
