/** That nothing is left, whatever forked how, on every kind of kernel: with bounded signals, by users, by looking. Also run by an ordinary user. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type SandboxBackend } from '@adjutant/core/contract'
import { type LandlockOptions, landlockBackend } from './landlock-backend.ts'

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'adjutant-landlock-test-'))
  // The users of boxes pass through.
  chmodSync(root, 0o711)
})
after(() => rmSync(root, { recursive: true, force: true }))

const isRoot = process.geteuid?.() === 0
const KINDS: readonly { readonly kind: string; readonly options: Partial<LandlockOptions>; readonly rootOnly?: boolean }[] = [
  { kind: 'as it is here', options: {} },
  { kind: 'without control groups', options: { controlGroups: false } },
  // Nobody can end boxes of an ordinary user for sure there: refused, see walls.test.ts.
  { kind: 'without control groups and bounded signals', options: { controlGroups: false, newestAbi: 5 }, rootOnly: true },
]

function open(options: Partial<LandlockOptions>): SandboxBackend {
  return landlockBackend({ clock: systemClock, ids: randomIds, stateRoot: `${root}/state`, filesRoot: `${root}/files`, ...options })
}

/** Processes with this in their command line. */
function processes(mark: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

function files(): readonly string[] {
  return ['state', 'files'].flatMap((name) =>
    existsSync(`${root}/${name}`)
      ? readdirSync(`${root}/${name}`, { recursive: true })
          .map(String)
          .filter((path) => path !== 'users' && path !== 'lent')
      : [],
  )
}

async function until(done: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100_000 && !done(); turns++) await new Promise((resolve) => setImmediate(resolve))
}

/** Daemons that ignore signals, and processes that fork and end, so that each number is gone when it is looked at. */
const hydra = (mark: string): string => `
import os, signal, sys
for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
for round in range(4):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if round == 0:
                os.execv("/bin/sleep", ["${mark}", "9999"])
            while True:
                try:
                    if os.fork() != 0:
                        os._exit(0)
                except OSError:
                    pass
        os._exit(0)
print("started")`

for (const { kind, options, rootOnly } of KINDS) {
  describe(`nothing is left, ${kind}`, { skip: rootOnly === true && !isRoot ? 'needs users for boxes' : false, timeout: 60_000 }, () => {
    it('of a run that ended, was stopped, or was ended by its time, nor of closing', async () => {
      const backend = open(options)
      const mark = `left-${randomIds.next('x')}`
      assert.ok((await backend.probe()).ok, (await backend.probe()).detail)
      const box = await backend.open({ limits: { processes: 32 } })
      await box.run({ lang: 'bash', code: 'kept=yes; sleep 9999 &', session: true })
      const ended = await box.run({ lang: 'python', code: hydra(mark) })
      assert.match(Buffer.from(ended.stdout).toString(), /started/, Buffer.from(ended.stderr).toString())
      await until(() => processes(mark).length === 0)
      assert.deepEqual(processes(mark), [])
      const late = await box.run({ lang: 'python', code: `${hydra(mark)}\nsignal.pause()`, limits: { wallMs: 400 } })
      assert.equal(late.limit, 'wall')
      const stop = new AbortController()
      const stopped = box.run({
        lang: 'python',
        code: `${hydra(mark)}\nsys.stdout.flush()\nsignal.pause()`,
        signal: stop.signal,
        output: () => stop.abort(),
      })
      await assert.rejects(stopped, (error) => AdjutantError.isInstance(error) && error.code === 'CANCELLED')
      assert.deepEqual(processes(mark), [])
      // What belongs to the session was not touched.
      const session = await box.run({ lang: 'bash', code: 'echo $kept; jobs | wc -l', session: true })
      assert.equal(Buffer.from(session.stdout).toString(), 'yes\n1\n')
      await box.run({ lang: 'python', code: hydra(mark), session: true })
      await box.close()
      assert.deepEqual(processes(mark), [])
      await backend[Symbol.asyncDispose]()
      assert.deepEqual(files(), [])
      assert.deepEqual(processes(root), [])
    })

    it('of a host that was killed: processes soon, files when the next one comes', async () => {
      const mark = `left-${randomIds.next('x')}`
      const program = `
        import { landlockBackend } from ${JSON.stringify(new URL('./landlock-backend.ts', import.meta.url).href)}
        import { randomIds, systemClock } from '@adjutant/core'
        const options = ${JSON.stringify({ ...options, stateRoot: `${root}/state`, filesRoot: `${root}/files` })}
        const backend = landlockBackend({ clock: systemClock, ids: randomIds, ...options })
        const box = await backend.open({ limits: { processes: 32 } })
        await box.run({ lang: 'python', session: true, code: ${JSON.stringify(hydra(mark))} })
        console.log('up')
        await box.run({ lang: 'python', code: ${JSON.stringify(`${hydra(mark)}\nsignal.pause()`)} })`
      const host = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
        cwd: new URL('.', import.meta.url).pathname,
      })
      await once(host.stdout, 'data')
      await until(() => processes(mark).length >= 2)
      assert.ok(processes(mark).length >= 1)
      host.kill('SIGKILL')
      await once(host, 'exit')
      await until(() => processes(mark).length === 0)
      assert.deepEqual(processes(mark), [])
      const next = open(options)
      assert.ok((await next.probe()).ok)
      await next[Symbol.asyncDispose]()
      assert.deepEqual(files(), [])
    })
  })
}

describe('a keeper that is killed from outside', {
  skip: isRoot ? false : 'a user without control groups has nobody to do it then',
  timeout: 60_000,
}, () => {
  for (const controlGroups of [true, false]) {
    it(`takes what it kept with it, ${controlGroups ? 'by the control group' : 'by the user'}`, async () => {
      const mark = `left-${randomIds.next('x')}`
      await using backend = open({ controlGroups })
      await using box = await backend.open({ limits: { processes: 32 } })
      const running = box.run({
        lang: 'python',
        code: `import os\nprint(os.getppid(), flush=True)\n${hydra(mark)}\nsignal.pause()`,
        output: (_, bytes) => {
          const keeper = Number(/^(\d+)\n/.exec(Buffer.from(bytes).toString())?.[1] ?? 0)
          if (keeper > 1) void until(() => processes(mark).length > 0).then(() => process.kill(keeper, 'SIGKILL'))
        },
      })
      const outcome = await running.then(
        ({ signal }) => signal,
        (error: unknown) => (AdjutantError.isInstance(error) ? error.code : error),
      )
      assert.ok(outcome === 'SIGKILL' || outcome === 'SANDBOX_FAILED', String(outcome))
      await until(() => processes(mark).length === 0)
      assert.deepEqual(processes(mark), [])
    })
  }
})
