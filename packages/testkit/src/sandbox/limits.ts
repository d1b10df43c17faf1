/**
 * The limits part: each limit is reached, the report names it (or says nothing, where nobody can know), never another, and afterwards the box
 * or a new one works. Boxes here are small, so that what goes beyond a limit does so quickly and by little.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  AdjutantError,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxLimitName,
  type SandboxLimits,
  type SandboxReport,
  type SandboxSpec,
} from '@adjutant/core/contract'

const SMALL: SandboxLimits = { wallMs: 20_000, cpuMs: 10_000, memoryMB: 128, processes: 24, diskMB: 16, files: 300, outputBytes: 1_048_576 }

interface Trial {
  readonly limit: SandboxLimitName
  readonly title: string
  readonly lang: SandboxLanguage
  /** Absent: every backend holds it. */
  readonly guarantee?: SandboxGuarantee
  readonly limits: Partial<SandboxLimits>
  readonly code: string
  readonly check: (report: SandboxReport) => void
}

const out = (report: SandboxReport): string => new TextDecoder('latin1').decode(report.stdout)
const got = (report: SandboxReport): number => Number(/got (\d{1,15})\s*$/.exec(out(report))?.[1] ?? 0)

/** What only the code itself sees fail may stay unnamed, but must not be named wrongly. */
function namedOrSilent(report: SandboxReport, limit: SandboxLimitName): void {
  assert.ok(report.limit === undefined || report.limit === limit, `named ${report.limit}`)
}

function timed(report: SandboxReport): void {
  assert.equal(report.limit, 'wall')
  assert.equal(report.timedOut, true)
  assert.notEqual(report.exitCode, 0)
}

/** A program that computes meets whichever clock comes first; what counts is that one of them is named. */
function outOfTime(report: SandboxReport): void {
  assert.ok(report.limit === 'cpu' || report.limit === 'wall', `named ${report.limit}`)
  if (report.limit === 'wall') assert.equal(report.timedOut, true)
}

function outOfMemory(report: SandboxReport): void {
  assert.ok(report.oom, 'says so')
  assert.equal(report.limit, 'memory')
  assert.ok(!out(report).includes('all of it'))
}

function flooded(report: SandboxReport): void {
  assert.equal(report.limit, 'output')
  assert.equal(report.truncated, true)
  const kept = report.stdout.length + report.stderr.length
  assert.ok(kept > 0 && kept <= 100_000, `${kept} bytes were kept`)
}

