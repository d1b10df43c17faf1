/** Attempts in JavaScript, on engines with and without an operating system beneath them. */
import { join } from 'node:path'
import { JAVASCRIPT_MEMORY_MB, type SandboxAttempt } from '../attempt.ts'
import { finds, gotMoreThan, javascript, quoted, tokens, wins } from './programs.ts'

const ATTEMPTS: readonly SandboxAttempt[] = [
  {
    id: 'js-read-secret',
    title: 'read a file of the host by a module, reached in any way',
    guarantee: 'filesystem',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `try { console.log(load('fs').readFileSync(${quoted(at.secret.path)}, 'utf8')) } catch (error) { console.log(String(error)) }`,
      ),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'js-import-secret',
    title: 'import a module of the host, or a file of the host as one',
    guarantee: 'filesystem',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `const show = (value) => console.log(String(value));
for (const name of ['node:fs', 'fs', 'std', 'os', 'qjs:std', 'qjs:os', 'bjson']) {
  import(name).then((module) => show((module.readFileSync ?? module.loadFile ?? module.default?.readFileSync)(${quoted(at.secret.path)}, 'utf8'))).catch(show);
}
import(${quoted(at.secret.path)}).then(show).catch(show);`,
      ),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'js-engine-globals',
    title: 'read by globals that engines bring along',
    guarantee: 'filesystem',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `const path = ${quoted(at.secret.path)};
const ways = [() => std.loadFile(path), () => std.open(path, 'r').readAsString(), () => os.open(path), () => read(path), () => load(path), () => readFile(path), () => Deno.readTextFileSync(path), () => Bun.file(path), () => process.binding('fs').readFileUtf8(path, 0)];
for (const way of ways) { try { console.log(String(way())) } catch (error) { console.log(String(error)) } }`,
      ),
    escaped: finds(tokens.secret),
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'js-write-outside',
    title: 'make a file on the host',
    guarantee: 'filesystem',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `try { load('fs').writeFileSync(${quoted(join(at.writable, `js-${at.nonce}`))}, 'x') } catch (error) { console.log(String(error)) }`,
      ),
    escaped: (evidence, at) => evidence.exists(join(at.writable, `js-${at.nonce}`)),
    control: 'user',
  },
  {
    id: 'js-environment',
    title: 'read the environment of the host',
    guarantee: 'environment',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `try { console.log(JSON.stringify(load('process').env)) } catch (error) { console.log(String(error)) }\ntry { console.log(JSON.stringify(process.env)) } catch {}`,
      ),
    escaped: finds(tokens.environment),
    control: 'user',
  },
  {
    id: 'js-run-program',
    title: 'run a program of the host',
    guarantee: 'processes',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `try { console.log(String(load('child_process').execFileSync('/bin/bash', ['-c', 'grep -azh canary-argument /proc/[0-9]*/cmdline; true'], { stdio: ['ignore', 'pipe', 'ignore'] }))) } catch (error) { console.log(String(error)) }`,
      ),
    escaped: finds(tokens.argument),
    control: 'user',
  },
  {
    id: 'js-signal',
    title: 'send a signal to a process of the host',
    guarantee: 'processes',
    lang: 'js',
    code: (at) => javascript(at, `try { load('process').kill(${at.process.pid}, 'SIGUSR1') } catch (error) { console.log(String(error)) }`),
    escaped: ({ signals }) => signals > 0,
    control: 'user',
  },
  {
    id: 'js-loopback',
    title: 'connect to a service of the host',
    guarantee: 'network',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `try { load('net').connect(${at.service.tcpPort}, '127.0.0.1').on('data', (data) => console.log(String(data))).on('error', (error) => console.log(String(error))) } catch (error) { console.log(String(error)) }
try { fetch('http://127.0.0.1:${at.service.tcpPort}/').then(won, (error) => console.log(String(error), String(error.cause))) } catch (error) { console.log(String(error)) }`,
      ),
    escaped: finds(tokens.service),
    control: 'user',
  },
  {
    id: 'js-reach-host-objects',
    title: 'reach objects of the engine that runs the engine',
    guarantee: 'processes',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `const seen = [];
const reach = (value) => { try { const made = value.constructor.constructor('return typeof process === "object" && process.pid')(); if (made) { seen.push(made); won() } } catch {} };
for (const name of Object.getOwnPropertyNames(globalThis)) { try { reach(globalThis[name]); reach(globalThis[name]()) } catch (error) { reach(error) } }
try { null.x } catch (error) { reach(error) }
try { (function deep() { deep() })() } catch (error) { reach(error) }
try { new Proxy({}, { get(_, key) { reach(key); return undefined } }).x } catch {}
Error.prepareStackTrace = (_, frames) => { for (const frame of frames) { try { reach(frame.getThis?.()); reach(frame.getFunction?.()) } catch {} } return '' };
try { new Error('x').stack } catch {}
console.log('seen', seen.length);`,
      ),
    escaped: ({ text, report }, at) =>
      text.includes(`won-${at.nonce}`) && report?.backend !== undefined && !/bubblewrap|container|e2b|landlock/.test(report.backend),
    control: 'user',
  },
  {
    id: 'js-poison',
    title: 'poison the prototypes of whoever reads the result',
    guarantee: 'processes',
    lang: 'js',
    code: (at) =>
      javascript(
        at,
        `try { Object.prototype.polluted${at.nonce} = 'yes'; Array.prototype.push = () => { throw new Error('x') }; globalThis.toString = () => { throw 1 } } catch {}
console.log('{"__proto__": {"polluted${at.nonce}": "yes"}, "then": 1}');`,
      ),
    after: (_, at) => Promise.resolve(Reflect.has({}, `polluted${at.nonce}`) ? `won-${at.nonce}` : ''),
    escaped: wins,
    control: { none: 'a control would poison the process that runs the suite' },
    disturbs: true,
  },
  ...(
    [
      ['buffers', `kept.push(new Uint8Array(8 << 20).fill(1)); got += 8`],
      ['strings', `for (let i = 0; i < 4; i += 1) kept.push(String.fromCharCode(97 + i).repeat(1 << 20).toUpperCase()); got += 4`],
      ['objects', `for (let i = 0; i < 40000; i += 1) kept.push({ a: i, b: [i, i], c: 'x' + i }); got += 8`],
      [
        'wasm',
        `const memory = new WebAssembly.Memory({ initial: 128 }); new Uint8Array(memory.buffer).fill(1); kept.push(memory); got += 8`,
      ],
    ] as const
  ).map(
    ([what, step]): SandboxAttempt => ({
      id: `js-memory-${what}`,
      title: `take twice the memory in ${what === 'wasm' ? 'memory of WebAssembly' : what}`,
      guarantee: 'memory',
      lang: 'js',
      code: (at) =>
        javascript(
          at,
          `const kept = []; let got = 0;\ntry { while (got < ${JAVASCRIPT_MEMORY_MB * 2}) { ${step}; console.log('got ' + got) } } catch (error) { console.log(String(error)) }`,
        ),
      escaped: gotMoreThan(Math.ceil(JAVASCRIPT_MEMORY_MB * 1.5)),
      control: 'weak-box',
      mayBeRefused: true,
      disturbs: true,
    }),
  ),
  ...(
    [
      ['loop', 'for (;;) {}'],
      ['pattern', `/^(?:a+)+$/.test('a'.repeat(60) + 'b')`],
      ['sort', `for (;;) Array.from({ length: 1e5 }, (_, i) => (i * 7919) % 100003).sort()`],
      ['promises', `(function again() { Promise.resolve().then(again) })()`],
    ] as const
  ).map(
    ([what, body]): SandboxAttempt => ({
      id: `js-cpu-${what}`,
      title: `compute without end: ${what}`,
      guarantee: 'cpu',
      lang: 'js',
      code: (at) => javascript(at, body),
      escaped: ({ report }) => report !== undefined && report.limit === undefined && !report.timedOut && report.exitCode === 0,
      control: { none: 'it never ends' },
      disturbs: true,
    }),
  ),
]

export const JAVASCRIPT_ATTEMPTS = ATTEMPTS.map((attempt): SandboxAttempt => ({ ...attempt, limits: { memoryMB: JAVASCRIPT_MEMORY_MB } }))
