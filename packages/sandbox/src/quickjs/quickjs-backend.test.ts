import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { AdjutantError, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'
import { hostFunction } from '../wasm/host-grants.ts'
import { quickJsBackend } from './quickjs-backend.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const code = (expected: string) => (error: unknown) => AdjutantError.isInstance(error) && error.code === expected

describe('JavaScript in a box', () => {
  const backend = quickJsBackend({
    clock: systemClock,
    pool: 1,
    sessions: 2,
    grants: {
      add: hostFunction(['number', 'number'], (a, b) => a + b),
      echo: hostFunction(['json'], async (value) => value),
      fail: hostFunction(['string'], (message) => {
        throw new Error(message)
      }),
    },
  })
  after(() => backend[Symbol.asyncDispose]())

  async function run(source: string, options: Partial<SandboxRun> = {}): Promise<SandboxReport & { out: string; err: string }> {
    await using box = await backend.open({ limits: { wallMs: 20_000, cpuMs: 10_000, memoryMB: 64 } })
    const report = await box.run({ lang: 'js', code: source, ...options })
    return { ...report, out: text(report.stdout), err: text(report.stderr) }
  }

  it('is there', async () => {
    const probe = await backend.probe()
    assert.equal(probe.ok, true, probe.detail)
  })

  it('prints what console is given, values as they are written in code', async () => {
    const {
      out,
      err,
      exitCode,
      backend: name,
    } = await run(`
      console.log('a', 1, -0, 10n, null, undefined, true, Symbol('s'))
      console.log({ a: [1, { b: 'x' }], 'c-d': new Map([[1, new Set([2])]]) }, [ , 1], () => 1, class A {}, new (class B { x = 1 })())
      console.log('%s is %d of %j%%', 'x', 4, { a: 1 }, 'rest')
      console.error(new Date(0), /x/g, new Uint8Array(3))
      const loop = {}; loop.loop = loop; console.log(loop)
      console.log({ get a() { throw new Error('called') } })
      console.table([{ a: 1, b: 'x' }, { a: 22 }])
      console.group('g'); console.log('in'); console.groupEnd(); console.log('out')
    `)
    assert.equal(
      out,
      [
        'a 1 -0 10n null undefined true Symbol(s)',
        '{ a: [ 1, { b: "x" } ], "c-d": Map(1) { 1 => Set(1) { 2 } } } [ <empty>, 1 ] [Function (anonymous)] [Function: A] B { x: 1 }',
        'x is 4 of {"a":1}% rest',
        '{ loop: [Circular] }',
        '{ a: [Getter] }',
        '| (index) | a  | b   |',
        '|---------|----|-----|',
        '| 0       | 1  | "x" |',
        '| 1       | 22 |     |',
        'g',
        '  in',
        'out',
        '',
      ].join('\n'),
    )
    assert.equal(err, '1970-01-01T00:00:00.000Z /x/g Uint8Array(3) [ 0, 0, 0 ]\n')
    assert.equal(exitCode, 0)
    assert.equal(name, 'quickjs')
  })

  it('keeps text of every script, and bytes that end texts elsewhere', async () => {
    const odd = 'é 漢字 🧭 \u0000 \ud800 |'
    const { out } = await run(`console.log(input); console.log('a\\0b'); console.log(input.length)`, { stdin: JSON.stringify(odd) })
    assert.equal(out, `é 漢字 🧭 \u0000 \ufffd |\na\0b\n${odd.length}\n`)
  })

  it('gives what came on stdin as input: JSON as its value, else as text', async () => {
    assert.equal((await run('console.log(input.a[1])', { stdin: '{"a":[1,2]}' })).out, '2\n')
    assert.equal((await run('console.log(input)', { stdin: 'a,b\n1,2' })).out, 'a,b\n1,2\n')
    assert.equal((await run('console.log(input, stdin)', { stdin: new TextEncoder().encode('[]') })).out, '[] []\n')
    assert.equal((await run('console.log(typeof input)')).out, 'undefined\n')
    const deep = await run('console.log(typeof input)', { stdin: '['.repeat(200_000) })
    assert.equal(deep.out, 'string\n')
  })

  it('gives the environment that it is given and no other', async () => {
    const { out } = await run('console.log(JSON.stringify(env))', { env: { TOKEN: 'x' } })
    assert.equal(out, '{"TOKEN":"x"}\n')
  })

  it('knows no place: dates are those of UTC', async () => {
    const { out } = await run('console.log(new Date(2026, 0, 1).toISOString(), new Date().getTimezoneOffset())')
    assert.equal(out, '2026-01-01T00:00:00.000Z 0\n')
  })

  it('runs promises, microtasks and timers in their order, to the end', async () => {
    const { out, exitCode } = await run(`
      // Far apart: a busy machine may take its time between two lines.
      setTimeout(() => console.log('timer 2'), 300)
      setTimeout((x) => { console.log('timer', x); Promise.resolve().then(() => console.log('micro of timer')) }, 0, 'one')
      queueMicrotask(() => console.log('micro'))
      const id = setInterval(() => { console.log('tick'); clearInterval(id) }, 600)
      clearTimeout(setTimeout(() => console.log('never'), 0))
      console.log('first')
      await new Promise((resolve) => setTimeout(resolve, 900))
      console.log('last')
    `)
    assert.equal(out, 'first\nmicro\ntimer one\nmicro of timer\ntimer 2\ntick\nlast\n')
    assert.equal(exitCode, 0)
  })

  it('says what went wrong and where', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['let a = 1\nlet b = ;', /^Uncaught SyntaxError: .*\n {4}at main\.js:2:9\n$/],
      ['\nfunction f() { null.x }\nf()', /^Uncaught TypeError: .*null\n {4}at f \(main\.js:2:20\)\n/],
      ['throw 5', /^Uncaught 5\n$/],
      ['throw { a: 1 }', /^Uncaught \{ a: 1 \}\n$/],
      ['throw new (class Odd extends Error { name = "Odd" })("x")', /^Uncaught Odd: x\n/],
      ['throw { get message() { throw 1 } }', /^Uncaught \{ message: \[Getter\] \}\n$/],
      ['throw new Proxy({}, { ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } })', /^Uncaught \[cannot be shown\]\n$/],
      ['await Promise.reject(new RangeError("r"))', /^Uncaught RangeError: r\n/],
      ['async function main() { throw new Error("lost?") }\nmain()', /^Uncaught Error: lost\?\n/],
      ['setTimeout(() => { throw new Error("late") }, 1)', /^Uncaught Error: late\n/],
      ['require("fs")', /^Uncaught ReferenceError: 'require' is not defined\n/],
      ['await import("fs")', /^Uncaught ReferenceError: /],
      ['import fs from "fs"', /^Uncaught SyntaxError: /],
    ]
    for (const [source, said] of cases) {
      const { err, exitCode } = await run(source)
      assert.match(err, said, source)
      assert.equal(exitCode, 1, source)
    }
  })

  it('ends code that waits for what nothing will settle', async () => {
    const { exitCode, err, timedOut } = await run('console.log(1); await new Promise(() => {})')
    assert.equal(exitCode, 13)
    assert.match(err, /nothing will settle/)
    assert.equal(timedOut, false)
  })

  it('streams output while the code still runs', async () => {
    await using box = await backend.open({})
    const stop = new AbortController()
    const seen: string[] = []
    const report = box.run({
      lang: 'js',
      code: 'console.log("early"); for (;;) {}',
      signal: stop.signal,
      output: (stream, bytes) => {
        seen.push(stream, text(bytes))
        stop.abort()
        throw new Error('a watcher that fails')
      },
    })
    await assert.rejects(report, code('CANCELLED'))
    assert.deepEqual(seen, ['stdout', 'early\n'])
  })

  it('calls granted functions with copies, and gives their failures as plain errors', async () => {
    const { out, exitCode } = await run(`
      console.log(await host.add(2, 3), JSON.stringify(await host.echo({ a: [1, '\\0', undefined] })))
      for (const wrong of [() => host.add('2', 3), () => host.add(1), () => host.fail('why \\0 not')]) {
        try { await wrong() } catch (error) { console.log(error instanceof Error, Object.keys(error).length, error.message) }
      }
      console.log(Object.keys(host), Object.getPrototypeOf(host), Object.isFrozen(host))
      console.log((await Promise.all(Array.from({ length: 50 }, (_, i) => host.add(i, 1)))).at(-1))
    `)
    assert.equal(
      out,
      [
        '5 {"a":[1,"\\u0000",null]}',
        'true 0 host.add: argument 1 must be a number and is string',
        'true 0 host.add: takes 2 arguments (number, number) and got 1',
        'true 0 host.fail: why \0 not',
        '[ "add", "echo", "fail" ] null true',
        '50',
        '',
      ].join('\n'),
    )
    assert.equal(exitCode, 0)
  })

  it('has files of its own, bounded, that the host reads and writes', async () => {
    await using box = await backend.open({ limits: { diskMB: 1, files: 4 } })
    await box.writeFile('in/data.csv', new TextEncoder().encode('a,b\n1,2\n'))
    const report = await box.run({
      lang: 'js',
      cwd: '/workspace/in',
      code: `
        console.log(files.read('data.csv').length, files.readBytes('/workspace/in/data.csv')[0], files.list('/workspace').map((f) => f.path))
        files.write('out.txt', 'é\\0'); files.write('/workspace/raw', new Uint8Array([0, 255]).subarray(1))
        for (const path of ['../x', '/etc/passwd', 'a/../../../x', '', '%2e%2e/x', 'data.csv/x', 'nope']) {
          try { files.read(path); console.log('read', path) } catch (error) { console.log(error.code) }
        }
        try { files.write('big', 'x'.repeat(2_000_000)) } catch (error) { console.log(error.code) }
        files.remove('data.csv')
      `,
    })
    assert.equal(text(report.stderr), '')
    const codes =
      'PATH_OUTSIDE_WORKSPACE PATH_OUTSIDE_WORKSPACE PATH_OUTSIDE_WORKSPACE CONFLICT PATH_OUTSIDE_WORKSPACE NOT_FOUND NOT_FOUND TOO_LARGE'
    assert.equal(text(report.stdout), `8 97 [ "in", "in/data.csv" ]\n${codes.replaceAll(' ', '\n')}\n`)
    assert.deepEqual(
      (await box.list()).map(({ path, type, bytes }) => [path, type, bytes]),
      [
        ['in', 'folder', 0],
        ['in/out.txt', 'file', 3],
        ['raw', 'file', 1],
      ],
    )
    assert.deepEqual([...(await box.readFile('raw'))], [255])
    await assert.rejects(box.readFile('in/out.txt', { maxBytes: 2 }), code('TOO_LARGE'))
    await assert.rejects(box.readFile('../x'), code('PATH_OUTSIDE_WORKSPACE'))
    const full = await box.run({ lang: 'js', code: 'for (let i = 0; ; i++) files.write("f" + i, "x")' })
    assert.equal(full.limit, 'files')
    assert.equal(full.exitCode, 1)
    const large = await box.run({ lang: 'js', code: 'files.write("raw", new Uint8Array(3e6))' })
    assert.equal(large.limit, 'disk')
  })

  it('hands files over in an order in which they fit, whatever was done to them', async () => {
    await using box = await backend.open({ limits: { diskMB: 1, files: 4 } })
    const run = async (source: string): Promise<void> => assert.equal(text((await box.run({ lang: 'js', code: source })).stderr), '')
    await run('files.write("a", new Uint8Array(9e5)); files.write("b/c", "x")')
    await run('files.write("a", "small"); files.write("b/c", new Uint8Array(9e5))')
    await run(
      'files.remove("b"); files.write("b", "file"); files.remove("b"); files.write("b/d", "y"); files.remove("a"); files.write("a/e", "z")',
    )
    assert.deepEqual(
      (await box.list()).map(({ path, bytes }) => [path, bytes]),
      [
        ['a', 0],
        ['a/e', 1],
        ['b', 0],
        ['b/d', 1],
      ],
    )
  })

  it('lets what the host writes during a run stay', async () => {
    await using box = await backend.open({})
    const source = 'files.write("x/y", "code"); console.log(1); await new Promise((r) => setTimeout(r, 20)); files.write("x/z", "code")'
    const written: Promise<void>[] = []
    const report = await box.run({ lang: 'js', code: source, output: () => written.push(box.writeFile('x', new Uint8Array(1))) })
    await Promise.allSettled(written)
    assert.equal(report.exitCode, 0)
    assert.ok((await box.list()).length > 0)
  })

  it('is ended when what it is given does not fit into its memory', async () => {
    const report = await run('console.log(input.length)', { stdin: 'x'.repeat(70_000_000) })
    assert.deepEqual([report.limit, report.oom], ['memory', true])
  })

  it('works on a folder of the host, through which no link leads out', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-js-'))
    try {
      await writeFile(join(folder, 'a.txt'), 'one')
      await writeFile(join(folder, 'gone.txt'), 'x')
      await using box = await backend.open({ workspace: { host: folder } })
      const first = await box.run({ lang: 'js', code: 'files.write("sub/b.txt", files.read("a.txt") + "!"); files.remove("gone.txt")' })
      assert.equal(text(first.stderr), '')
      assert.equal(await readFile(join(folder, 'sub/b.txt'), 'utf8'), 'one!')
      await writeFile(join(folder, 'a.txt'), 'two, from outside')
      const second = await box.run({ lang: 'js', code: 'console.log(files.read("a.txt"), files.list().map((f) => f.path))' })
      assert.equal(text(second.stdout), 'two, from outside [ "a.txt", "sub", "sub/b.txt" ]\n')
      assert.equal(text(await box.readFile('sub/b.txt')), 'one!')
      await writeFile(`${folder}-canary`, 'canary')
      await symlink(`${folder}-canary`, join(folder, 'link'))
      const third = await box.run({
        lang: 'js',
        code: 'try { files.read("link") } catch (e) { console.log(e.code) } files.write("link", "mine"); files.write("ok", "1")',
      })
      assert.equal(text(third.stdout), 'NOT_FOUND\n')
      assert.equal(await readFile(`${folder}-canary`, 'utf8'), 'canary')
      assert.equal(await readFile(join(folder, 'ok'), 'utf8'), '1')
      await mkdir(join(folder, 'locked'))
      await symlink('/', join(folder, 'locked', 'root'))
      const fourth = await box.run({ lang: 'js', code: 'files.write("locked/root/adjutant-escaped", "x"); console.log("wrote")' })
      assert.equal(text(fourth.stdout), 'wrote\n')
      assert.match(text(fourth.stderr), /not written to the workspace/)
      assert.equal(existsSync('/adjutant-escaped'), false)
    } finally {
      await rm(folder, { recursive: true })
      await rm(`${folder}-canary`, { force: true })
    }
  })

  it('works on a folder in which files have names that no workspace takes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-js-'))
    try {
      for (const name of ['..%2fa.txt', 'b\\..', 'c.txt']) await writeFile(join(folder, name), name)
      await using box = await backend.open({ workspace: { host: folder } })
      for (const _time of [1, 2]) {
        const report = await box.run({ lang: 'js', code: 'console.log(files.list().map((f) => f.path))' })
        assert.deepEqual([text(report.stdout), text(report.stderr)], ['[ "c.txt" ]\n', ''])
      }
      assert.deepEqual((await readdir(folder)).sort(), ['..%2fa.txt', 'b\\..', 'c.txt'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('keeps the globals of a session between its runs, and of nothing else', async () => {
    await using box = await backend.open({})
    const session = async (source: string): Promise<string> => text((await box.run({ lang: 'js', code: source, session: true })).stdout)
    await session('let count = 1; const f = () => ++count; globalThis.g = 5')
    assert.equal(await session('console.log(f(), count, g)'), '2 2 5\n')
    assert.equal(text((await box.run({ lang: 'js', code: 'console.log(typeof count, typeof g)' })).stdout), 'undefined undefined\n')
    await session('setInterval(() => console.log("late"), 1); host.add(1, 2); throw 1')
    assert.equal(await session('await new Promise((r) => setTimeout(r, 5)); console.log(count)'), '2\n')
    const broken = await box.run({ lang: 'js', code: 'for (;;) {}', session: true, limits: { cpuMs: 50 } })
    assert.equal(broken.mode, 'session')
    assert.match(text(broken.stderr), /variables is gone/)
    assert.equal(await session('console.log(typeof count)'), 'undefined\n')
  })

  it('bounds how many boxes keep a session', async () => {
    await using a = await backend.open({})
    await using b = await backend.open({})
    await using c = await backend.open({})
    await a.run({ lang: 'js', code: '1', session: true })
    await b.run({ lang: 'js', code: '1', session: true })
    await assert.rejects(c.run({ lang: 'js', code: '1', session: true }), code('OVERLOADED'))
    await a.close()
    assert.equal((await c.run({ lang: 'js', code: '1', session: true })).exitCode, 0)
  })

  it('refuses what it does not have instead of serving less', async () => {
    await assert.rejects(backend.open({ mounts: [{ host: '/usr', path: '/usr' }] }), code('SANDBOX_UNAVAILABLE'))
    await assert.rejects(backend.open({ network: { allow: ['example.com'] } }), code('SANDBOX_UNAVAILABLE'))
    await assert.rejects(backend.open({ limits: { memoryMB: 8 } }), code('SANDBOX_UNAVAILABLE'))
    await assert.rejects(backend.open({ limits: { wallMs: Number.NaN } }), code('CONFIG_INVALID'))
    assert.throws(() => quickJsBackend({ clock: systemClock, pool: 0 }), code('CONFIG_INVALID'))
    await using box = await backend.open({ requires: [...backend.enforces] })
    await assert.rejects(box.run({ lang: 'python', code: '1' }), code('UNSUPPORTED'))
    await assert.rejects(box.run({ lang: 'js', code: '1', cwd: '/etc' }), code('PATH_OUTSIDE_WORKSPACE'))
    assert.match(text((await box.run({ lang: 'js', code: ' '.repeat(9_000_000) })).stderr), /longer than/)
  })
})
