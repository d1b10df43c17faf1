import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import type { SandboxGuarantee } from '@adjutant/core/contract'
import type { E2bStub } from '@adjutant/testkit'
import { err, fails, openBench, out, processesWith } from '../../test/e2b-bench.ts'
import { e2bBackend } from './e2b-backend.ts'

/** What was put beside the workspace, to be run or to be read: boxes of the stub share the folder with the machine. */
const putBeside = (stub: E2bStub): readonly string[] =>
  stub.requests
    .flatMap(({ path }) => /[?&]path=([^&]*)/.exec(path)?.[1] ?? [])
    .map(decodeURIComponent)
    .filter((path) => path.startsWith('/tmp/'))

describe('boxes of a service', () => {
  it('run three languages, with input, environment, folder, exit codes and signals', async () => {
    await using bench = await openBench()
    assert.equal((await bench.backend.probe()).ok, true)
    await using box = await bench.backend.open({ env: { GIVEN: 'a b\n"c"', RUN: 'box' } })
    const bash = await box.run({
      lang: 'bash',
      code: 'printf "%s|%s|" "$GIVEN" "$RUN"; cat; echo err >&2; exit 3',
      stdin: 'ü🧭',
      env: { RUN: 'run' },
    })
    assert.deepEqual([out(bash), err(bash), bash.exitCode, bash.mode, bash.backend], ['a b\n"c"|run|ü🧭', 'err\n', 3, 'cold', 'e2b'])
    assert.equal(out(await box.run({ lang: 'python', code: 'import sys\nprint(6 * 7, sys.stdin.read() == "")' })), '42 True\n')
    assert.equal(out(await box.run({ lang: 'js', code: 'console.log("é" + 6 * 7)' })), 'é42\n')
    const killed = await box.run({ lang: 'bash', code: 'kill -TERM $$' })
    assert.deepEqual([killed.exitCode, killed.signal, killed.limit], [undefined, 'SIGTERM', undefined])
    await box.run({ lang: 'bash', code: 'mkdir sub' })
    const root = out(await box.run({ lang: 'bash', code: 'pwd' })).trim()
    assert.equal(out(await box.run({ lang: 'bash', code: 'pwd', cwd: `${root}/sub` })), `${root}/sub\n`)
    await assert.rejects(box.run({ lang: 'bash', code: 'pwd', cwd: '/nowhere/at/all' }), fails('NOT_FOUND', /nowhere/))
    await assert.rejects(box.run({ lang: 'sql', code: 'select 1' }), fails('UNSUPPORTED'))
    assert.notEqual((await box.run({ lang: 'python', code: 'print(' })).exitCode, 0)
  })

  it('give every byte of large and binary output and input, in order, as it comes', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({})
    const bytes = randomBytes(1_200_000)
    const echo = 'import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())'
    for (const stdin of [bytes, bytes.subarray(0, 600_000)]) {
      const pieces: Uint8Array[] = []
      const report = await box.run({ lang: 'python', code: echo, stdin, output: (_, piece) => pieces.push(piece.slice()) })
      assert.ok(Buffer.from(report.stdout).equals(stdin), err(report))
      assert.ok(Buffer.concat(pieces).equals(stdin))
    }
    assert.equal((await box.run({ lang: 'bash', code: 'exit 4', stdin: new Uint8Array(700_000) })).exitCode, 4)
  })

  it('take input also of daemons that cannot close it, and code that is too long for an argument', async () => {
    await using bench = await openBench({ envdVersion: '0.4.1' })
    await using box = await bench.backend.open({})
    assert.equal(out(await box.run({ lang: 'bash', code: 'cat; echo " $1"', stdin: 'as a file' })), 'as a file \n')
    assert.ok(!bench.stub.requests.some(({ path }) => path.endsWith('/SendInput')))
    const long = 'x'.repeat(200_000)
    assert.equal(out(await box.run({ lang: 'bash', code: `# ${long}\necho hello` })), 'hello\n')
    assert.equal(out(await box.run({ lang: 'python', code: `# ${long}\nimport sys\nprint("hello", len(sys.argv))` })), 'hello 1\n')
    assert.equal(
      out(await box.run({ lang: 'js', code: `// ${long}\nconst { sep } = require('node:path')\nconsole.log('hello', sep)` })),
      'hello /\n',
    )
    assert.equal(out(await box.run({ lang: 'bash', code: `# ${long}\necho hello`, session: true })), 'hello\n')
    const beside = putBeside(bench.stub)
    assert.ok(beside.length >= 4, String(beside.length))
    assert.deepEqual(beside.filter(existsSync), [])
  })

  it('keep what a session knows, and say when it is lost', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({ env: { OF: 'box' } })
    const shell = (code: string, more: object = {}): ReturnType<typeof box.run> => box.run({ lang: 'bash', code, session: true, ...more })
    assert.equal((await shell('X=kept; mkdir here; cd here')).mode, 'session')
    const next = await shell(`echo "$X \${PWD##*/} $OF $ONCE" 'it'"'"'s'; cat; printf err >&2; (exit 5)`, {
      stdin: 'typed',
      env: { ONCE: 'once' },
    })
    assert.deepEqual([out(next), err(next), next.exitCode, next.stateLost], ["kept here box once it's\ntyped", 'err', 5, undefined])
    assert.equal(out(await shell('echo "[$ONCE]"')), '[]\n')
    assert.notEqual((await shell('if then')).exitCode, 0)
    assert.equal(out(await shell('exec 1>&- 2>&-')), '')
    const ended = await shell('exit 3')
    assert.deepEqual([ended.exitCode, ended.stateLost], [3, true])
    const anew = await shell('echo "[$X]"')
    assert.deepEqual([out(anew), anew.stateLost], ['[]\n', undefined])
    const late = await shell('echo begun; sleep 1000', { limits: { wallMs: 500 } })
    assert.deepEqual([out(late), late.timedOut, late.limit, late.stateLost], ['begun\n', true, 'wall', true])
    assert.equal(out(await shell('echo on')), 'on\n')
    // Asked for at once, they still go one after the other.
    const many = await Promise.all([1, 2, 3, 4].map((number) => shell(`N=$((N + ${number})); echo $N`)))
    assert.deepEqual(many.map(out), ['1\n', '3\n', '6\n', '10\n'])
  })

  it('keep variables of Python and JavaScript in contexts of the code interpreter', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({ env: { OF: 'box' } })
    const python = (code: string, more: object = {}): ReturnType<typeof box.run> =>
      box.run({ lang: 'python', code, session: true, ...more })
    await python('import os\nx = 41')
    assert.equal(out(await python('print(x + 1, os.environ["OF"], os.environ["RUN"])', { env: { RUN: 'r' } })), '42 box r\n')
    const wrong = await python('print("before")\nundefined_name')
    assert.deepEqual([out(wrong), wrong.exitCode], ['before\n', 1])
    assert.match(err(wrong), /NameError/)
    assert.equal((await python('import sys\nsys.exit(7)')).exitCode, 7)
    assert.equal(out(await python('print(os.getcwd())', { cwd: '/tmp' })), '/tmp\n')
    await assert.rejects(python('1', { stdin: 'x' }), fails('UNSUPPORTED'))
    const late = await python('print("begun", flush=True)\nwhile True: pass', { limits: { wallMs: 700 } })
    assert.deepEqual([out(late), late.limit, late.stateLost], ['begun\n', 'wall', true])
    const anew = await python('print("x" in globals())')
    assert.deepEqual([out(anew), anew.stateLost], ['False\n', undefined])
    const died = await python('import os\nos._exit(9)')
    assert.deepEqual([died.exitCode, died.stateLost], [undefined, true])
    assert.equal(out(await python('print("on")')), 'on\n')
    await box.run({ lang: 'js', code: 'var y = 41', session: true })
    assert.equal(out(await box.run({ lang: 'js', code: 'console.log(y + 1)', session: true })), '42\n')
  })

  it('say what is missing where there is no code interpreter', async () => {
    await using bench = await openBench({ interpreter: false })
    await using box = await bench.backend.open({})
    await assert.rejects(box.run({ lang: 'python', code: '1', session: true }), fails('UNSUPPORTED', /code-interpreter/))
    assert.equal(out(await box.run({ lang: 'python', code: 'print(1)' })), '1\n')
    assert.equal(out(await box.run({ lang: 'bash', code: 'echo 1', session: true })), '1\n')
  })

  it('take files in, give them out, and refuse ways out of the workspace', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({ limits: { diskMB: 2 } })
    const bytes = randomBytes(1_048_576)
    await box.writeFile('in/深/data.bin', bytes)
    assert.ok(Buffer.from(await box.readFile('in/深/data.bin')).equals(bytes))
    await box.writeFile('in/empty', new Uint8Array())
    assert.equal((await box.readFile('in/empty')).length, 0)
    const found = await box.list('in')
    assert.deepEqual(
      found.map(({ path, type, bytes: size }) => [path, type, size]),
      [
        ['in/empty', 'file', 0],
        ['in/深', 'folder', found[1]?.bytes],
      ],
    )
    assert.ok((found[0]?.modifiedAt ?? 0) > 1_600_000_000_000)
    await box.run({ lang: 'bash', code: 'ln -s /etc/passwd out; ln -s /etc etc; ln -s in/empty inside; mkfifo pipe; ln -s loop loop' })
    for (const path of ['../x', 'in/../../x', '%2e%2e/x', 'a\0b', '/etc/passwd', 'out', 'etc/passwd']) {
      await assert.rejects(box.readFile(path), fails('PATH_OUTSIDE_WORKSPACE'), path)
      await assert.rejects(box.writeFile(path, bytes.subarray(0, 1)), fails('PATH_OUTSIDE_WORKSPACE'), path)
    }
    await assert.rejects(box.list('etc'), fails('PATH_OUTSIDE_WORKSPACE'))
    assert.equal((await box.readFile('inside')).length, 0)
    await assert.rejects(box.readFile('pipe'), fails('UNSUPPORTED'))
    await assert.rejects(box.readFile('in'), fails('UNSUPPORTED'))
    await assert.rejects(box.readFile('nowhere/x'), fails('NOT_FOUND'))
    await assert.rejects(box.list('nowhere'), fails('NOT_FOUND'))
    await assert.rejects(box.readFile('in/empty/x'), fails('NOT_FOUND'))
    await assert.rejects(box.readFile('in/深/data.bin', { maxBytes: 1_000 }), fails('TOO_LARGE'))
    await assert.rejects(box.writeFile('big', new Uint8Array(3 << 20)), fails('TOO_LARGE'))
    await assert.rejects(box.writeFile('', bytes), fails('PATH_OUTSIDE_WORKSPACE'))
  })

  it('end runs at their limits, with all that they started', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({ limits: { outputBytes: 100_000, wallMs: 60_000 } })
    const word = `adjutant-left-${randomBytes(6).toString('hex')}`
    const late = await box.run({
      lang: 'bash',
      code: `setsid bash -c 'trap "" TERM; exec -a ${word} sleep 1000' & (exec -a ${word} sleep 1000 &); echo begun; exec -a ${word} sleep 1000`,
      limits: { wallMs: 600 },
    })
    assert.deepEqual([out(late), late.timedOut, late.limit, late.signal, late.exitCode], ['begun\n', true, 'wall', 'SIGKILL', undefined])
    assert.deepEqual(processesWith(word), [])
    const flood = await box.run({ lang: 'bash', code: 'yes | tr -d "\\n"' })
    assert.deepEqual([flood.stdout.length, flood.truncated, flood.limit, flood.timedOut], [100_000, true, 'output', false])
    assert.equal(out(await box.run({ lang: 'bash', code: 'echo on' })), 'on\n')
  })

  it('stop at every moment, leaving nothing behind', async () => {
    await using bench = await openBench()
    await using box = await bench.backend.open({})
    const word = `adjutant-left-${randomBytes(6).toString('hex')}`
    await assert.rejects(box.run({ lang: 'bash', code: 'echo', signal: AbortSignal.abort() }), fails('CANCELLED'))
    const code = `echo begun; exec -a ${word} sleep 1000`
    for (const session of [false, true]) {
      // While it is being started, before anybody knows its number.
      for (const place of ['start', 'process'] as const) {
        const stop = new AbortController()
        bench.stub.fail(place, { wait: Promise.resolve().then(() => stop.abort()) })
        await assert.rejects(box.run({ lang: 'bash', code, session, stdin: 'x', signal: stop.signal }), fails('CANCELLED'))
      }
      const stop = new AbortController()
      const running = box.run({ lang: 'bash', code, session, signal: stop.signal, output: () => stop.abort() })
      await assert.rejects(running, fails('CANCELLED'))
    }
    const stop = new AbortController()
    const cell = { lang: 'python', code: 'print("begun")\nwhile True: pass', session: true } as const
    await assert.rejects(box.run({ ...cell, signal: stop.signal, output: () => stop.abort() }), fails('CANCELLED'))
    assert.equal(out(await box.run({ lang: 'python', code: 'print("on")', session: true })), 'on\n')
    assert.equal(out(await box.run({ lang: 'bash', code: 'echo on', session: true })), 'on\n')
    assert.deepEqual(processesWith(word), [])
  })

  it('end with everything in them, also twice and in the middle', async () => {
    await using bench = await openBench()
    const box = await bench.backend.open({})
    const word = `adjutant-left-${randomBytes(6).toString('hex')}`
    await box.run({
      lang: 'bash',
      code: `setsid bash -c 'trap "" TERM HUP; exec -a ${word} sleep 1000' </dev/null >/dev/null 2>&1 & echo ok`,
    })
    const running = box.run({ lang: 'bash', code: `echo begun; exec -a ${word} sleep 1000`, output: () => void box.close() })
    await assert.rejects(running, fails('CANCELLED'))
    await box.close()
    await box.close()
    assert.equal(bench.stub.boxes.size, 0)
    assert.deepEqual(processesWith(word), [])
    await assert.rejects(box.run({ lang: 'bash', code: 'echo' }), fails('SANDBOX_FAILED', /closed/))
    await assert.rejects(box.readFile('x'), fails('SANDBOX_FAILED'))
    await assert.rejects(box.writeFile('x', new Uint8Array()), fails('SANDBOX_FAILED'))
    await assert.rejects(box.list(), fails('SANDBOX_FAILED'))
  })

  it('are twenty at once, each by itself, and none is left', async () => {
    const homes: string[] = []
    {
      await using bench = await openBench()
      const said = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await using box = await bench.backend.open({})
          await box.writeFile('mine', Buffer.from(String(index)))
          homes.push(out(await box.run({ lang: 'bash', code: 'cd; pwd' })).trim())
          return out(await box.run({ lang: 'bash', code: 'cat mine; ls' }))
        }),
      )
      assert.deepEqual(
        said,
        Array.from({ length: 20 }, (_, index) => `${index}mine\n`),
      )
      assert.equal(bench.stub.boxes.size, 0)
      // Some stay open: the backend ends them.
      await Promise.all([bench.backend.open({}), bench.backend.open({})])
      assert.equal(bench.stub.boxes.size, 2)
      await bench.backend[Symbol.asyncDispose]()
      assert.equal(bench.stub.boxes.size, 0)
      await assert.rejects(bench.backend.open({}), fails('SANDBOX_UNAVAILABLE', /closed/))
    }
    assert.equal(new Set(homes).size, 20)
    assert.deepEqual(homes.filter(existsSync), [])
  })

  it('live on while they are used, whichever way the service knows', async () => {
    for (const missing of [[], ['timeout'], ['timeout', 'refreshes']] as const) {
      await using bench = await openBench({ missing }, { lifetimeMs: 30_000 })
      await using box = await bench.backend.open({})
      assert.equal(out(await box.run({ lang: 'bash', code: 'echo on', limits: { wallMs: 50_000 } })), 'on\n')
      const ways = bench.stub.requests.filter(({ place }) => place === 'extend').map(({ path }) => path.split('/').at(-1))
      assert.deepEqual(ways, ['timeout', 'refreshes', 'connect'].slice(0, missing.length + 1))
      await box.list()
      assert.equal(bench.stub.requests.filter(({ place }) => place === 'extend').length, ways.length)
    }
  })

  it('are asked for without a network, or with the hosts that are allowed', async () => {
    await using bench = await openBench()
    await using _none = await bench.backend.open({})
    await using _some = await bench.backend.open({ network: { allow: ['example.com', '*.example.org'] } })
    const [none, some] = bench.stub.requests.filter(({ place }) => place === 'create').map(({ text }): unknown => JSON.parse(text))
    assert.ok(JSON.stringify(none).includes('"allow_internet_access":false'))
    assert.ok(JSON.stringify(some).includes('"allowOut":["example.com","*.example.org"],"denyOut":["0.0.0.0/0"]'))
    await assert.rejects(bench.backend.open({ network: { allow: ['example.com:8443'] } }), fails('SANDBOX_TOO_WEAK', /ports/))
    await assert.rejects(bench.backend.open({ network: { allow: ['a b'] } }), fails('CONFIG_INVALID'))
  })

  it('claim what is known of the service, and refuse what they cannot have', async () => {
    await using bench = await openBench()
    const { backend } = bench
    assert.deepEqual([...backend.enforces], ['filesystem', 'processes', 'environment'])
    await assert.rejects(backend.open({ requires: ['network'] }), fails('SANDBOX_TOO_WEAK', /network/))
    await assert.rejects(backend.open({ mounts: [{ host: '/usr', path: '/usr' }] }), fails('SANDBOX_UNAVAILABLE', /mounts/))
    await assert.rejects(backend.open({ workspace: { host: '/tmp' } }), fails('SANDBOX_UNAVAILABLE', /workspace/))
    await assert.rejects(backend.open({ env: { 'a=b': 'c' } }), fails('CONFIG_INVALID'))
    await assert.rejects(backend.open({ env: { A: 'b\0c' } }), fails('CONFIG_INVALID'))
    assert.equal(bench.stub.requests.length, 0)
    const claims = (options: object): readonly SandboxGuarantee[] => [...e2bBackend({ clock: systemClock, ...options }).enforces]
    assert.ok(claims({ apiKey: 'e2b_0' }).includes('network'))
    assert.deepEqual(claims({ debug: true }), [])
    assert.deepEqual(claims({ apiUrl: 'https://cube.example', enforces: ['memory', 'network'] }), ['memory', 'network'])
    assert.throws(() => e2bBackend({ clock: systemClock, lifetimeMs: 1 }), fails('CONFIG_INVALID', /lifetimeMs/))
  })
})
