/** Code that does its worst, through the tools of a whole session: each call has one result in its time, and the next one works. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { callId, type JsonObject, Registry, Session, type ToolResult } from '@adjutant/core'
import { scriptedApprover, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { CodeBench, skip } from '../../test/code-tools.ts'
import type { CodeTools } from './create-code-tools.ts'

let bench: CodeBench
let root = ''
before(async () => {
  bench = await CodeBench.open()
  root = await mkdtemp(join(tmpdir(), 'adjutant-bad-'))
})
after(async () => {
  await bench.close()
  await rm(root, { recursive: true, force: true })
})

class Desk {
  readonly session: Session
  #count = 0

  constructor(code: CodeTools) {
    const registry = new Registry()
    registry.add(code.tools, 'built-in')
    this.session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: root,
      mode: 'allow',
      loopGuard: false,
      approver: scriptedApprover(() => assert.fail('nobody is to be asked')),
      asker: { ask: () => Promise.reject(new Error('nobody is there')) },
    })
  }

  async call(name: string, value: JsonObject): Promise<ToolResult> {
    const [result] = await this.session.execute([
      { id: callId(`call_${++this.#count}`), index: 0, name, arguments: { ok: true, value }, idFromProvider: true },
    ])
    assert.ok(result !== undefined)
    return result
  }

  bash(command: string, more: JsonObject = {}): Promise<ToolResult> {
    return this.call('bash', { command, ...more })
  }
}

/** Processes of this machine, in whatever box, whose command line has this word in it. */
async function processesWith(word: string): Promise<readonly string[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const lines = await Promise.all(names.map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(word))
}

describe('output', { skip }, () => {
  let desk: Desk
  before(() => {
    desk = new Desk(bench.code)
  })
  after(() => desk.session.close())

  it('of a gigabyte is ended, its beginning kept, and the model told what to do', async () => {
    const flood = await desk.bash('echo begun; head -c 1000000000 /dev/zero | tr "\\0" "x"')
    assert.equal(flood.isError, true)
    assert.match(flood.text, /begun\nxxx/)
    assert.match(flood.text, /\[ended: it printed more than is kept: write to a file and look at parts of it\]/)
    assert.ok(flood.text.length <= 16_200)
    assert.ok((flood.spill?.bytes ?? 0) > 1_000_000 && (flood.spill?.bytes ?? 0) <= 11_000_000)
    const lines = await desk.call('python', { code: 'while True: print("line of the flood")' })
    assert.match(lines.text, /\[ended: it printed more than is kept/)
    assert.equal((await desk.bash('echo next')).text.split('\n')[0], 'next')
  })

  it('without a line end is whole', async () => {
    assert.equal((await desk.bash('printf "no end"')).text, 'no end')
    const { text } = await desk.bash('head -c 3000000 /dev/zero | tr "\\0" y; printf "the end"')
    assert.match(text, /^y{1000}/)
    assert.match(text, /y{1000}the end$/)
  })

  it('that is no text is text for a model all the same, and harms nothing', async () => {
    const random = await desk.bash('head -c 200000 /dev/urandom')
    assert.equal(random.outcome, 'ok')
    assert.ok(random.text.isWellFormed())
    assert.ok(random.text.length <= 16_200)
    assert.doesNotMatch(random.text, /\p{Cc}(?<![\n\r\t])/u)
    const utf16 = await desk.call('python', {
      code: 'import sys; sys.stdout.buffer.write("hällo\\n".encode("utf-16")); sys.stdout.flush()',
    })
    assert.equal(utf16.outcome, 'ok')
    assert.equal((await desk.bash('printf "\\033]0;title\\007\\033[2Jseen\\n"')).text, 'seen')
  })
})

describe('programs that do not behave', { skip }, () => {
  let desk: Desk
  before(() => {
    desk = new Desk(bench.make())
  })
  after(() => desk.session.close())

  it('get no input, also where stdin is closed', async () => {
    const closed = await desk.bash('exec 0<&-; cat; python3 -c "import sys; print(sys.stdin)"; echo after')
    assert.match(closed.text, /after$/)
    assert.equal((await desk.bash('cat; echo "empty: $?"')).text.split('\n')[0], 'empty: 0')
    assert.equal((await desk.bash('(exec >&- 2>&-; echo nobody hears this)')).isError, true)
    assert.match((await desk.bash('echo heard')).text, /^heard/)
  })

  it('are ended although they ignore that they are asked to', async () => {
    const word = `adjutant-deaf-${process.pid}`
    const late = await desk.bash(`trap "" TERM INT HUP; bash -c 'trap "" TERM INT HUP; exec -a ${word} sleep 1000'`, { timeout_ms: 500 })
    assert.match(late.text, /\[ended after 500 ms/)
    assert.deepEqual(await processesWith(word), [])
    const job = await desk.bash(`trap "" TERM; echo up; exec -a ${word} sleep 1000`, { background: true })
    const handle = /Started (job_\S+) in/.exec(job.text)?.[1] ?? ''
    assert.match((await desk.call('background_jobs', { action: 'stop', job: handle })).text, / {2}stopped {2}/)
    assert.deepEqual(await processesWith(`${word}\0`), [])
  })

  it('are ended with the session although they left their group and their parents', async () => {
    const word = `adjutant-away-${process.pid}`
    const own = new Desk(bench.make())
    const fork = [
      'import os, time',
      'for _ in range(2):',
      '  if os.fork(): os._exit(0)',
      '  os.setsid()',
      `os.execvp("sleep", ["${word}", "1000"])`,
    ].join('\n')
    await own.bash(`python3 -c '${fork}'; until pgrep -f '^${word} ' >/dev/null; do sleep 0.01; done`)
    assert.equal((await processesWith(`${word}\0`)).length, 1)
    await own.session.close()
    assert.deepEqual(await processesWith(`${word}\0`), [])
  })

  it('take nothing of the session with them: forks, memory, files without number', async () => {
    const of = bench.make({ limits: { memoryMB: 128, processes: 32, files: 200, diskMB: 16 } })
    const small = new Desk(of)
    const bombs: readonly (readonly [string, JsonObject])[] = [
      ['bash', { command: ':(){ :|:& };:; sleep 1000', timeout_ms: 1_000 }],
      ['python', { code: 'x = []\nwhile True: x.append(bytearray(1 << 20))' }],
      ['bash', { command: '(for n in $(seq 5000); do echo x > f$n || exit 9; done)', timeout_ms: 5_000 }],
      ['bash', { command: 'head -c 100000000 /dev/zero > big', timeout_ms: 5_000 }],
      ['javascript', { code: 'const x = []; for (;;) x.push(new Array(100000).fill(1))' }],
      ['javascript', { code: 'for (;;);', timeout_ms: 300 }],
    ]
    for (const [name, input] of bombs) {
      const result = await small.call(name, input)
      assert.equal(result.isError, true, `${name} ${JSON.stringify(input)}: ${result.text.slice(0, 200)}`)
    }
    await small.session.close()
    assert.equal(of.openBoxes, 0)
    const again = new Desk(of)
    assert.equal((await again.bash('echo on')).text, 'on')
    await again.session.close()
  })
})

describe('a workspace of the host', { skip }, () => {
  it('that disappears is said, and what comes after works or says why not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-gone-'))
    await chmod(folder, 0o777)
    await writeFile(join(folder, 'given.txt'), 'given')
    const desk = new Desk(bench.make({ workspace: folder }))
    assert.match((await desk.bash('cat given.txt')).text, /^given/)
    await rm(folder, { recursive: true, force: true })
    for (const [name, input] of [
      ['bash', { command: 'cat given.txt' }],
      ['bash', { command: 'echo x > new.txt' }],
      ['python', { code: 'open("new.txt", "w").write("x")' }],
    ] as const) {
      const result = await desk.call(name, input)
      assert.equal(result.isError, true, result.text)
      assert.match(result.text, /No such file|not exist|cannot|gone/i)
    }
    assert.match((await desk.bash('echo still here')).text, /still here/)
    await desk.session.close()
    await rm(folder, { recursive: true, force: true })
  })
})

