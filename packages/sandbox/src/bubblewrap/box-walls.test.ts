/** Boxes for real: what may be asked of one, what it sees, what it takes, and where it may go. Also run by an ordinary user, see as-ordinary-user.test.ts. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type ErrorCode, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'
import { type BubblewrapBackend, bubblewrapBackend } from './bubblewrap-backend.ts'

const isRoot = process.getuid?.() === 0
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const rejectsWith = (code: ErrorCode) => (error: unknown) => AdjutantError.isInstance(error) && error.code === code

let backend: BubblewrapBackend
before(async () => {
  backend = bubblewrapBackend({ clock: systemClock, ids: randomIds })
  const probe = await backend.probe()
  assert.ok(probe.ok, `${probe.detail} ${probe.fix ?? ''}`)
})
after(() => backend[Symbol.asyncDispose]())

/** What a program in a box of its own says. */
async function inBox(code: string, more: Partial<SandboxRun> = {}): Promise<{ readonly out: string; readonly report: SandboxReport }> {
  await using box = await backend.open({})
  const report = await box.run({ lang: 'bash', code, ...more })
  return { out: text(report.stdout), report }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

describe('what is asked of a box', () => {
  const refused: readonly (readonly [string, Parameters<BubblewrapBackend['open']>[0], ErrorCode])[] = [
    ['a host that is none', { network: { allow: ['http://a b/'] } }, 'CONFIG_INVALID'],
    ['disk on a folder of the host', { workspace: { host: tmpdir() }, requires: ['disk'] }, 'SANDBOX_TOO_WEAK'],
    ['a mount over the system', { mounts: [{ host: '/usr', path: '/usr/local' }] }, 'CONFIG_INVALID'],
    ['a mount by a way up', { mounts: [{ host: '/usr', path: '/inputs/../etc' }] }, 'CONFIG_INVALID'],
    ['the whole machine', { mounts: [{ host: '/', path: '/inputs' }] }, 'CONFIG_INVALID'],
    ['a mount that is not there', { mounts: [{ host: '/nonexistent/x', path: '/inputs' }] }, 'NOT_FOUND'],
    ['a name that is none', { env: { 'a=b': 'c' } }, 'CONFIG_INVALID'],
    ['a limit that is none', { limits: { memoryMB: Number.NaN } }, 'CONFIG_INVALID'],
  ]
  for (const [what, spec, code] of refused) it(`is refused: ${what}`, () => assert.rejects(backend.open(spec), rejectsWith(code)))

  it('mounts what is asked for, to be read only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-mount-'))
    try {
      // As in a home of root: nobody else passes.
      if (isRoot) chmodSync(folder, 0o700)
      mkdirSync(`${folder}/data`)
      writeFileSync(`${folder}/data/in.csv`, 'a,b\n')
      await using box = await backend.open({ mounts: [{ host: `${folder}/data`, path: '/inputs/data' }] })
      const report = await box.run({ lang: 'bash', code: 'cat /inputs/data/in.csv; echo x > /inputs/data/in.csv; ls /inputs' })
      assert.equal(text(report.stdout), 'a,b\ndata\n')
      assert.match(text(report.stderr), /Read-only file system/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('writes a folder of the host, and leaves it to whom it belonged', async () => {
    // As in a home of root: nobody else passes.
    const parent = mkdtempSync(join(tmpdir(), 'adjutant-workspace-'))
    const folder = `${parent}/workspace`
    try {
      mkdirSync(folder)
      writeFileSync(`${folder}/there`, 'before')
      symlinkSync('/etc/hostname', `${folder}/link`)
      const owner = statSync(folder).uid
      {
        await using box = await backend.open({ workspace: { host: folder } })
        assert.equal(box.enforces.has('disk'), false)
        const report = await box.run({
          lang: 'bash',
          code: 'cat there; echo after > there; mkdir new; echo x > new/y; cat link; awk "{print \\$2}" /proc/self/uid_map >/dev/null',
        })
        assert.equal(text(report.stdout), 'before')
        await box.writeFile('new/z', Buffer.from('host'))
        assert.equal(text((await box.run({ lang: 'bash', code: 'echo + >> new/z; cat new/z' })).stdout), 'host+\n')
        if (isRoot) assert.notEqual(statSync(folder).uid, 0)
      }
      assert.equal(statSync(folder).uid, owner)
      assert.equal(statSync(`${folder}/new/y`).uid, owner)
      assert.deepEqual(readdirSync(folder).sort(), ['link', 'new', 'there'])
    } finally {
      rmSync(parent, { recursive: true })
    }
  })

  it('may be several in one folder of the host, whichever ends first', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-workspace-'))
    try {
      const first = await backend.open({ workspace: { host: folder } })
      await using second = await backend.open({ workspace: { host: folder } })
      await first.run({ lang: 'bash', code: "echo one > one; mkdir $'not-text-\\xff'; echo x > $'not-text-\\xff/\\xfe'" })
      await first.close()
      const report = await second.run({ lang: 'bash', code: 'cat one; echo two > two && ls | wc -l' })
      assert.equal(text(report.stdout), 'one\n3\n', text(report.stderr))
      await second.close()
      assert.equal(statSync(`${folder}/two`).uid, process.getuid?.())
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('ends who fills a folder of the host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-workspace-'))
    try {
      await using box = await backend.open({ workspace: { host: folder }, limits: { diskMB: 4, files: 200 } })
      const files = await box.run({ lang: 'bash', code: 'i=0; while :; do : > $((i++)); done' })
      assert.equal(files.limit, 'files')
      await box.run({ lang: 'bash', code: 'rm -f *' })
      const bytes = await box.run({
        lang: 'bash',
        code: 'i=0; while :; do i=$((i + 1)); head -c 1M /dev/zero > $((i % 20)); sleep 0.01; done',
      })
      assert.equal(bytes.limit, 'disk')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the way out', () => {
  it('leads to the hosts that are allowed and to no other, in every kind of run', async () => {
    const server = createHttpServer((request, response) => response.end(`reached ${request.headers.host}`))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await using own = bubblewrapBackend({
      clock: systemClock,
      ids: randomIds,
      network: { resolve: () => Promise.resolve(['127.0.0.1']), mayConnect: () => true },
    })
    try {
      await using box = await own.open({ network: { allow: [`good.example:${port}`] }, requires: ['network'] })
      const fetched = (host: string): string => `import urllib.request as r\nprint(r.urlopen("http://${host}:${port}/").read().decode())`
      for (const session of [false, true, false]) {
        const good = await box.run({ lang: 'python', session, code: fetched('good.example') })
        assert.equal(text(good.stdout), `reached good.example:${port}\n`, text(good.stderr))
        assert.equal(good.refused, undefined)
        const evil = await box.run({ lang: 'python', session, code: fetched('evil.example') })
        assert.deepEqual([evil.exitCode, evil.refused], [1, [`evil.example:${port}`]])
      }
      const direct = await box.run({ lang: 'bash', code: `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>&1; env | grep -c -i _proxy` })
      assert.match(text(direct.stdout), /refused[\s\S]*\n[1-9]/)
    } finally {
      server.close()
    }
  })
})

describe('what a box sees and takes', () => {
  it('is nothing of the host but its system', async () => {
    const canary = mkdtempSync(join(tmpdir(), 'adjutant-canary-'))
    const server = createServer((socket) => socket.end('reached'))
    try {
      chmodSync(canary, 0o755)
      writeFileSync(`${canary}/secret`, 'canary-of-the-host', { mode: 0o644 })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const code = [
        `cat ${canary}/secret /proc/1/root${canary}/secret`,
        `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3)`,
        'tr "\\0" "\\n" < /proc/1/environ; env | sort',
        'echo x > /proc/sys/kernel/core_pattern; unshare --user true; touch /new /etc/new /dev/new',
        'kill -9 -1; ls /root /home /var /run',
        'echo; ls -d /proc/[0-9]* | wc -l',
      ].join('\n')
      const { out, report } = await inBox(code)
      assert.doesNotMatch(out, /canary|reached|\/work\/|NODE_/)
      const lines = out.trim().split('\n')
      assert.equal(lines[0], 'PATH=/usr/bin:/bin')
      assert.ok(Number(lines.at(-1)) <= 6, 'only its own processes')
      assert.match(text(report.stderr), /core_pattern/)
    } finally {
      server.close()
      rmSync(canary, { recursive: true })
    }
  })

  it('is no descriptor but its own', async () => {
    const listing =
      'import os\nprint(sorted(int(n) for n in os.listdir("/proc/self/fd")), sorted({os.readlink("/proc/self/fd/" + n) for n in os.listdir("/proc/self/fd") if int(n) > 3 and os.path.exists("/proc/self/fd/" + n)}))'
    const { report } = await inBox(listing, { lang: 'python' })
    assert.match(text(report.stdout), /^\[0, 1, 2, 3[^\]]*\] \[('\/dev\/null')?\]\n$/)
  })

  it('never runs as root, and no two boxes as the same user', { skip: isRoot ? false : 'needs root' }, async () => {
    const users = new Set<number>()
    for (const mark of ['31.4159', '27.1828']) {
      await using box = await backend.open({})
      const stop = new AbortController()
      const running = box.run({ lang: 'bash', code: `sleep ${mark}`, signal: stop.signal })
      await until(() => userOf(`sleep\0${mark}\0`) !== undefined)
      users.add(userOf(`sleep\0${mark}\0`) ?? 0)
      stop.abort()
      await assert.rejects(running, rejectsWith('CANCELLED'))
    }
    assert.equal(users.size, 2)
    assert.ok([...users].every((uid) => uid >= 200_000))
  })

  it('is no more files than it may have, and no more processes', async () => {
    await using box = await backend.open({ limits: { files: 100, processes: 12, diskMB: 8 } })
    const files = await box.run({ lang: 'bash', code: 'set -e; for i in $(seq 300); do : > $i; done' })
    assert.deepEqual([files.exitCode, files.limit], [1, 'files'])
    await box.run({ lang: 'bash', code: 'rm -rf /workspace/*' })
    const temporary = await box.run({
      lang: 'bash',
      code: 'head -c 20M /dev/zero > /tmp/a; head -c 20M /dev/zero > /dev/shm/b; head -c 1M /dev/zero > /workspace/c',
    })
    assert.notEqual(temporary.exitCode, 0)
    assert.match(text(temporary.stderr), /No space left/)
    await box.run({ lang: 'bash', code: 'rm -rf /tmp/* /dev/shm/*' })
    const bomb = await box.run({
      lang: 'bash',
      code: 'bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 0.3; echo survived',
      limits: { wallMs: 3_000 },
    })
    assert.ok((bomb.usage.processes ?? 12) <= 14, `${bomb.usage.processes} processes`)
    assert.equal(text((await box.run({ lang: 'bash', code: 'echo works' })).stdout), 'works\n')
  })

  it('is no more memory than it may have, in whatever form', { skip: isRoot ? false : 'needs a control group' }, async () => {
    if (!backend.enforces.has('memory')) return
    await using box = await backend.open({ limits: { memoryMB: 64 } })
    const bombs = [
      'import os\nb = bytearray(200 << 20)\nprint("all")',
      'import os\nfor i in range(8):\n    if os.fork() == 0:\n        b = bytearray(20 << 20); os.read(0, 1); import time; time.sleep(1); print("all"); os._exit(0)\nfor i in range(8): os.wait()',
      'import os\nf = os.memfd_create("x")\nfor i in range(200): os.write(f, b"x" * (1 << 20))\nprint("all")',
    ]
    for (const code of bombs) {
      const report = await box.run({ lang: 'python', code })
      assert.ok(report.oom || /OSError|PermissionError/.test(text(report.stderr)), text(report.stderr))
      assert.ok(text(report.stdout).split('all').length < 9)
      if (report.oom) assert.equal(report.limit, 'memory')
    }
  })

  it('is no more memory in all that runs in it together, beside the files that it keeps', {
    skip: isRoot ? false : 'needs a control group',
  }, async () => {
    await using box = await backend.open({ limits: { memoryMB: 100, diskMB: 200 } })
    const take = (MB: number): string => `kept = b"x" * (${MB} << 20)\nprint(len(kept) >> 20)`
    // Files do not take the place of programs, run after run.
    for (let run = 0; run < 3; run++) {
      const written = await box.run({ lang: 'bash', code: `head -c 50M /dev/zero > file${run}; echo $?` })
      assert.equal(text(written.stdout), '0\n')
    }
    const first = await box.run({ lang: 'python', session: true, code: take(70) })
    assert.deepEqual([text(first.stdout), first.stateLost], ['70\n', undefined])
    const second = await box.run({ lang: 'python', code: take(70) })
    const after = await box.run({ lang: 'python', session: true, code: 'print(len(kept) >> 20)' })
    const held = [text(second.stdout) === '70\n', text(after.stdout) === '70\n']
    assert.notDeepEqual(held, [true, true], 'each of them is within the limit and both together are not')
    assert.ok(second.oom || after.stateLost === true, 'whom it hit is told')
    assert.equal((await box.run({ lang: 'bash', code: 'ls | wc -l' })).exitCode, 0, 'the box goes on')
  })

  it('ends with it, also what tries to stay', async () => {
    await using box = await backend.open({})
    const code = `trap '' TERM HUP INT; for i in 1 2 3; do (setsid bash -c "trap '' TERM HUP; while :; do date +%s%N > beat$i; sleep 0.02; done" &); done; sleep 0.3; ls`
    assert.match(text((await box.run({ lang: 'bash', code })).stdout), /beat/)
    const beats = async (): Promise<string> => text((await box.run({ lang: 'bash', code: 'cat beat*' })).stdout)
    const before = await beats()
    await box.run({ lang: 'bash', code: 'sleep 0.3' })
    assert.equal(await beats(), before)
  })
})

/** Under whom the process with this command line runs, in the host's numbers. */
function userOf(command: string): number | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8') === command) return statSync(`/proc/${pid}`).uid
    } catch {
      // It has ended.
    }
  }
  return undefined
}
