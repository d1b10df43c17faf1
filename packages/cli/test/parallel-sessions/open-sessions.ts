/**
 * Owns sessions of one host that share all that sessions of a host may share: boxes and their pool, the code tools, the cache of results, the folder of
 * namespaces. Half of them have boxes with a workspace of their own, half have their folder of the host as their workspace.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { defineTool, Registry, ResultCache, randomIds, Session, systemClock } from '@adjutant/core'
import { type AgentTool, callId, type SessionId, sessionId } from '@adjutant/core/contract'
import { openSandboxes } from '@adjutant/sandbox'
import { scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import { createCodeTools, createFileTools, createSqlTool, readResultTool } from '@adjutant/tools'
import { openBashReader } from '@adjutant/tools/commands'
import type { Pearls } from './pearls.ts'
import type { Player } from './player.ts'

/** A pool of processes for each database: some sessions are enough. */
const EVERY_DATABASE = 20
/** An engine for each session with JavaScript takes some ten MB. */
const EVERY_JAVASCRIPT = 4

export interface OpenSessions extends AsyncDisposable {
  readonly players: readonly Player[]
  /** Boxes that are open. */
  readonly boxes: number
}

/** @param root an empty folder on the host that others may pass through */
export async function openSessions(root: string, count: number, pearls: Pearls): Promise<OpenSessions> {
  const [readBash, sandboxes] = [await openBashReader(), openSandboxes({ clock: systemClock, ids: randomIds })]
  const cache = new ResultCache({ clock: systemClock, maxEntries: 1_000, maxBytes: 1 << 20 })
  const limits = { memoryMB: 128, processes: 32, wallMs: 60_000 }
  const options = { sandboxes, readBash, limits, maxBoxes: 2 * count, idleMs: 3_600_000 }
  const shared = createCodeTools(options)
  const ends: (() => Promise<void>)[] = [() => shared.close()]
  const own: (typeof shared)[] = []
  const harbourMaster = masterTool(pearls)

  const openOne = async (index: number): Promise<Player> => {
    const workspace = join(root, `work-${index}`)
    await mkdir(workspace)
    const sharesWorkspace = index % 2 === 1
    const code = sharesWorkspace ? createCodeTools({ ...options, workspace }) : shared
    if (code !== shared) {
      own.push(code)
      ends.push(() => code.close())
    }
    const tools: AgentTool[] = [...createFileTools({ workspace }), readResultTool, harbourMaster]
    tools.push(...code.tools.filter(({ name }) => name !== 'javascript' || index % EVERY_JAVASCRIPT === 0))
    let database: string | undefined
    if (index % EVERY_DATABASE === 0) {
      database = join(root, `hold-${index}.db`)
      makeDatabase(database, pearls.make(index, 'database'))
      const sql = createSqlTool({ databases: { hold: database }, pool: 1 })
      tools.push(sql.tool)
      ends.push(() => sql.close())
    }
    const registry = new Registry()
    registry.add(tools, 'built-in')
    const id: SessionId = sessionId(`session_${index}`)
    let heard = ''
    const session = new Session({
      id,
      tools: registry.snapshot(),
      namespaceRoot: join(root, 'namespaces'),
      mode: 'allow',
      principal: { tenantId: `tenant_${index % 7}`, userId: `user_${index}`, roles: [] },
      approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
      asker: scriptedAsker(),
      cache,
      loopGuard: false,
      events(event) {
        heard += `${JSON.stringify(event)}\n`
      },
    })
    let calls = 0
    return {
      index,
      workspace,
      sharesWorkspace,
      ...(database === undefined ? {} : { database }),
      tools: new Set(tools.map(({ name }) => name)),
      async call(name, input) {
        heard = ''
        const value = JSON.parse(JSON.stringify(input))
        calls += 1
        const call = { id: callId(`call_${calls}`), index: 0, name, arguments: { ok: true, value }, idFromProvider: true } as const
        const [result] = await session.execute([call])
        // What it wrote itself says nothing of what it was told.
        const text = `${JSON.stringify(result)}\n${heard.replaceAll(JSON.stringify(value), '')}`
        return { text, ...(result?.spill === undefined ? {} : { kept: result.spill.handle }) }
      },
      async close() {
        await session.close()
        await code.closeSession(id)
      },
    }
  }
  return {
    players: await Promise.all(Array.from({ length: count }, (_, index) => openOne(index))),
    get boxes() {
      return [shared, ...own].reduce((sum, code) => sum + code.openBoxes, 0)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(ends.map((end) => end()))
      await sandboxes.close()
    },
  }
}

/** Says a word of whoever asks, and its answers are cached: never for another one. */
function masterTool(pearls: Pearls): AgentTool {
  const words = new Map<string, string>()
  return {
    ...defineTool({
      name: 'harbour_master',
      description: 'Says the word of the session.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      effect: 'read',
      async execute(_input, cx) {
        const known = words.get(cx.sessionId) ?? pearls.make(Number(cx.sessionId.split('_')[1]), 'cached-result')
        words.set(cx.sessionId, known)
        return known
      },
    }),
    limits: { cacheTtlMs: 3_600_000 },
  }
}

export function makeDatabase(file: string, word: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec(`CREATE TABLE hold (word TEXT) STRICT; INSERT INTO hold VALUES ('${word}')`)
  } finally {
    database.close()
  }
}
