import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type ErrorCode, type SandboxReport } from '@adjutant/core/contract'
import { seatbeltBackend } from './seatbelt-backend.ts'

const runs = process.platform === 'linux' && ['/usr/bin/bwrap', '/usr/bin/socat', '/usr/bin/rg'].every((path) => existsSync(path))
const skip = runs ? false : 'needs Linux with bubblewrap, socat and ripgrep'
const open = (): ReturnType<typeof seatbeltBackend> => seatbeltBackend({ clock: systemClock, ids: randomIds, onLinux: true })
const said = (report: SandboxReport): string => Buffer.from(report.stdout).toString()
const refusedWith =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AdjutantError.isInstance(error) && error.code === code

describe('seatbelt', () => {
  it('is for macOS: elsewhere it says so, and what else there is', { skip: process.platform === 'darwin' }, async () => {
    await using backend = seatbeltBackend({ clock: systemClock, ids: randomIds })
    const probe = await backend.probe()
    assert.equal(probe.ok, false)
    assert.match(probe.detail, /macOS only/)
    assert.ok(probe.fix)
    assert.deepEqual([[...backend.languages], [...backend.enforces]], [[], []])
    await assert.rejects(backend.open({}), refusedWith('SANDBOX_UNAVAILABLE'))
  })
})

