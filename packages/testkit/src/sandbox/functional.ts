/** The functional part: what a box does when nobody attacks it. Each language of the backend is tried; what needs a shell is asked of those with one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  AdjutantError,
  type ErrorCode,
  type Sandbox,
  type SandboxBackend,
  type SandboxLanguage,
  type SandboxReport,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { processesNamed } from './host-processes.ts'
import { GUARANTEES } from './table.ts'

const LANGUAGES: readonly SandboxLanguage[] = ['bash', 'python', 'js', 'sql']
const HELLO: Readonly<Record<SandboxLanguage, string>> = {
  bash: 'echo hello',
  python: 'print("hello")',
  js: 'console.log("hello")',
  sql: "select 'hello' as greeting;",
}
const WRONG: Readonly<Record<SandboxLanguage, string>> = { bash: 'if then fi', python: 'print(', js: 'let let = (', sql: 'selec 1;' }
const ENDLESS: Readonly<Record<SandboxLanguage, string>> = {
  bash: 'echo started; while :; do :; done',
  python: 'print("started", flush=True)\nwhile True: pass',
  js: 'console.log("started"); for (;;) {}',
  sql: 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n;',
}
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const out = (report: SandboxReport): string => decode(report.stdout)
const err = (report: SandboxReport): string => decode(report.stderr)

function fails(...codes: readonly ErrorCode[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(AdjutantError.isInstance(error), `not an AdjutantError: ${String(error)}`)
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`)
    return true
  }
}

/** Whoever promises must not throw instead: nobody catches that. */
function promised<T>(call: () => Promise<T>): Promise<T> {
  try {
    return call()
  } catch (error) {
    return assert.fail(`threw instead of rejecting: ${String(error)}`)
  }
}