describe('a call that is stopped', { skip }, () => {
  it('at any moment leaves nothing that runs, and the next one works', async () => {
    const word = `adjutant-stop-${process.pid}`
    const of = bench.make()
    await bench.call('bash', { command: 'echo warm' }, { of })
    const call = fc.constantFrom<readonly [string, JsonObject]>(
      ['bash', { command: `exec -a ${word} sleep 1000` }],
      ['bash', { command: `echo x > f; (exec -a ${word} sleep 1000)`, background: true }],
      ['python', { code: `import os; print(1, flush=True); os.execvp("sleep", ["${word}", "1000"])` }],
      ['javascript', { code: 'console.log(1); for (;;);' }],
      ['background_jobs', {}],
    )
    await fc.assert(
      fc.asyncProperty(call, fc.oneof(fc.nat(3), fc.nat(60)), async ([name, input], turns) => {
        const stop = new AbortController()
        await using cx = await testContext({ signal: stop.signal })
        const running = bench.call(name, input, { of, cx }).then(
          () => 'ran',
          (error: unknown) => (error === stop.signal.reason || (error instanceof Error && 'code' in error) ? 'stopped' : String(error)),
        )
        for (let turn = 0; turn < turns; turn += 1) await new Promise((next) => setImmediate(next))
        stop.abort()
        assert.ok(['ran', 'stopped'].includes(await running), await running)
        assert.match((await bench.call('bash', { command: 'echo next' }, { of })).text, /^next/)
      }),
      { numRuns: 30 },
    )
    await of.close()
    assert.equal(of.openBoxes, 0)
    assert.deepEqual(await processesWith(`${word}\0`), [])
  })
})