const TRIALS: readonly Trial[] = [
  {
    limit: 'wall',
    title: 'a sleeper',
    lang: 'bash',
    limits: { wallMs: 400 },
    code: 'echo before; sleep 1000',
    check: (report) => {
      timed(report)
      assert.match(out(report), /before/)
    },
  },
  {
    limit: 'wall',
    title: 'a program that listens to no signal',
    lang: 'bash',
    limits: { wallMs: 400 },
    code: `trap '' TERM INT HUP QUIT; while :; do read -t 1 < <(:); done`,
    check: timed,
  },
  {
    limit: 'wall',
    title: 'a daemon that keeps the output open',
    lang: 'bash',
    limits: { wallMs: 1_500 },
    code: 'setsid sleep 1000 & disown; exit 0',
    check: (report) => namedOrSilent(report, 'wall'),
  },
  {
    limit: 'wall',
    title: 'a sleeper in Python',
    lang: 'python',
    limits: { wallMs: 600 },
    code: 'import time\ntime.sleep(1000)',
    check: timed,
  },
  {
    limit: 'cpu',
    title: 'a loop in Python',
    lang: 'python',
    guarantee: 'cpu',
    limits: { cpuMs: 1_000 },
    code: 'while True: pass',
    check: (report) => assert.equal(report.limit, 'cpu'),
  },
  {
    limit: 'cpu',
    title: 'a loop in JavaScript',
    lang: 'js',
    limits: { cpuMs: 1_000, wallMs: 5_000 },
    code: 'for (;;) {}',
    check: outOfTime,
  },
  {
    limit: 'cpu',
    title: 'a query without end',
    lang: 'sql',
    limits: { cpuMs: 1_000, wallMs: 5_000 },
    code: 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n;',
    check: outOfTime,
  },
  {
    limit: 'memory',
    title: 'one large object',
    lang: 'python',
    guarantee: 'memory',
    limits: {},
    code: `kept = []\nfor i in range(64):\n    kept.append(b"x" * (4 << 20))\nprint("all of it")`,
    check: (report) => assert.ok(!out(report).includes('all of it')),
  },
  {
    limit: 'memory',
    title: 'large objects in several processes',
    lang: 'bash',
    guarantee: 'memory',
    limits: {},
    code: `x=$(printf '%01048576d' 0); for i in 1 2 3 4 5 6; do x="$x$x"; done; for i in 1 2 3 4; do (y="$x$x"; echo "all of it") & done; wait`,
    check: (report) => assert.ok(out(report).split('all of it').length < 5, 'all of them fitted'),
  },
  {
    limit: 'memory',
    title: 'buffers in JavaScript',
    lang: 'js',
    guarantee: 'memory',
    limits: {},
    code: `const kept = []; for (let i = 0; i < 96; i += 1) kept.push(new Uint8Array(4 << 20).fill(1)); console.log('all of it')`,
    check: (report) => assert.ok(!out(report).includes('all of it')),
  },
  {
    limit: 'processes',
    title: 'children that wait',
    lang: 'python',
    guarantee: 'process-count',
    limits: {},
    code: `import os
hold, release = os.pipe()
children = 0
try:
    for _ in range(72):
        if os.fork() == 0:
            os.close(release)
            os.read(hold, 1)
            os._exit(0)
        children += 1
except OSError:
    pass
print("got", children)`,
    check: (report) => {
      assert.ok(got(report) <= SMALL.processes, `${got(report)} children`)
      namedOrSilent(report, 'processes')
    },
  },
  {
    limit: 'disk',
    title: 'one file',
    lang: 'bash',
    guarantee: 'disk',
    limits: {},
    code: 'for i in {1..32}; do printf "%01048576d" 0 >> big || break; done; echo "got $(( $(stat -c %s big) >> 20 ))"',
    check: (report) => {
      assert.ok(got(report) <= SMALL.diskMB * 1.5, `${got(report)} MiB`)
      namedOrSilent(report, 'disk')
    },
  },
  {
    limit: 'files',
    title: 'empty files',
    lang: 'bash',
    guarantee: 'file-count',
    limits: {},
    code: 'n=0; for i in {1..900}; do : > "f$i" || break; n=$i; done; echo "got $n"',
    check: (report) => {
      assert.ok(got(report) <= SMALL.files * 1.5, `${got(report)} files`)
      namedOrSilent(report, 'files')
    },
  },
  {
    limit: 'output',
    title: 'lines without end',
    lang: 'bash',
    limits: { outputBytes: 100_000 },
    code: 'while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done',
    check: flooded,
  },
  {
    limit: 'output',
    title: 'one line without end, on stderr',
    lang: 'python',
    limits: { outputBytes: 100_000 },
    code: 'import sys\nwhile True: sys.stderr.write("x" * 8192)',
    check: flooded,
  },
  {
    limit: 'output',
    title: 'lines of JavaScript without end',
    lang: 'js',
    limits: { outputBytes: 100_000 },
    code: `for (;;) console.log('y'.repeat(100))`,
    check: flooded,
  },
]

const HELLO: Readonly<Record<SandboxLanguage, string>> = {
  bash: 'echo hello',
  python: 'print("hello")',
  js: 'console.log("hello")',
  sql: "select 'hello' as greeting;",
}

export function limitsPart(name: string, open: () => Promise<SandboxBackend>, spec: SandboxSpec, timeout: number): void {
  describe(`${name} holds its limits`, () => {
    let backend: SandboxBackend
    before(async () => {
      backend = await open()
      const probe = await backend.probe()
      assert.ok(probe.ok, `${name} does not work here: ${probe.detail}`)
    })
    after(() => backend?.[Symbol.asyncDispose]())

    for (const trial of TRIALS) {
      it(`${trial.limit}: ${trial.title}`, { timeout }, async (context) => {
        if (!backend.languages.has(trial.lang)) return context.skip(`no-language: ${trial.lang}`)
        if (trial.guarantee !== undefined && !backend.enforces.has(trial.guarantee))
          return context.skip(`declared-absent: ${trial.guarantee}`)
        // A whole Node has to fit.
        const size = trial.lang === 'js' ? { ...SMALL, memoryMB: 256 } : SMALL
        const small = (): Promise<Sandbox> => backend.open({ ...spec, limits: { ...size, ...spec.limits } })
        await using box = await small()
        const { wallMs, cpuMs, outputBytes } = { ...SMALL, ...trial.limits }
        const report = await box.run({ lang: trial.lang, code: trial.code, limits: { wallMs, cpuMs, outputBytes } })
        trial.check(report)
        if (report.oom) outOfMemory(report)
        context.diagnostic(`named ${report.limit ?? 'nothing'}, oom ${report.oom}, exit ${report.exitCode ?? report.signal}`)
        await stillWorks(box, trial.lang, small)
      })
    }
  })
}

/** The same box goes on, or says that it broke, and then a new one does. */
async function stillWorks(box: Sandbox, lang: SandboxLanguage, reopen: () => Promise<Sandbox>): Promise<void> {
  try {
    assert.match(out(await box.run({ lang, code: HELLO[lang] })), /hello/)
  } catch (error) {
    if (!(AdjutantError.isInstance(error) && error.code === 'SANDBOX_FAILED')) throw error
    await using next = await reopen()
    assert.match(out(await next.run({ lang, code: HELLO[lang] })), /hello/)
  }
}
