/** Owns sessions that work in one folder with the same tools, and what each of them may change there: only what it has seen itself, as it is now. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Registry, Session, systemClock } from '@adjutant/core'
import { callId, sessionId } from '@adjutant/core/contract'
import { scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import { createFileTools } from '@adjutant/tools'

/** One look at a file, or one try to change it. */
export interface Step {
  readonly session: number
  readonly file: number
  readonly writes: boolean
}

export interface Outcome extends Step {
  /** Whether the call did what was asked. */
  readonly done: boolean
  /** Whether it should have. */
  readonly allowed: boolean
}

/** @param folder of which nothing else is written @param root an empty folder for what sessions keep */
export async function shareFolder(folder: string, root: string, steps: readonly Step[]): Promise<readonly Outcome[]> {
  const registry = new Registry()
  registry.add(createFileTools({ workspace: folder }), 'built-in')
  const tools = registry.snapshot()
  const sessions = new Map<number, Session>()
  const sessionOf = (index: number): Session => {
    const known = sessions.get(index)
    if (known !== undefined) return known
    const session = new Session({
      id: sessionId(`session_${index}`),
      tools,
      namespaceRoot: root,
      mode: 'allow',
      approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
      asker: scriptedAsker(),
      clock: systemClock,
      loopGuard: false,
    })
    sessions.set(index, session)
    return session
  }
  const pathOf = (file: number): string => `file-${file}.txt`
  for (const file of new Set(steps.map((step) => step.file))) await writeFile(join(folder, pathOf(file)), `file ${file}, first`)
  const versions = new Map<number, number>()
  const seen = new Map<string, number>()
  const outcomes: Outcome[] = []
  try {
    for (const [at, { session, file, writes }] of steps.entries()) {
      const [who, version] = [`${session} ${file}`, versions.get(file) ?? 0]
      const value = writes ? { path: pathOf(file), content: `file ${file}, change ${at}` } : { path: pathOf(file) }
      const name = writes ? 'write_file' : 'read_file'
      const call = { id: callId(`call_${at}`), index: 0, name, arguments: { ok: true, value }, idFromProvider: true } as const
      const [result] = await sessionOf(session).execute([call])
      const allowed = !writes || seen.get(who) === version
      outcomes.push({ session, file, writes, done: result?.outcome === 'ok', allowed })
      if (writes && allowed) versions.set(file, version + 1)
      if (allowed) seen.set(who, versions.get(file) ?? 0)
    }
  } finally {
    await Promise.all([...sessions.values()].map((session) => session.close()))
  }
  return outcomes
}