export function functionalPart(name: string, open: () => Promise<SandboxBackend>, spec: SandboxSpec, timeout: number): void {
  describe(`${name} runs code`, () => {
    let backend: SandboxBackend
    before(async () => {
      backend = await open()
      const probe = await backend.probe()
      assert.ok(probe.ok, `${name} does not work here: ${probe.detail}`)
    })
    after(() => backend?.[Symbol.asyncDispose]())

    /** A test with a fresh box; skipped when the backend lacks the language. */
    const test = (title: string, needs: readonly SandboxLanguage[], body: (box: Sandbox, context: TestContext) => Promise<void>): void => {
      it(title, { timeout }, async (context) => {
        const missing = needs.filter((lang) => !backend.languages.has(lang))
        if (missing.length > 0) return context.skip(`no ${missing.join(', ')}`)
        await using box = await backend.open(spec)
        await body(box, context)
      })
    }

    it('gives the same answer to every probe, and its boxes enforce no less', { timeout }, async () => {
      assert.deepEqual(await backend.probe(), await backend.probe())
      await using box = await backend.open(spec)
      assert.equal(box.backend, backend.name)
      for (const guarantee of backend.enforces) assert.ok(box.enforces.has(guarantee), guarantee)
    })

    for (const lang of LANGUAGES) {
      test(`says hello in ${lang}, and tells a program that is wrong`, [lang], async (box) => {
        const report = await box.run({ lang, code: HELLO[lang] })
        assert.match(out(report), /hello/)
        assert.deepEqual(
          [report.exitCode, report.signal, report.timedOut, report.oom, report.limit, report.truncated],
          [0, undefined, false, false, undefined, false],
        )
        assert.equal(report.backend, backend.name)
        assert.ok(report.durationMs >= 0)
        const wrong = await box.run({ lang, code: WRONG[lang] })
        assert.notEqual(wrong.exitCode, 0)
        assert.ok(wrong.stderr.length > 0, 'what is wrong is said on stderr')
        assert.match(out(await box.run({ lang, code: HELLO[lang] })), /hello/)
      })

      test(`takes empty, long and strange programs in ${lang}`, [lang], async (box) => {
        const remark = { bash: '# ', python: '# ', js: '// ', sql: '-- ' }[lang]
        for (const code of [
          '',
          '\n\n',
          `${remark}${'x'.repeat(100_000)}\n${HELLO[lang]}`,
          `${remark}图 🧭 '"\`\\ $(false)\n${HELLO[lang]}`,
        ]) {
          const report = await box.run({ lang, code })
          assert.equal(report.exitCode, 0, decode(report.stderr).slice(0, 300))
          if (code.includes('hello')) assert.match(out(report), /hello/)
        }
      })

      test(`can be stopped in ${lang}, before and in the middle, and goes on`, [lang], async (box) => {
        await assert.rejects(box.run({ lang, code: HELLO[lang], signal: AbortSignal.abort() }), fails('CANCELLED'))
        const stop = new AbortController()
        const running = box.run({ lang, code: ENDLESS[lang], signal: stop.signal, output: () => stop.abort() })
        // SQL says nothing before it ends.
        if (lang === 'sql') setImmediate(() => stop.abort())
        await assert.rejects(running, fails('CANCELLED'))
        assert.match(out(await box.run({ lang, code: HELLO[lang] })), /hello/)
      })
    }

    test('refuses a language that it does not have', [], async (box, context) => {
      const lacking = LANGUAGES.find((lang) => !backend.languages.has(lang))
      if (lacking === undefined) return context.skip('it has them all')
      await assert.rejects(box.run({ lang: lacking, code: '' }), fails('UNSUPPORTED'))
    })

    it('refuses a spec that needs what it does not enforce', { timeout }, async (context) => {
      const lacking = GUARANTEES.find((guarantee) => !backend.enforces.has(guarantee))
      if (lacking === undefined) return context.skip('it enforces everything')
      await assert.rejects(backend.open({ ...spec, requires: [lacking] }), fails('SANDBOX_TOO_WEAK'))
    })

    test('gives exit codes and signals as they are', ['bash'], async (box) => {
      for (const code of [0, 1, 3, 126, 127, 255]) assert.equal((await box.run({ lang: 'bash', code: `exit ${code}` })).exitCode, code)
      const killed = await box.run({ lang: 'bash', code: 'kill -KILL $$' })
      assert.ok(killed.signal === 'SIGKILL' || killed.exitCode === 137, JSON.stringify([killed.signal, killed.exitCode]))
    })

    test('keeps stdout and stderr apart, with every byte', ['bash', 'python'], async (box) => {
      const bytes = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 7 + (index >> 8)) & 255)
      const echo = await box.run({ lang: 'python', code: 'import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())', stdin: bytes })
      assert.ok(Buffer.from(echo.stdout).equals(bytes), `${echo.stdout.length} bytes came back`)
      const both = await box.run({ lang: 'bash', code: 'printf out; printf err >&2' })
      assert.deepEqual([out(both), decode(both.stderr)], ['out', 'err'])
    })

    test('gives stdin, and an end of it where there is none', ['bash'], async (box) => {
      assert.equal(out(await box.run({ lang: 'bash', code: 'cat; echo "-$?"', stdin: 'in\n' })), 'in\n-0\n')
      assert.equal(out(await box.run({ lang: 'bash', code: 'cat; echo "-$?"' })), '-0\n')
      const unread = await box.run({ lang: 'bash', code: 'exit 4', stdin: new Uint8Array(1 << 20) })
      assert.equal(unread.exitCode, 4)
    })

    test('gives output as it comes, the same as the report', ['bash'], async (box) => {
      const pieces: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] }
      const report = await box.run({
        lang: 'bash',
        code: 'for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done',
        output: (stream, bytes) => pieces[stream].push(bytes.slice()),
      })
      assert.equal(decode(Buffer.concat(pieces.stdout)), out(report))
      assert.equal(decode(Buffer.concat(pieces.stderr)), 'err 1\nerr 2\nerr 3\n')
    })

    test('sees the environment that was given and no other, in its folder', ['bash'], async () => {
      await using box = await backend.open({ ...spec, env: { ...spec.env, GIVEN: 'a b\n"c"' } })
      const report = await box.run({ lang: 'bash', code: 'printf "%s|%s|%s" "$GIVEN" "$RUN" "$PWD"', env: { RUN: 'yes' } })
      const home = box.workspace ?? '/workspace'
      assert.equal(out(report), `a b\n"c"|yes|${home}`)
      const names = out(await box.run({ lang: 'bash', code: 'compgen -e' })).split('\n')
      const own = new Set(Object.keys(process.env).filter((key) => /^(npm_|NODE_|GIT_|SSH_|AWS_|ADJUTANT_)/.test(key)))
      assert.deepEqual(
        names.filter((variable) => own.has(variable)),
        [],
      )
      await box.run({ lang: 'bash', code: 'mkdir -p sub/folder' })
      assert.equal(out(await box.run({ lang: 'bash', code: 'pwd', cwd: '/workspace/sub/folder' })), `${home}/sub/folder\n`)
    })

    test('has room for what programs keep for later, which is not in its workspace', ['bash'], async (box) => {
      const code = `cache="\${XDG_CACHE_HOME:-$HOME/.cache}"; mkdir -p "$cache/kept" "$1/kept" && cd "$cache" && pwd -P`
      const report = await box.run({ lang: 'bash', code: `set -- ${box.temporary ?? '/tmp'}; ${code}` })
      assert.equal(report.exitCode, 0, err(report))
      assert.ok(!out(report).startsWith(`${box.workspace ?? '/workspace'}/`), out(report))
      assert.deepEqual(await box.list(), [])
    })

    test('keeps variables and the folder in a session, and only there', ['bash'], async (box) => {
      await box.run({ lang: 'bash', code: 'X=kept; mkdir -p here; cd here', session: true })
      const next = await box.run({ lang: 'bash', code: 'echo "$X $PWD"', session: true })
      assert.equal(out(next), `kept ${box.workspace ?? '/workspace'}/here\n`)
      assert.equal(next.mode, 'session')
      assert.equal(out(await box.run({ lang: 'bash', code: '[ -v X ] && echo "$X" || echo none' })), 'none\n')
      assert.equal((await box.run({ lang: 'bash', code: 'exit 3', session: true })).exitCode, 3)
      assert.equal((await box.run({ lang: 'bash', code: 'echo on', session: true })).exitCode, 0)
    })

    test('is silenced by no run of a session for the next one', ['bash'], async (box) => {
      const shell = (code: string): Promise<SandboxReport> => box.run({ lang: 'bash', code, session: true })
      const silencing = ['exec >said 2>&1; echo a; echo b >&2', 'exec >&- 2>&-', 'exec 1</dev/null', 'exec 2>&1 >/dev/null; exec 0>&-']
      for (const code of [...silencing, 'exec >said; ! :', `exec >said 2>said; # ${'x'.repeat(200_000)}`]) {
        await shell(`kept=${code.length}; ${code}`)
        const next = await shell('echo "$kept"; echo err >&2; cat')
        assert.deepEqual(
          [out(next), err(next), next.exitCode, next.stateLost],
          [`${code.length}\n`, 'err\n', 0, undefined],
          code.slice(0, 80),
        )
      }
      assert.equal(out(await shell('cat said')), '')
    })

    test('tells when a run of a session has taken what its shell speaks by, and goes on', ['bash'], async (box) => {
      const shell = (code: string): Promise<SandboxReport> => box.run({ lang: 'bash', code, session: true, limits: { wallMs: 20_000 } })
      await shell('kept=1')
      const thief = 'for fd in {3..255}; do eval "exec $fd>&-"; done; echo gone'
      const before = await shell(thief).then(
        (report) => report.stateLost === true,
        () => true,
      )
      const next = await shell('echo "[$kept]"; echo err >&2')
      assert.deepEqual([out(next), err(next), next.exitCode], [before || next.stateLost === true ? '[]\n' : '[1]\n', 'err\n', 0])
    })

    test('keeps variables of Python in a session', ['python'], async (box) => {
      await box.run({ lang: 'python', code: 'x = 41', session: true })
      assert.equal(out(await box.run({ lang: 'python', code: 'print(x + 1)', session: true })), '42\n')
    })

    test('takes files in and gives files out', [], async (box) => {
      const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index & 255)
      await box.writeFile('in/deep/data.bin', bytes)
      assert.ok(Buffer.from(await box.readFile('in/deep/data.bin')).equals(bytes))
      await box.writeFile('in/deep/data.bin', encode('replaced'))
      assert.equal(decode(await box.readFile('in/deep/data.bin')), 'replaced')
      const found = (await box.list('in/deep')).find((entry) => entry.path === 'in/deep/data.bin')
      assert.deepEqual([found?.type, found?.bytes], ['file', 8])
      assert.ok((await box.list()).some((entry) => entry.path === 'in' && entry.type === 'folder'))
      await assert.rejects(box.readFile('nowhere'), fails('NOT_FOUND'))
      await assert.rejects(box.readFile('in/deep/data.bin', { maxBytes: 7 }), fails('TOO_LARGE'))
      for (const path of ['../x', 'in/../../x', '..', 'a\0b', '%2e%2e/x']) {
        await assert.rejects(box.readFile(path), fails('PATH_OUTSIDE_WORKSPACE'), path)
        await assert.rejects(box.writeFile(path, encode('x')), fails('PATH_OUTSIDE_WORKSPACE'), path)
      }
    })

    test('shares its files with the code in it', ['bash'], async (box) => {
      await box.writeFile('in.txt', encode('from the host'))
      const report = await box.run({ lang: 'bash', code: 'cat in.txt; echo more >> in.txt; mkdir out; echo made > out/made.txt' })
      assert.equal(out(report), 'from the host')
      assert.equal(decode(await box.readFile('out/made.txt')), 'made\n')
      assert.equal(decode(await box.readFile('in.txt')), 'from the hostmore\n')
    })

    test('sees files of no other box', ['bash'], async (box) => {
      await using other = await backend.open(spec)
      assert.notEqual(other.id, box.id)
      await Promise.all([box.writeFile('mine', encode('1')), other.writeFile('theirs', encode('2'))])
      const seen = await Promise.all(
        [box, other].map(async (one) => out(await one.run({ lang: 'bash', code: 'ls; ls /tmp; touch /tmp/was-here' }))),
      )
      assert.deepEqual(seen, ['mine\n', 'theirs\n'])
    })

    test('lives on when the code removes everything that it can', ['bash'], async (box) => {
      await box.run({
        lang: 'bash',
        code: 'rm -rf --no-preserve-root / /workspace /workspace/* /workspace/.* 2>/dev/null; mv /workspace /gone; kill -9 -1; true',
      })
      const next = await box.run({ lang: 'bash', code: 'echo hello' }).catch((error: unknown) => assert.ok(fails('SANDBOX_FAILED')(error)))
      if (next !== undefined) assert.match(out(next), /hello/)
    })

    test('ends everything with close, which may come twice and in the middle', ['bash'], async (box) => {
      const word = `adjutant-left-${randomBytes(6).toString('hex')}`
      const code = `(exec -a ${word} setsid sleep 1000 </dev/null >/dev/null 2>&1 &) ; setsid bash -c 'trap "" TERM HUP INT; exec -a ${word} sleep 1000' </dev/null >/dev/null 2>&1 & echo ok`
      assert.match(out(await box.run({ lang: 'bash', code })), /ok/)
      const running = box.run({ lang: 'bash', code: `exec -a ${word} sleep 1000` }).then(
        () => undefined,
        (error: unknown) => assert.ok(fails('CANCELLED', 'SANDBOX_FAILED')(error)),
      )
      await box.close()
      await running
      await box.close()
      assert.deepEqual(processesNamed(word), [])
      const calls = [
        () => box.run({ lang: 'bash', code: 'echo hello' }),
        () => box.readFile('x'),
        () => box.writeFile('x', encode('x')),
        () => box.list(),
      ]
      for (const call of calls) await assert.rejects(promised<unknown>(call), AdjutantError.isInstance)
    })
  })
}
