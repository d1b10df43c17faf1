import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { openSandboxes } from '@adjutant/sandbox'
import { ManualClock, testContext } from '@adjutant/testkit'
import { CodeBench, errorOf, skip } from '../../test/code-tools.ts'

let bench: CodeBench
before(async () => {
  bench = await CodeBench.open()
})
after(() => bench.close())

describe('sessions', { skip }, () => {
  it('have boxes of their own, which go when the session does', async () => {
    const of = bench.make()
    await using other = await testContext({ sessionId: 'session_2' })
    await bench.call('bash', { command: 'echo mine > a; export A=1' }, { of })
    assert.equal((await bench.call('bash', { command: 'ls; echo "[$A]"' }, { of, cx: other })).text, '[]')
    assert.equal(of.openBoxes, 2)
    await of.closeSession(bench.cx.sessionId)
    await of.closeSession(bench.cx.sessionId)
    assert.equal(of.openBoxes, 1)
    assert.equal((await bench.call('bash', { command: 'ls' }, { of })).text, '(no output)')
    await of.close()
    assert.equal(of.openBoxes, 0)
    assert.equal((await errorOf(bench.call('bash', { command: 'ls' }, { of }))).code, 'SANDBOX_UNAVAILABLE')
  })

  it('lose an idle box, and are told', async () => {
    const clock = new ManualClock()
    const of = bench.make({ clock, idleMs: 1_000 })
    await bench.call('bash', { command: 'echo x > a' }, { of })
    await clock.advance(999)
    assert.equal(of.openBoxes, 1)
    await clock.advance(1)
    assert.equal(of.openBoxes, 0)
    assert.equal(
      (await bench.call('bash', { command: 'ls' }, { of })).text,
      '[a new box: files, variables and background jobs of the one before are gone]',
    )
    assert.equal((await bench.call('bash', { command: 'ls' }, { of })).text, '(no output)')
    await of.close()
  })

  it('give way where there are too many', async () => {
    const of = bench.make({ maxBoxes: 1, maxWaiting: 0 })
    await using other = await testContext({ sessionId: 'session_2' })
    await bench.call('bash', { command: 'echo x > a' }, { of })
    await bench.call('bash', { command: 'true' }, { of, cx: other })
    assert.equal(of.openBoxes, 1)
    const { promise: running, resolve } = Promise.withResolvers<void>()
    const busy = errorOf(
      bench.call(
        'bash',
        { command: 'echo begun; until [ -e go ]; do sleep 0.02; done', timeout_ms: 5_000 },
        { of, cx: { ...other, progress: () => resolve() } },
      ),
    )
    await running
    assert.equal((await errorOf(bench.call('bash', { command: 'true' }, { of }))).code, 'OVERLOADED')
    await of.close()
    assert.equal((await busy).code, 'SANDBOX_FAILED')
  })

  it('work in a folder of the host where one is given, and say what that means', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-code-'))
    const of = bench.make({ workspace: folder })
    try {
      await chmod(folder, 0o777)
      await writeFile(join(folder, 'given.txt'), 'given')
      const seen = await bench.call('python', { code: 'print(open("given.txt").read()); open("made.txt", "w").write("made")' }, { of })
      assert.equal(seen.text, 'given\n[files: made.txt (text, 4 bytes)]')
      assert.equal(await readFile(join(folder, 'made.txt'), 'utf8'), 'made')
      assert.match((await bench.call('javascript', { code: 'console.log(files.read("made.txt"))' }, { of })).text, /made/)
      assert.equal(bench.toolOf('python', of).effect, 'dangerous')
      assert.equal(bench.toolOf('python').effect, 'write')
    } finally {
      await of.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('run one call at a time', async () => {
    await bench.bash('echo 0 > n')
    await Promise.all(Array.from({ length: 8 }, () => bench.bash('read -r n < n; sleep 0.01; echo $((n + 1)) > n')))
    assert.equal((await bench.bash('cat n')).text, '8')
  })
})

describe('where no box can be had', () => {
  it('says so, and runs nothing', async () => {
    const none = openSandboxes({ clock: systemClock, ids: randomIds, order: ['container'] })
    const of = bench.make({ sandboxes: none })
    const error = await errorOf(bench.call('bash', { command: 'ls' }, { of }))
    assert.deepEqual([error.code, error.outcome], ['SANDBOX_UNAVAILABLE', 'not-run'])
    await of.close()
    await none.close()
  })

  it('runs on the bare machine only where that is allowed, and warns in each result', async () => {
    const host = openSandboxes({ clock: systemClock, ids: randomIds, order: ['host'], unsafeHost: true })
    const of = bench.make({ sandboxes: host })
    const { text, structured } = await bench.call('bash', { command: 'echo hello' }, { of })
    assert.match(text, /^hello\n\[warning: not in a box: .*\]\n\[here each call runs by itself/)
    assert.equal(structured.backend, 'host')
    assert.equal((await errorOf(bench.call('bash', { command: 'sleep 1', background: true }, { of }))).code, 'UNSUPPORTED')
    await of.close()
    await host.close()
  })

  it('takes no number that is none', () => {
    for (const wrong of [{ idleMs: 0 }, { maxBoxes: Number.NaN }, { limits: { wallMs: -1 } }])
      assert.throws(() => bench.make(wrong), /must be a whole number above 0/)
  })
})
