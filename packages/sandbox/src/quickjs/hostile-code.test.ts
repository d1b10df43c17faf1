import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import type { SandboxLimits, SandboxReport } from '@adjutant/core/contract'
import fc from 'fast-check'
import { hostFunction } from '../wasm/host-grants.ts'
import { quickJsBackend } from './quickjs-backend.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

describe('hostile JavaScript', () => {
  const backend = quickJsBackend({
    clock: systemClock,
    pool: 2,
    grants: { echo: hostFunction(['json'], (value) => value), fail: hostFunction([], () => Promise.reject(new Error('planned'))) },
  })
  after(() => backend[Symbol.asyncDispose]())

  async function run(code: string, limits: Partial<SandboxLimits> = {}): Promise<SandboxReport> {
    await using box = await backend.open({ limits: { wallMs: 20_000, cpuMs: 100, memoryMB: 48, outputBytes: 100_000, ...limits } })
    return await box.run({ lang: 'js', code })
  }

  const endless: Readonly<Record<string, string>> = {
    'a loop': 'while (true) {}',
    'a loop that catches everything': 'for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }',
    'a loop in a job': 'Promise.resolve().then(() => { while (true) {} }); await new Promise(() => {})',
    'jobs that make jobs': 'const again = () => Promise.resolve().then(again); again()',
    'an async loop': '(async () => { for (;;) await null })()',
    'a regular expression that goes back and forth': '/^(a+)+$/.test("a".repeat(40) + "b")',
    'an endless generator': 'function* f() { for (;;) yield 1 } for (const x of f()) {}',
    'a generator that is spread': 'const f = function* () { for (;;) yield }; Math.max(...f())',
    'a getter': 'const x = { get y() { for (;;) {} } }; x.y',
    'a proxy of itself': 'const p = new Proxy({}, { get: (t, k, r) => { for (;;) Reflect.get(t, k, r) } }); p.x',
    'a sort that never agrees': 'const a = Array.from({ length: 1e5 }, (_, i) => i); for (;;) a.sort(() => 1)',
    'toString of what is printed': 'console.log("%d", { valueOf() { for (;;) {} } })',
    'toJSON of what is sent': 'await host.echo({ toJSON() { for (;;) {} } })',
    'numbers without end': 'const n = 7n ** 100000n; for (;;) n * n',
  }
  for (const [name, code] of Object.entries(endless)) {
    it(`is ended: ${name}`, async () => {
      const report = await run(code)
      assert.ok(report.limit === 'cpu' || report.limit === 'memory', `${report.limit} ${text(report.stderr)}`)
      assert.equal(report.exitCode, undefined)
    })
  }

  it('is ended by the clock when it only waits', async () => {
    for (const code of [
      'setInterval(() => {}, 1)',
      'setTimeout(() => {}, 1e9)',
      'await host.echo(await new Promise((r) => setTimeout(r, 1e8)))',
    ]) {
      const report = await run(code, { wallMs: 100, cpuMs: 20_000 })
      assert.deepEqual([report.limit, report.timedOut, report.exitCode], ['wall', true, undefined])
    }
  })

  const bombs: Readonly<Record<string, string>> = {
    'typed arrays': 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))',
    strings: 'let s = "x".repeat(1e6); const a = []; for (;;) a.push((s += s.slice(0, 1e6)) + a.length)',
    objects: 'const a = []; for (;;) a.push({ a: { b: a.length } })',
    'a huge array that is filled': 'const a = new Array(1e9).fill(0)',
    maps: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])',
    closures: 'let f = () => 0; for (;;) { const g = f; f = () => g }',
    promises: 'const a = []; for (;;) a.push(new Promise(() => {}))',
    'growing buffers': 'const a = []; for (;;) a.push(new ArrayBuffer(1e6))',
    'what catches that there is no memory': 'const a = []; for (;;) { try { for (;;) a.push(new Uint8Array(1e6)) } catch {} }',
  }
  for (const [name, code] of Object.entries(bombs)) {
    it(`stays within its memory: ${name}`, async () => {
      const report = await run(code, { cpuMs: 15_000 })
      const said = text(report.stderr)
      // Either the box's limit ended it, or the engine refused by itself to make one thing of that size.
      assert.ok((report.limit === 'memory' && report.oom) || /out of memory|Invalid|invalid|too long/.test(said), `${report.limit} ${said}`)
      assert.ok((report.usage.memoryMB ?? 0) <= 48)
    })
  }

  it('fails on depth as an error of its own', async () => {
    for (const code of [
      '(function f() { f() })()',
      'const f = () => [1].map(f); f()',
      'JSON.parse("[".repeat(1e6))',
      'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)',
      'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x',
      'eval("(".repeat(1e5))',
      'new RegExp("(".repeat(1e5) + ")".repeat(1e5))',
      'const e = { get x() { return this.x } }; e.x',
    ]) {
      const report = await run(code, { cpuMs: 15_000 })
      assert.equal(report.exitCode, 1, code)
      assert.match(text(report.stderr), /stack overflow|Maximum|out of memory|SyntaxError|InternalError/, code)
    }
  })

  it('cannot flood the host', async () => {
    for (const code of [
      'for (;;) console.log("x".repeat(1000))',
      'for (;;) console.error("y")',
      'console.log("x".repeat(2e7))',
      'for (;;) console.log("\\0\\0")',
      'console.log(Array.from({ length: 1e5 }, (_, i) => "z".repeat(1000)))',
    ]) {
      const report = await run(code, { memoryMB: 256, cpuMs: 15_000 })
      assert.ok(report.stdout.byteLength + report.stderr.byteLength <= 100_100, code)
      if (report.limit !== 'output') assert.match(code, /Array/)
      else assert.equal(report.truncated, true)
    }
  })

  it('cannot fill the host with what it hands over', async () => {
    const before = process.memoryUsage.rss()
    const bounds = { wallMs: 1_200, cpuMs: 20_000, memoryMB: 128, diskMB: 32 }
    const calls = await run('for (;;) host.echo("x".repeat(1e6)).catch(() => {})', bounds)
    assert.ok(calls.limit === 'wall' || calls.limit === 'memory', calls.limit)
    const files = await run('for (;;) { files.write("a", new Uint8Array(2e7)); await new Promise((r) => setTimeout(r, 1)) }', bounds)
    assert.equal(files.limit, 'wall')
    const grown = (process.memoryUsage.rss() - before) / 1_048_576
    assert.ok(grown < 600, `${grown} MB more`)
  })

  it('is held to a bounded number of timers and of calls at once', async () => {
    assert.match(text((await run('for (;;) setTimeout(() => {}, 1e6)')).stderr), /more than 1000 timers/)
    const many = await run('await Promise.all(Array.from({ length: 500 }, () => host.echo(1)))')
    assert.ok(many.exitCode === 0 || /at once/.test(text(many.stderr)))
    assert.match(text((await run('await host.echo("x".repeat(2e6))')).stderr), /longer than/)
  })

  /** Each looks for something of the host and says what it is when it finds it. */
  const searches: Readonly<Record<string, string>> = {
    globals:
      'for (const n of ["process","require","fetch","module","Buffer","std","os","WebAssembly","Worker","navigator","global","__dirname","XMLHttpRequest","Atomics"]) if (typeof globalThis[n] !== "undefined") found(n)',
    'functions made of text':
      'for (const f of [console.log, host.echo, files.read, setTimeout, (async () => {}), (function* () {}), (async function* () {})]) { const t = f.constructor("return typeof process + typeof require + typeof fetch")(); if (/object|function/.test(typeof t === "string" ? t : "")) found(t) }',
    'constructor of constructor':
      'for (const v of [host, host.echo, files, env, console, input, performance, Promise, Symbol.iterator, 1n]) { try { const g = v.constructor.constructor("return this")(); if (g !== globalThis || typeof g.process !== "undefined") found("scope") } catch (e) { if (!(e instanceof TypeError)) throw e } }',
    'stack traces':
      'Error.prepareStackTrace = (e, frames) => { found("frames"); return frames }; Error.stackTraceLimit = 100; try { null.x } catch (e) { if (/node:|file:|\\/work|worker/.test(String(e.stack))) found(e.stack) } try { files.read("../x") } catch (e) { if (/node:|file:|\\/work|worker/.test(String(e.stack))) found(e.stack) } await host.fail().catch((e) => { if (/node:|file:|\\/work|worker/.test(String(e.stack) + e.message)) found(e.stack); if (e.constructor.constructor("return typeof process")() !== "undefined") found("process") })',
    callers:
      'function f() { return f.caller } try { const c = [1].map(f)[0]; if (c) found(String(c)) } catch {} try { const h = { toJSON: function t() { return String(arguments.callee.caller) } }; await host.echo(h) } catch {}',
    'patched builtins':
      'const apply = Reflect.apply; for (const p of [Array.prototype, Map.prototype, Promise.prototype, String.prototype, Function.prototype]) for (const k of Reflect.ownKeys(p)) { const d = Object.getOwnPropertyDescriptor(p, k); if (typeof d.value !== "function" || !d.configurable || k === "constructor") continue; const o = d.value; Object.defineProperty(p, k, { ...d, value: function (...a) { for (let n = -1; n < a.length; n++) { const x = n < 0 ? this : a[n]; if (x && (typeof x === "object" || typeof x === "function") && (x.process || x.require || x.postMessage)) found(String(k)) } return apply(o, this, a) } }) } setTimeout(() => {}, 1); files.list(); await host.echo([1]); await host.fail().catch(() => {}); console.log({ a: 1 })',
    'proxies and symbols in arguments':
      'const spy = (label) => new Proxy(function () {}, { get: (t, k) => { if (typeof k === "string" && /process|require|node/i.test(k)) found(k); return k === Symbol.toPrimitive ? () => "x" : spy(label) }, apply: (t, self, args) => { for (const a of [self, ...args]) if (a && a.process) found("argument"); return spy(label) }, has: () => true, ownKeys: () => [] }); for (const f of [files.read, files.write, setTimeout, host.echo, console.log, TextDecoder.prototype.decode]) { try { await f(spy("x"), spy("y")) } catch {} }',
    modules:
      'for (const n of ["fs", "node:fs", "child_process", "std", "os", "./x.js", "/etc/passwd", "data:text/javascript,1", "file:///etc/passwd"]) { try { await import(n); found(n) } catch {} }',
    'the function behind the prelude':
      'for (const f of [console.log, files.read, setTimeout, host.echo]) { const s = String(f); for (const name of ["out", "parse", "timers"]) { try { if (typeof (0, eval)(name) !== "undefined") found(name) } catch {} } for (const k of Reflect.ownKeys(f)) { const v = f[k]; if (typeof v === "function") found(String(k)) } } if (typeof out !== "undefined" || typeof guestPrelude !== "undefined") found("out")',
    'files of the host':
      'for (const p of ["/etc/passwd", "../../etc/passwd", "/proc/self/environ", "/workspace/../etc/passwd", "file:///etc/passwd", "/workspace/./../../etc/passwd", "\\\\etc\\\\passwd", "C:\\\\x", "/dev/null", "....//etc/passwd", "%2e%2e%2fetc", "/workspace//../x"]) { try { found(p + files.read(p)) } catch (e) { if (typeof e.code !== "string") throw e } if (/^\\//.test(p)) try { files.write(p, "x"); found(p) } catch (e) { if (typeof e.code !== "string") throw e } }',
    'grants that were not given':
      'for (const n of ["constructor", "__proto__", "hasOwnProperty", "toString"]) if (host[n] !== undefined) found(n); try { host.more = () => 1; if (host.more) found("more") } catch {} try { Object.setPrototypeOf(host, { a: 1 }); found("prototype") } catch {}',
    'errors of the host':
      'try { await host.echo(new Proxy({}, { ownKeys() { throw { evil: 1 } } })) } catch (e) { if (e.evil !== 1) found(String(e)) } const e = await host.fail().catch((e) => e); if (Reflect.ownKeys(e).some((k) => !["message", "stack"].includes(k))) found(Reflect.ownKeys(e).join()); if (Object.getPrototypeOf(e) !== Error.prototype || e.cause !== undefined) found("prototype")',
  }
  for (const [name, code] of Object.entries(searches)) {
    it(`finds nothing of the host: ${name}`, async () => {
      const report = await run(`globalThis.found = (what) => { throw new Error("FOUND " + what) }\n${code}\nconsole.info("searched")`, {
        cpuMs: 10_000,
      })
      assert.equal(text(report.stderr), '')
      assert.match(text(report.stdout), /searched\n$/)
    })
  }

  it('never reaches the host and leaves no worker in use, whatever it is made of', async () => {
    const atom = fc.constantFrom(
      'globalThis',
      'this',
      'host',
      'host.echo',
      'files',
      'console.log',
      'files.read',
      'input',
      'env',
      'Promise',
      'Error',
      'new Error("x")',
      '[]',
      '{}',
      'Object',
      'Function',
      'Reflect',
      'Symbol',
      'JSON',
      '(() => {})',
      '(async () => {})',
      '(function* () {})',
      'setTimeout',
      'new Proxy({}, {})',
      '"process"',
      '"require"',
      '/x/',
      '1n',
      'null',
    ) // prettier-ignore
    const member = fc.constantFrom(
      '.constructor',
      '.constructor.constructor',
      '.__proto__',
      '.prototype',
      '["__proto__"].constructor',
      '.process',
      '.require',
      '.fetch',
      '.mainModule',
      '.caller',
      '.call',
      '.apply',
      '.bind',
      '.toString',
      '[Symbol.iterator]',
      '[Symbol.species]',
      '.then',
      '.stack',
      '.valueOf',
      '?.constructor("return this")()',
      '?.("return process")',
      '?.()',
      '?.("process")',
      '?.(globalThis)',
    ) // prettier-ignore
    const expression = fc.tuple(atom, fc.array(member, { maxLength: 5 })).map(([start, rest]) => start + rest.join(''))
    const statement = fc.oneof(
      expression.map((e) => `try { look(${e}) } catch {}`),
      fc.tuple(expression, expression).map(([a, b]) => `try { look((${a})(${b})) } catch {}`),
      fc.tuple(expression, expression).map(([a, b]) => `try { (${a}).x = ${b}; Object.setPrototypeOf(${a}, ${b}) } catch {}`),
      expression.map((e) => `try { look(await ${e}) } catch {}`),
      expression.map((e) => `try { eval('look(' + ${JSON.stringify(e)} + ')') } catch {}`),
      fc.constantFrom(
        'Object.defineProperty(Object.prototype, "code", { get() { look(this) } })',
        'Array.prototype.map = function (f) { look(f); look(this); return [] }',
        'JSON.parse = (x) => look(x)',
        'Promise.prototype.then = function (...a) { a.forEach(look) }',
        'Error.prepareStackTrace = (e, s) => { look(s) }',
        'setTimeout(() => { for (;;) {} }, 1)',
        'Promise.resolve().then(() => { while (true) {} })',
        'globalThis.console = null; globalThis.Map = null; globalThis.Object = null',
        'throw { toString() { throw 1 } }',
        'while (true) {}',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
        const report = await run(
          `const say = console.log; const look = (v, d = 0) => { if (v === null || (typeof v !== "object" && typeof v !== "function") || d > 2) return v
            for (const n of ["process", "require", "fetch", "postMessage", "binding"]) { let f; try { f = v[n] } catch {} if (typeof f === "function" || typeof f === "object" && f !== null) say("ESCAPED " + n) }
            return v }
          ${statements.join('\n')}`,
          { cpuMs: 60 },
        )
        assert.doesNotMatch(text(report.stdout) + text(report.stderr), /ESCAPED|node:|file:\/\//)
      }),
      { numRuns: 40 },
    )
    assert.equal(text((await run('console.log("still there")')).stdout), 'still there\n')
  })
})
