import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { openSandboxes } from '@adjutant/sandbox'
import fc from 'fast-check'
import { ATTEMPTS } from '../../test/parallel-sessions/attempts.ts'
import { openCommands } from '../../test/parallel-sessions/open-commands.ts'
import { openSessions } from '../../test/parallel-sessions/open-sessions.ts'
import { HIDING_PLACES, Pearls } from '../../test/parallel-sessions/pearls.ts'
import { type Draw, play } from '../../test/parallel-sessions/play.ts'
import { namesOf } from '../../test/parallel-sessions/player.ts'
import { shareFolder } from '../../test/parallel-sessions/share-folder.ts'

const SESSIONS = 100
const ATTEMPTS_EACH = 6
/** Leaks that are told; thousands say no more. */
const SHOWN = 20
/** Half a minute of the processor's time; longer where others need it as well. */
const PATIENCE_MS = 300_000

/** Once: a counterexample is a leak, and a smaller one says no more. By a seed, as the attempts themselves would fill pages. */
const ONCE = { numRuns: 1, endOnFailure: true } as const

/** What each session tries, aimed at whom. */
function drawn(seed: number): readonly (readonly Draw[])[] {
  const many = { attempt: 10 * ATTEMPTS.length - 1, other: SESSIONS - 1, pick: 999 }
  const draw = fc.record({
    attempt: fc.noBias(fc.nat(many.attempt)),
    other: fc.noBias(fc.nat(many.other)),
    pick: fc.noBias(fc.nat(many.pick)),
  })
  const flat = fc.sample(draw, { seed, numRuns: SESSIONS * ATTEMPTS_EACH })
  return Array.from({ length: SESSIONS }, (_, at) => flat.slice(at * ATTEMPTS_EACH, (at + 1) * ATTEMPTS_EACH))
}

async function whyNoBoxes(): Promise<string | undefined> {
  await using sandboxes = openSandboxes({ clock: systemClock, ids: randomIds, order: ['bubblewrap'] })
  try {
    await using _box = await sandboxes.open({}, 'bash')
    await using _python = await sandboxes.open({}, 'python')
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.split('\n')[0] : String(error)
  }
}

const missing = await whyNoBoxes()
if (missing !== undefined) process.stderr.write(`parallel sessions did not run: ${missing}\n`)

describe(`${SESSIONS} sessions at once`, { skip: missing ?? false, timeout: 2 * PATIENCE_MS }, () => {
  let root = ''
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'adjutant-parallel-'))
    // The user of a box must be able to pass where its own workspace lies: what others cannot see is not hidden by this folder.
    await chmod(root, 0o755)
  })
  after(async () => {
    await rm(root, { recursive: true, force: true })
  })

  it('of one host see no file, process, handle, variable or answer of each other', { timeout: PATIENCE_MS }, async (test) => {
    await fc.assert(
      fc.asyncProperty(fc.noBias(fc.nat()), async (seed) => {
        const folder = await mkdtemp(join(root, 'host-'))
        await chmod(folder, 0o755)
        const pearls = new Pearls()
        const host = await openSessions(folder, SESSIONS, pearls)
        try {
          const { attempts, lost, took } = await play(host.players, pearls, drawn(seed))
          test.diagnostic(`seed ${seed}: ${attempts} attempts; hiding, looking, finding ${took.join(', ')} ms`)
          assert.deepEqual(pearls.leaks.slice(0, SHOWN), [])
          assert.deepEqual(lost, [])
          for (const place of HIDING_PLACES) assert.ok((pearls.hidden[place] ?? 0) >= 5, `hardly anything was hidden at: ${place}`)
          assert.equal(host.boxes, 0)
          for (const { workspace, index } of host.players)
            assert.match(await readFile(join(workspace, namesOf(index).note), 'utf8'), /^pearl_/, `session ${index}`)
        } finally {
          await host[Symbol.asyncDispose]()
        }
      }),
      ONCE,
    )
  })

  it('as commands of one person see no file, handle or answer of each other', { timeout: PATIENCE_MS }, async (test) => {
    await fc.assert(
      fc.asyncProperty(fc.noBias(fc.nat()), async (seed) => {
        const folder = join(root, 'commands')
        await mkdir(folder, { mode: 0o755 })
        const pearls = new Pearls()
        const players = await openCommands(folder, SESSIONS, pearls)
        const { attempts, lost, took } = await play(players, pearls, drawn(seed))
        test.diagnostic(`seed ${seed}: ${attempts} attempts; hiding, looking, finding ${took.join(', ')} ms`)
        assert.deepEqual(pearls.leaks.slice(0, SHOWN), [])
        assert.deepEqual(lost, [])
      }),
      ONCE,
    )
  })
})

describe(`${SESSIONS} sessions in one folder`, () => {
  it('change only what they have seen themselves, as it is now', async () => {
    const step = fc.record({ session: fc.nat(SESSIONS - 1), file: fc.nat(2), writes: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 200, maxLength: 300, size: 'max' }), async (steps) => {
        const root = await mkdtemp(join(tmpdir(), 'adjutant-one-folder-'))
        try {
          await Promise.all(['work', 'kept'].map((name) => mkdir(join(root, name))))
          const outcomes = await shareFolder(join(root, 'work'), join(root, 'kept'), steps)
          assert.deepEqual(
            outcomes.filter(({ done, allowed }) => done !== allowed),
            [],
          )
          for (const may of [true, false]) assert.ok(outcomes.some(({ writes, allowed }) => writes && allowed === may))
        } finally {
          await rm(root, { recursive: true, force: true })
        }
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })
})