describe('what it makes of the package, tried on Linux', { skip, timeout: 60_000 }, () => {
  it('claims files and the network and no more, and refuses who needs more', async () => {
    await using backend = open()
    const probe = await backend.probe()
    assert.ok(probe.ok, probe.detail)
    assert.deepEqual([...backend.enforces].sort(), ['filesystem', 'network'])
    await assert.rejects(backend.open({ requires: ['processes'] }), refusedWith('SANDBOX_TOO_WEAK'))
    await assert.rejects(backend.open({ mounts: [{ host: '/usr', path: '/inputs' }] }), refusedWith('UNSUPPORTED'))
    await assert.rejects(backend.open({ network: { allow: ['example.com:8080'] } }), refusedWith('UNSUPPORTED'))
    await assert.rejects(backend.open({ workspace: { host: '/nowhere/at/all' } }), refusedWith('NOT_FOUND'))
    await assert.rejects(backend.open({ limits: { wallMs: -1 } }), refusedWith('CONFIG_INVALID'))
  })

  it('runs code in its folder, with what was given and nothing of the host’s environment', async () => {
    await using backend = open()
    await using box = await backend.open({ env: { GIVEN: "a 'b' $c" } })
    const code =
      'cat; printf "%s|%s|%s\\n" "$GIVEN" "$RUN" "$PWD"; echo x > "$TMPDIR/t"; echo made > made.txt; printenv HOST_SECRET || echo none; exit 7'
    process.env.HOST_SECRET = 'seen'
    const report = await box.run({ lang: 'bash', code, stdin: 'in\n', env: { RUN: 'yes' } }).finally(() => delete process.env.HOST_SECRET)
    assert.deepEqual(
      [said(report), report.exitCode],
      [`in\na 'b' $c|yes|${box.workspace}\nnone\n`, 7],
      Buffer.from(report.stderr).toString(),
    )
    assert.equal(Buffer.from(await box.readFile('made.txt')).toString(), 'made\n')
    await box.writeFile('in/data.txt', Buffer.from('data'))
    assert.equal(said(await box.run({ lang: 'python', code: 'print(open("data.txt").read())', cwd: '/workspace/in' })), 'data\n')
    assert.equal(said(await box.run({ lang: 'js', code: 'console.log(process.cwd())' })), `${box.workspace}\n`)
    await assert.rejects(box.run({ lang: 'bash', code: 'x=1', session: true }), refusedWith('UNSUPPORTED'))
    await assert.rejects(box.run({ lang: 'sql', code: 'select 1' }), refusedWith('UNSUPPORTED'))
    await assert.rejects(box.run({ lang: 'bash', code: '', signal: AbortSignal.abort() }), refusedWith('CANCELLED'))
    const stop = new AbortController()
    const stopped = box.run({ lang: 'bash', code: 'echo x; sleep 99', signal: stop.signal, output: () => stop.abort() })
    await assert.rejects(stopped, refusedWith('CANCELLED'))
  })

  it('ends what runs too long or prints too much, in every language', async () => {
    await using backend = open()
    await using box = await backend.open({})
    const late = await box.run({ lang: 'bash', code: 'echo begun; trap "" TERM; sleep 999 & sleep 999', limits: { wallMs: 2_000 } })
    assert.deepEqual([said(late), late.limit, late.timedOut, late.signal], ['begun\n', 'wall', true, 'SIGKILL'])
    const floods = { bash: 'yes', python: 'while True: print("y" * 100)', js: 'for (;;) console.log("y".repeat(100))' } as const
    for (const lang of ['bash', 'python', 'js'] as const) {
      const loud = await box.run({ lang, code: floods[lang], limits: { outputBytes: 5_000 } })
      assert.deepEqual([loud.stdout.length, loud.limit, loud.truncated], [5_000, 'output', true], lang)
    }
  })

  it('reads a mount and cannot write it, and writes a folder of the host that is its workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-seatbelt-test-'))
    try {
      writeFileSync(join(folder, 'in.txt'), 'mounted')
      await using backend = open()
      await using reader = await backend.open({ mounts: [{ host: folder, path: folder }] })
      const report = await reader.run({ lang: 'bash', code: `cat ${folder}/in.txt; echo x > ${folder}/out.txt` })
      assert.equal(said(report), 'mounted')
      assert.notEqual(report.exitCode, 0)
      await using writer = await backend.open({ workspace: { host: folder } })
      assert.equal((await writer.run({ lang: 'bash', code: 'echo x > out.txt' })).exitCode, 0)
      assert.ok(existsSync(join(folder, 'out.txt')))
      await writer.close()
      assert.ok(existsSync(folder))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('shares nothing between two boxes, not even the folders that the package opens for all', async () => {
    await using backend = open()
    await using one = await backend.open({})
    await using other = await backend.open({})
    const leave = 'for f in /tmp/claude /private/tmp/claude ~/.npm/_logs; do mkdir -p $f; echo x > $f/left; done 2>/dev/null; true'
    await one.run({ lang: 'bash', code: leave })
    const found = await other.run({ lang: 'bash', code: `cat /tmp/claude/left /private/tmp/claude/left; ls ${one.workspace}; echo end` })
    assert.equal(said(found), 'end\n')
  })

  it('leaves no folder behind, and can be opened again after it was closed', async (t) => {
    // In a place of its own: others make boxes at the same time.
    const usual = process.env.TMPDIR
    const place = mkdtempSync(join(tmpdir(), 'seatbelt-test-'))
    process.env.TMPDIR = place
    t.after(() => {
      if (usual === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = usual
      rmSync(place, { recursive: true, force: true })
    })
    const left = (): readonly string[] => readdirSync(place).filter((name) => name.startsWith('adjutant-seatbelt-'))
    for (let round = 0; round < 2; round++) {
      const before = left()
      const backend = open()
      const box = await backend.open({})
      assert.equal(left().length, before.length + 1)
      assert.equal(said(await box.run({ lang: 'bash', code: 'echo hello' })), 'hello\n')
      await box.close()
      await box.close()
      await backend[Symbol.asyncDispose]()
      assert.deepEqual(left(), before)
      await assert.rejects(box.run({ lang: 'bash', code: '' }), refusedWith('SANDBOX_FAILED'))
      await assert.rejects(backend.open({}), refusedWith('SANDBOX_UNAVAILABLE'))
    }
  })

  it('does not touch a configuration that the process made for something else', () => {
    const code = `
      const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime')
      const { seatbeltBackend } = await import('./seatbelt-backend.ts')
      const { randomIds, systemClock } = await import('@adjutant/core')
      await SandboxManager.initialize({ network: { allowedDomains: ['example.com'], deniedDomains: [] }, filesystem: { denyRead: [], allowWrite: [], denyWrite: [] } })
      const backend = seatbeltBackend({ clock: systemClock, ids: randomIds, onLinux: true })
      console.log(JSON.stringify([await backend.probe(), SandboxManager.getConfig()?.network.allowedDomains]))
      await SandboxManager.reset()
      process.exit()`
    const child = spawnSync(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', code], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.match(
      child.stdout,
      /"ok":false,"detail":"this process has configured @anthropic-ai\/sandbox-runtime for something else"/,
      child.stderr,
    )
    assert.match(child.stdout, /\["example\.com"\]/)
  })
})
