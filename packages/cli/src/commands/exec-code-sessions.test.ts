/**
 * Several sessions of `exec` at once, each with code in boxes: whatever they do, in whatever order, none sees a file, a process, a kept result or a
 * background job of another, also where it knows what the other was given to name it.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type ExecResult, ExecSession, processesWith } from '../../test/exec-session.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'
const SESSIONS = 3

/** What a session was told that names something of it. */
interface Told {
  readonly spills: { readonly id: string; readonly handle: string; readonly path: string }[]
  readonly jobs: string[]
  /** Its own words, which nobody else must ever see. */
  readonly mark: string
}

const step = fc.record({
  who: fc.nat(SESSIONS - 1),
  from: fc.nat(SESSIONS - 1),
  what: fc.constantFrom(
    'write',
    'spill',
    'job',
    'read-own',
    'read-other',
    'job-other',
    'list',
    'look',
    'stop-other',
    'processes',
    'script',
  ),
  pick: fc.nat(7),
})

describe('sessions at once', { skip }, () => {
  it('see, name, stop and change nothing of each other (invariant 9)', async () => {
    const shared = await mkdtemp(join(tmpdir(), 'adjutant-sessions-'))
    // One folder for all of them: nothing but the sessions themselves keeps them apart.
    const config = `tools: { code: true }\nloopGuard: false\n`
    const word = `adjutant-apart-${process.pid}`
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => ExecSession.open({ config, sessionsFolder: shared })))
    const told: readonly Told[] = sessions.map((_, at) => ({ spills: [], jobs: [], mark: `mark-of-${at}-${word}` }))
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
          const mine = (who: number): { readonly session: ExecSession; readonly own: Told } => {
            const [session, own] = [sessions[who], told[who]]
            assert.ok(session !== undefined && own !== undefined)
            return { session, own }
          }
          // Each session works off its own steps; all of them do so at once.
          await Promise.all(
            sessions.map(async (_, who) => {
              for (const one of steps.filter((each) => each.who === who)) {
                const { session, own } = mine(who)
                const other = mine(one.from).own
                const result = await act(session, own, other, one)
                const others = told.filter((each) => each !== own)
                for (const { mark } of others) assert.ok(!result.text.includes(mark), `${one.what}: ${result.text.slice(0, 300)}`)
                const foreign = other !== own && (one.what === 'read-other' || one.what === 'job-other' || one.what === 'stop-other')
                if (foreign) assert.equal(result.code, 'NOT_FOUND', `${one.what}: ${result.text.slice(0, 300)}`)
                if (one.what === 'read-own' && own.spills.length > 0) assert.ok(result.text.includes(own.mark), result.text.slice(0, 300))
              }
            }),
          )
        }),
        { numRuns: 8 },
      )
      // Every job that was not ended by its own session is still there: nobody else's stop reached it.
      for (const [at, own] of told.entries()) {
        const { text } = (await sessions[at]?.call('background_jobs', {})) ?? { text: '' }
        for (const job of own.jobs) assert.match(text, new RegExp(`^${job.replace('.', '\\.')} {2}running`, 'm'))
      }
    } finally {
      await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()))
      await rm(shared, { recursive: true, force: true })
    }
    assert.deepEqual(await processesWith(word), [])
  })
})

async function act(
  session: ExecSession,
  own: Told,
  other: Told,
  { what, pick }: { readonly what: string; readonly pick: number },
): Promise<ExecResult> {
  const spill = other.spills[pick % Math.max(1, other.spills.length)]
  const job = other.jobs[pick % Math.max(1, other.jobs.length)]
  switch (what) {
    case 'write':
      return session.bash(`echo ${own.mark} > file-${pick}; export NAME=${own.mark}; echo ${own.mark} > /tmp/t`)
    case 'spill': {
      const result = await session.bash(`for n in $(seq 1 3000); do echo "${own.mark} $n"; done`)
      assert.ok(result.spill)
      own.spills.push(result.spill)
      return result
    }
    case 'job': {
      if (own.jobs.length >= 4) return session.bash('true')
      const result = await session.bash(`echo ${own.mark}; exec -a ${own.mark} sleep 1000`, { background: true })
      own.jobs.push(/Started (job_\S+) in/.exec(result.text)?.[1] ?? '')
      return result
    }
    case 'read-own': {
      const mine = own.spills[pick % Math.max(1, own.spills.length)]
      return session.call('read_result', { id: mine?.handle ?? 'none', limit: 2 })
    }
    case 'read-other':
      // Its handle, its plain id, its path, and its handle as another kind.
      return session.call('read_result', {
        id: [spill?.handle, spill?.id, spill?.path, spill?.handle.replace('spill_', 'job_')][pick % 4] ?? 'call_1',
      })
    case 'job-other':
      return session.call('background_jobs', {
        action: 'output',
        job: [job, job?.replace('job_', 'spill_'), '1', 'job_1'][pick % 4] ?? 'job_1',
      })
    case 'stop-other':
      if (other === own && job !== undefined) own.jobs.splice(own.jobs.indexOf(job), 1)
      return session.call('background_jobs', { action: 'stop', job: job ?? 'job_1' })
    case 'list':
      return session.call('background_jobs', {})
    case 'look':
      return session.bash(`cat ${spill?.path ?? '/none'}; ls -R /workspace /tmp; cat file-* /tmp/t; echo "$NAME"; ls ${session.folder}`)
    case 'processes':
      return session.bash('cat /proc/*/cmdline /proc/*/environ 2>/dev/null | tr "\\0" " "; ps axe')
    case 'script':
      return session.call('python', {
        code: 'import glob, os\nfor f in glob.glob("/workspace/**") + glob.glob("/tmp/*"):\n  print(f, open(f, errors="replace").read(200) if os.path.isfile(f) else "")',
      })
    default:
      throw new Error(what)
  }
}
