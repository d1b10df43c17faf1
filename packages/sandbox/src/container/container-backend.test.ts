/** Boxes of containers, made for real with a Podman of the test's own. What every backend does is in conformance.test.ts. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type Sandbox, type SandboxBackend, type SandboxReport } from '@adjutant/core/contract'
import { IMAGE, podmanLeft, startPodman } from '../../test/podman.ts'
import { containerBackend } from './container-backend.ts'
import type { ContainerOptions } from './container-options.ts'

const podman = await startPodman()
const out = (report: SandboxReport): string => Buffer.from(report.stdout).toString()
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const is =
  (...codes: readonly string[]) =>
  (error: unknown) => {
    assert.ok(AdjutantError.isInstance(error) && codes.includes(error.code), String(error))
    return true
  }

if (typeof podman === 'string') it(`container: THESE TESTS DID NOT RUN: ${podman}`, { skip: true }, () => undefined)
else
  describe('containers', () => {
    let folder: string
    let backend: SandboxBackend
    const make = (options: Partial<ContainerOptions> = {}): SandboxBackend =>
      containerBackend({
        clock: systemClock,
        ids: randomIds,
        socket: podman.socket,
        image: IMAGE,
        stateRoot: `${folder}/state`,
        ...options,
      })
    const bash = async (box: Sandbox, code: string): Promise<string> => {
      const report = await box.run({ lang: 'bash', code })
      return out(report) + Buffer.from(report.stderr).toString()
    }
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'adjutant-container-'))
      chmodSync(folder, 0o711)
      backend = make()
    })
    after(async () => {
      try {
        await backend[Symbol.asyncDispose]()
        assert.deepEqual(podmanLeft(podman.folder, podman.podman), [])
        assert.deepEqual(existsSync(`${folder}/state`) ? lefts(`${folder}/state`) : [], [])
      } finally {
        rmSync(folder, { recursive: true, force: true })
        await podman.close()
      }
    })

    it('name the next step where the image is absent, or has no Python', async () => {
      const absent = await make({ image: 'localhost/nothing:1' }).probe()
      assert.match(absent.detail, /no image localhost\/nothing:1/)
      assert.match(absent.fix ?? '', /podman pull localhost\/nothing:1/)
      podman.podman('import', '--change', 'CMD ["/bin/true"]', emptyImage(folder), 'localhost/empty:1')
      const empty = await make({ image: 'localhost/empty:1' }).probe()
      assert.equal(empty.ok, false)
      assert.match(`${empty.detail} ${empty.fix}`, /python3/)
      const runtime = await make({ runtime: 'no-such-runtime' }).probe()
      assert.deepEqual([runtime.ok, /no-such-runtime/.test(runtime.fix ?? '')], [false, true])
    })

    it('work in a folder of the host that root has, and give it back', async () => {
      const workspace = `${folder}/ours`
      mkdirSync(workspace, { mode: 0o755 })
      writeFileSync(`${workspace}/in.txt`, 'from the host')
      const secret = `${folder}/secret`
      writeFileSync(secret, 'a secret of the host')
      const box = await backend.open({ workspace: { host: workspace }, limits: { diskMB: 8, files: 50 } })
      assert.ok(!box.enforces.has('disk'))
      assert.equal(await bash(box, `cat in.txt; echo made > made.txt; ln -s ${secret} link; id -u > uid`), 'from the host')
      assert.equal(Buffer.from(await box.readFile('made.txt')).toString(), 'made\n')
      assert.notEqual(readFileSync(`${workspace}/uid`, 'utf8').trim(), '0')
      await assert.rejects(box.readFile('link'), is('PATH_OUTSIDE_WORKSPACE'))
      linkSync(secret, `${workspace}/second`)
      await assert.rejects(box.readFile('second'), is('PATH_OUTSIDE_WORKSPACE'))
      await box.writeFile('deep/er.txt', encode('written'))
      assert.equal(await bash(box, 'cat deep/er.txt; echo more >> deep/er.txt; cat deep/er.txt'), 'writtenwrittenmore\n')
      const full = await box.run({ lang: 'bash', code: 'for i in {1..400}; do : > f$i; done; sleep 20' })
      assert.equal(full.limit, 'files')
      await box.close()
      assert.equal(lstatSync(`${workspace}/made.txt`).uid, 0)
      assert.equal(lstatSync(workspace).mode & 0o7777, 0o755)
      assert.equal(lstatSync(secret).uid, 0)
      await assert.rejects(backend.open({ workspace: { host: workspace }, requires: ['disk'] }), is('SANDBOX_TOO_WEAK'))
    })

    it('see mounts, and cannot change them', async () => {
      const inputs = `${folder}/inputs`
      mkdirSync(inputs, { mode: 0o755 })
      writeFileSync(`${inputs}/data.csv`, 'a,b\n')
      await using box = await backend.open({
        mounts: [
          { host: inputs, path: '/inputs/data' },
          { host: `${inputs}/data.csv`, path: '/workspace/given.csv' },
        ],
      })
      assert.match(
        await bash(box, 'cat /inputs/data/data.csv given.csv; echo x > /inputs/data/x; echo y >> given.csv'),
        /^a,b\na,b\n.*Read-only.*(Read-only|denied)/s,
      )
      assert.equal(readFileSync(`${inputs}/data.csv`, 'utf8'), 'a,b\n')
      await assert.rejects(backend.open({ mounts: [{ host: '/', path: '/all' }] }), is('CONFIG_INVALID'))
      await assert.rejects(backend.open({ mounts: [{ host: `${folder}/nothing`, path: '/all' }] }), is('NOT_FOUND'))
    })

    it('reach the hosts that are allowed, and say what was refused', async () => {
      const server = createServer((_, response) => void response.end('hello from the host'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const open = make({ network: { resolve: async () => ['127.0.0.1'], mayConnect: () => true } })
      try {
        await using box = await open.open({ network: { allow: [`a.example:${port}`] }, requires: ['network'] })
        const report = await box.run({
          lang: 'bash',
          code: `curl -sS http://a.example:${port}/; curl -s -o /dev/null http://b.example/; curl -s --noproxy '*' http://127.0.0.1:${port}/ || echo " alone"`,
        })
        assert.equal(out(report), 'hello from the host alone\n')
        assert.deepEqual(report.refused, ['b.example:80'])
        // What a run leaves behind goes, the way out stays.
        await box.run({ lang: 'bash', code: 'setsid sleep 100 & disown' })
        assert.equal(await bash(box, `curl -sS http://a.example:${port}/`), 'hello from the host')
      } finally {
        await open[Symbol.asyncDispose]()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    })

    it('keep what a session started, end what a run by itself left behind', async () => {
      await using box = await backend.open({})
      const session = async (code: string): Promise<SandboxReport> => box.run({ lang: 'bash', code, session: true })
      await session('(exec -a kept-by-session sleep 1000 &) ; (setsid -f bash -c "exec -a kept-too sleep 1000")')
      await box.run({ lang: 'bash', code: '(exec -a left-behind sleep 1000 &); setsid -f bash -c "exec -a left-too sleep 1000"; echo' })
      const there = await bash(
        box,
        'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; echo; done | grep -oE "^(kept|left)[a-z-]+" | sort',
      )
      assert.equal(there, 'kept-by-session\nkept-too\n')
      await session('X=1; exec 1>&- 2>&-')
      const late = await box.run({ lang: 'bash', code: 'sleep 1000', session: true, limits: { wallMs: 300 } })
      assert.deepEqual([late.limit, late.stateLost], ['wall', true])
      const anew = await session('echo "[$X]"; for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; echo; done | grep -a ^kept-; echo end')
      assert.deepEqual([out(anew), anew.stateLost], ['[]\nend\n', undefined])
      await box.run({ lang: 'bash', code: 'kill -9 -1' })
      const again = await session('echo on')
      assert.deepEqual([out(again), again.stateLost], ['on\n', true])
    })

    it('do not let what runs look into the first process, or speak in its place', async () => {
      await using box = await backend.open({})
      const code = `for f in environ mem maps fd/0 fd/1 cwd; do { : < /proc/1/$f; } 2>/dev/null && echo "read $f"; { echo x > /proc/1/$f; } 2>/dev/null && echo "wrote $f"; done; ls /proc/1/fd 2>&1 | head -1; kill -9 1; kill -TERM 1; echo done`
      const said = await bash(box, code)
      assert.ok(!/read|wrote/.test(said), said)
      assert.match(said, /done\n$/)
      assert.equal(await bash(box, 'echo hello'), 'hello\n')
    })

    it('give bytes as they are, in both directions and in large pieces', async () => {
      await using box = await backend.open({ limits: { diskMB: 128, outputBytes: 64 << 20 } })
      const bytes = randomBytes(9 << 20)
      const report = await box.run({ lang: 'bash', code: 'cat', stdin: bytes })
      assert.ok(Buffer.from(report.stdout).equals(bytes))
      await box.writeFile('big', bytes)
      assert.ok(Buffer.from(await box.readFile('big')).equals(bytes))
      await assert.rejects(box.readFile('big', { maxBytes: 1_000 }), is('TOO_LARGE'))
      await assert.rejects(box.run({ lang: 'bash', code: 'cat', stdin: new Uint8Array(20 << 20) }), is('TOO_LARGE'))
      const code = `# ${'x'.repeat(3 << 20)}\necho hello`
      assert.equal(await bash(box, code), 'hello\n')
      assert.equal(out(await box.run({ lang: 'bash', code, session: true })), 'hello\n')
      assert.equal(await bash(box, 'ls -A /tmp'), '')
    })

    it('give files only that are plain and inside, whatever the code made of them', async () => {
      await using box = await backend.open({ limits: { files: 200 } })
      await bash(
        box,
        'mkfifo pipe; ln -s /etc/passwd link; ln -s /etc folder; ln -s . loop; mkdir own; echo x > own/one; ln own/one own/two; mkdir shut; chmod 0 shut',
      )
      for (const path of ['pipe', 'link', 'folder/passwd', 'own/one', 'loop/own'])
        await assert.rejects(box.readFile(path), is('PATH_OUTSIDE_WORKSPACE', 'CONFLICT'), path)
      for (const path of ['pipe', 'link', 'folder/new', 'own/two'])
        await assert.rejects(box.writeFile(path, encode('x')), is('PATH_OUTSIDE_WORKSPACE'), path)
      await assert.rejects(box.readFile('own'), is('CONFLICT'))
      await assert.rejects(box.list('folder'), is('PATH_OUTSIDE_WORKSPACE'))
      const types = Object.fromEntries((await box.list()).map(({ path, type }) => [path, type]))
      assert.deepEqual([types.pipe, types.link, types.own, types['own/one']], ['other', 'other', 'folder', 'other'])
      await bash(box, 'for i in {1..500}; do : > f$i; done')
      assert.ok((await box.list()).length <= 201)
    })

    it('say that it broke when somebody takes the container away, and make another', async () => {
      const box = await backend.open({})
      const running = box.run({ lang: 'bash', code: 'echo on; sleep 1000', output: () => void podman.podman('kill', '--all') })
      await assert.rejects(running, is('SANDBOX_FAILED'))
      await assert.rejects(box.run({ lang: 'bash', code: 'echo' }), is('SANDBOX_FAILED'))
      await assert.rejects(box.readFile('x'), is('SANDBOX_FAILED'))
      await box.close()
      await using next = await backend.open({})
      assert.equal(await bash(next, 'echo hello'), 'hello\n')
    })

    it('leave nothing when they are stopped at any moment', async () => {
      const boxes = await Promise.all(Array.from({ length: 4 }, () => backend.open({})))
      await Promise.all(
        boxes.map(async (box, lane) => {
          for (let turn = 0; turn < 6; turn += 1) {
            const code = 'setsid sleep 999 & (sleep 999 &); echo a; sleep 999'
            const running = box.run({
              lang: 'bash',
              code,
              session: turn % 2 === 0,
              signal: AbortSignal.timeout((lane * 7 + turn * 13) % 60),
            })
            await assert.rejects(running, is('CANCELLED'))
          }
          assert.equal(await bash(box, 'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; echo; done | grep -c ^sleep'), '0\n')
          if (lane % 2 === 0) void box.run({ lang: 'bash', code: 'sleep 999' }).catch(() => undefined)
          await box.close()
        }),
      )
      assert.deepEqual(podmanLeft(podman.folder, podman.podman), [])
    })
  })

function lefts(state: string): readonly string[] {
  return readdirSync(state).filter((name) => name !== 'users' && name !== 'lent')
}

/** A root with nothing in it. */
function emptyImage(folder: string): string {
  const stage = `${folder}/empty`
  mkdirSync(`${stage}/proc`, { recursive: true })
  symlinkSync('proc', `${stage}/link`)
  execFileSync('/usr/bin/tar', ['-C', stage, '-cf', `${folder}/empty.tar`, '.'])
  return `${folder}/empty.tar`
}
