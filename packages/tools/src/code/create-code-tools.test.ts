import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { failureOf, loadSkills, randomIds, type Skill, systemClock } from '@adjutant/core'
import {
  AdjutantError,
  type AgentTool,
  type CallContext,
  isJsonObject,
  type JsonObject,
  type ReadCommand,
  ToolOutput,
} from '@adjutant/core/contract'
import { openSandboxes, type Sandboxes } from '@adjutant/sandbox'
import { ManualClock, type TestContext, testContext } from '@adjutant/testkit'
import { openBashReader } from '../commands/index.ts'
import { type CodeTools, type CodeToolsOptions, createCodeTools } from './create-code-tools.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'
const PNG =
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082'

let sandboxes: Sandboxes
let readBash: ReadCommand
let code: CodeTools
let cx: TestContext

before(async () => {
  sandboxes = openSandboxes({ clock: systemClock, ids: randomIds })
  readBash = await openBashReader()
  code = make()
  cx = await testContext()
})

after(async () => {
  await code.close()
  await sandboxes.close()
  await cx[Symbol.asyncDispose]()
})

function make(options: Partial<CodeToolsOptions> = {}): CodeTools {
  return createCodeTools({ sandboxes, readBash, ...options })
}

function toolOf(name: string, of: CodeTools = code): AgentTool {
  const tool = of.tools.find((one) => one.name === name)
  assert.ok(tool)
  return tool
}

interface Said {
  readonly text: string
  readonly isError: boolean
  readonly structured: JsonObject
  readonly images: readonly string[]
}

async function call(name: string, input: JsonObject, options: { readonly of?: CodeTools; readonly cx?: CallContext } = {}): Promise<Said> {
  const output: unknown = await toolOf(name, options.of).execute(input, options.cx ?? cx)
  if (typeof output === 'string') return { text: output, isError: false, structured: {}, images: [] }
  assert.ok(output instanceof ToolOutput)
  const structured = output.structured
  return {
    text: output.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    isError: output.isError,
    structured: structured !== undefined && isJsonObject(structured) ? structured : {},
    images: output.parts.flatMap((part) => (part.type === 'image' ? [part.mimeType] : [])),
  }
}

const bash = (command: string, more: JsonObject = {}): Promise<Said> => call('bash', { command, ...more })

async function errorOf(work: Promise<unknown>): Promise<AdjutantError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(AdjutantError.isInstance(error))
  return error
}

describe('bash', { skip }, () => {
  it('keeps folder, variables and functions from call to call', async () => {
    await bash('mkdir -p sub && cd sub && export A=1 && B=2 && f() { echo f; }')
    const { text, isError, structured } = await bash('pwd; echo $A$B; f')
    assert.deepEqual([text, isError], ['/workspace/sub\n12\nf', false])
    assert.deepEqual([structured.exitCode, structured.backend], [0, 'bubblewrap'])
    await bash('cd /workspace')
  })

  it('tells both streams in order and the exit code, which hints are looked up by', async () => {
    const { text, isError, structured } = await bash('echo one; echo two >&2; nosuchprogram; (exit 127)')
    assert.match(text, /^one\ntwo\n.*nosuchprogram: command not found\n\[exit code 127\]$/s)
    assert.deepEqual([isError, structured.exitCode], [true, 127])
    assert.equal(failureOf(text, { exitCode: 127, command: 'nosuchprogram' })?.code, 'COMMAND_NOT_FOUND')
    assert.equal((await bash('true')).text, '(no output)')
  })

  it('says what was read of the command before it runs', () => {
    const { effect, marks } = toolOf('bash')
    assert.ok(typeof effect === 'function')
    assert.equal(effect({ command: 'ls | head' }), 'read')
    assert.equal(effect({ command: 'ls', background: true }), 'write')
    assert.equal(effect({ command: 'mkdir a' }), 'write')
    assert.equal(effect({ command: 'rm -rf a' }), 'dangerous')
    assert.throws(() => effect({ command: 1 }))
    const [mark] = marks?.({ command: 'ls; rm -rf a' }) ?? []
    assert.deepEqual([mark?.path, mark?.effect, 'ls; rm -rf a'.slice(mark?.start, mark?.end)], ['/command', 'dangerous', 'rm -rf a'])
    assert.deepEqual(marks?.({}), [])
  })

  it('ends at its time, keeps what was printed, and says that the shell is new', async () => {
    const late = await bash('X=1; echo begun; sleep 1000', { timeout_ms: 500 })
    assert.match(late.text, /^begun\n\[ended after 500 ms, before it was done: .*\]\n\[the shell that kept variables/)
    assert.deepEqual([late.isError, late.structured.timedOut], [true, true])
    assert.equal((await bash('echo "x$X"')).text.split('\n')[0], 'x')
  })

  it('says so when the command ends the shell itself', async () => {
    const { text } = await bash('exit 3')
    assert.match(text, /^\[exit code 3\]\n\[the shell that kept variables/)
    assert.equal((await bash('echo new')).text, 'new')
  })

  it('finds nobody to answer, and says what to do', async () => {
    const { text } = await call('python', { code: 'input("Name? ")' })
    assert.match(text, /EOFError.*\[exit code 1\]\n\[nobody can type here/s)
    const quiet = await bash('read -r answer; echo "got $?"')
    assert.equal(quiet.text, 'got 1')
  })

  it('ends what waits for an answer, without waiting for its time', async () => {
    const clock = new ManualClock()
    const of = make({ clock })
    const waiting = call('bash', { command: 'echo working; printf "Continue? [y/N] "; read -r x < <(sleep 1000)' }, { of })
    // Time goes on while it runs, whenever its output comes.
    const ticking = (async () => {
      for (;;) {
        const done = await Promise.race([waiting.then(() => true), new Promise<false>((next) => setImmediate(() => next(false)))])
        if (done) return
        await clock.advance(250)
      }
    })()
    const { text, isError, structured } = await waiting
    await ticking
    assert.match(
      text,
      /^working\nContinue\? \[y\/N\] ?\n\[ended: it was waiting for an answer to "Continue\? \[y\/N\]"\]\n\[nobody can type here/,
    )
    assert.deepEqual([isError, structured.waitedForInput], [true, true])
    await of.close()
  })

  it('shows the last line while it runs', async () => {
    const told: string[] = []
    await call(
      'bash',
      { command: 'printf "\\033[32mstep 1 of 2\\033[0m\\n"' },
      { cx: { ...cx, progress: ({ message = '' }) => void told.push(message) } },
    )
    assert.deepEqual(told, ['step 1 of 2'])
  })

  it('stops with the call', async () => {
    const stop = new AbortController()
    const stopped = call('bash', { command: 'echo x; sleep 1000' }, { cx: { ...cx, signal: stop.signal, progress: () => stop.abort() } })
    assert.equal((await errorOf(stopped)).code, 'CANCELLED')
    assert.equal((await bash('echo again')).text.split('\n')[0], 'again')
  })

  it('takes a lot, and what is no text', async () => {
    const { text, isError } = await bash('head -c 300000 /dev/zero | tr "\\0" x; printf "\\xff\\xfe\\x00"')
    assert.equal(isError, false)
    assert.ok(text.startsWith('x'.repeat(300_000)))
    assert.match(text.slice(300_000), /^\ufffd\ufffd/)
    const flood = await bash('yes')
    assert.match(flood.text.slice(-400), /\[ended: it printed more than is kept/)
    assert.equal(flood.structured.limit, 'output')
  })

  it('refuses what is no command', async () => {
    assert.throws(() => toolOf('bash').execute({ command: 7 }, cx), /"command" must be a text/)
    assert.throws(() => toolOf('bash').execute({ command: 'ls', timeout_ms: 0 }, cx), /"timeout_ms" must be a whole number/)
  })
})

describe('background jobs', { skip }, () => {
  it('start, are listed, show their output, and are stopped with all that they started', async () => {
    const started = await bash('echo ready $((6 * 7)); sleep 1000 & sleep 1000; echo "it\'s over"', { background: true })
    const job = String(started.structured.job)
    assert.match(started.text, /^Started job_\d+ in the background/)
    assert.match((await call('background_jobs', {})).text, new RegExp(`^${job}  running  echo ready`, 'm'))
    await bash(`until [ -s /tmp/.adjutant-jobs/${job.slice(4)}.log ]; do sleep 0.01; done`)
    assert.equal((await call('background_jobs', { action: 'output', job })).text, 'ready 42\n')
    assert.match((await call('background_jobs', { action: 'stop', job })).text, new RegExp(`^${job}  stopped`, 'm'))
    assert.equal((await bash('pgrep -c "^sleep$"')).text.split('\n')[0], '0')
  })

  it('tell how they ended', async () => {
    const { structured } = await bash('exit 4', { background: true })
    const job = String(structured.job)
    await bash(`until [ -s /tmp/.adjutant-jobs/${job.slice(4)}.exit ]; do sleep 0.01; done`)
    assert.match((await call('background_jobs', {})).text, new RegExp(`^${job}  ended, exit code 4`, 'm'))
  })

  it('are gone with the shell', async () => {
    await bash('sleep 1000', { background: true })
    await bash('exit 0')
    assert.equal((await call('background_jobs', {})).text, 'There are no background jobs.')
    const missing = await errorOf(call('background_jobs', { action: 'output', job: 'job_9; rm x' }))
    assert.equal(missing.code, 'NOT_FOUND')
  })

  it('only stopping one changes anything', () => {
    const { effect } = toolOf('background_jobs')
    assert.ok(typeof effect === 'function')
    assert.deepEqual([effect({}), effect({ action: 'output' }), effect({ action: 'stop' })], ['read', 'read', 'write'])
  })
})

describe('python', { skip }, () => {
  it('runs by itself, or keeps its variables', async () => {
    await call('python', { code: 'x = 41', session: true })
    assert.equal((await call('python', { code: 'print(x + 1)', session: true })).text, '42')
    const alone = await call('python', { code: 'print(x)' })
    assert.match(alone.text, /NameError.*\[exit code 1\]/s)
    assert.equal(alone.isError, true)
  })

  it('shows pictures as pictures, and lists files with what they are', async () => {
    const source = [
      `open('plot.png', 'wb').write(bytes.fromhex('${PNG}'))`,
      "open('table.csv', 'w').write('a,b\\n')",
      "open('fake.png', 'w').write('no picture')",
      "open('data.bin', 'wb').write(b'\\0\\1\\2')",
      "open('new\\nline', 'w').close()",
    ].join('\n')
    const { text, images, structured } = await call('python', { code: source })
    assert.deepEqual(images, ['image/png'])
    assert.match(text, /^\[files: .*plot\.png \(PNG image, 67 bytes, shown\)/)
    for (const word of [
      'table.csv (text, 4 bytes)',
      'fake.png (text, 10 bytes)',
      'data.bin (binary data, 3 bytes)',
      'new?line (empty, 0 bytes)',
    ])
      assert.ok(text.includes(word), word)
    assert.ok(Array.isArray(structured.files) && structured.files.length === 5)
    assert.equal((await call('python', { code: 'pass' })).text, '(no output)')
    assert.match((await bash('ls; echo x >> table.csv')).text, /plot\.png.*\n\[files: table\.csv \(text, 6 bytes\)\]$/s)
  })

  it('lists no more than can be read', async () => {
    const { text } = await call('python', { code: 'for n in range(50): open(f"many{n}.txt", "w").write("x")' })
    assert.match(text, /, and 30 more\]$/)
  })

  it('follows no link out of the box when it looks at files', async () => {
    const { text, images } = await bash('ln -s /etc/passwd stolen.txt; ln -s /proc/self/environ e.png; ls')
    assert.doesNotMatch(text, /\[files/)
    assert.deepEqual(images, [])
  })
})

describe('javascript', () => {
  it('runs without anything of the host', async () => {
    assert.equal((await call('javascript', { code: 'console.log([3, 1, 2].sort().join())' })).text, '1,2,3')
    const failed = await call('javascript', { code: 'console.log(typeof process); throw new Error("no")' })
    assert.match(failed.text, /undefined.*no.*\[exit code 1\]/s)
    await call('javascript', { code: 'globalThis.x = 1', session: true })
    assert.equal((await call('javascript', { code: 'console.log(x)', session: true })).text, '1')
  })
})

describe('sessions', { skip }, () => {
  it('have boxes of their own, which go when the session does', async () => {
    const of = make()
    await using other = await testContext({ sessionId: 'session_2' })
    await call('bash', { command: 'echo mine > a; export A=1' }, { of })
    assert.equal((await call('bash', { command: 'ls; echo "[$A]"' }, { of, cx: other })).text, '[]')
    assert.equal(of.openBoxes, 2)
    await of.closeSession(cx.sessionId)
    await of.closeSession(cx.sessionId)
    assert.equal(of.openBoxes, 1)
    assert.equal((await call('bash', { command: 'ls' }, { of })).text, '(no output)')
    await of.close()
    assert.equal(of.openBoxes, 0)
    assert.equal((await errorOf(call('bash', { command: 'ls' }, { of }))).code, 'SANDBOX_UNAVAILABLE')
  })

  it('lose an idle box, and are told', async () => {
    const clock = new ManualClock()
    const of = make({ clock, idleMs: 1_000 })
    await call('bash', { command: 'echo x > a' }, { of })
    await clock.advance(999)
    assert.equal(of.openBoxes, 1)
    await clock.advance(1)
    assert.equal(of.openBoxes, 0)
    assert.equal(
      (await call('bash', { command: 'ls' }, { of })).text,
      '[a new box: files, variables and background jobs of the one before are gone]',
    )
    assert.equal((await call('bash', { command: 'ls' }, { of })).text, '(no output)')
    await of.close()
  })

  it('give way where there are too many', async () => {
    const of = make({ maxBoxes: 1 })
    await using other = await testContext({ sessionId: 'session_2' })
    await call('bash', { command: 'echo x > a' }, { of })
    await call('bash', { command: 'true' }, { of, cx: other })
    assert.equal(of.openBoxes, 1)
    const { promise: running, resolve } = Promise.withResolvers<void>()
    const busy = errorOf(
      call(
        'bash',
        { command: 'echo begun; until [ -e go ]; do sleep 0.02; done', timeout_ms: 5_000 },
        { of, cx: { ...other, progress: () => resolve() } },
      ),
    )
    await running
    assert.equal((await errorOf(call('bash', { command: 'true' }, { of }))).code, 'OVERLOADED')
    await of.close()
    assert.equal((await busy).code, 'SANDBOX_FAILED')
  })

  it('work in a folder of the host where one is given, and say what that means', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-code-'))
    const of = make({ workspace: folder })
    try {
      await chmod(folder, 0o777)
      await writeFile(join(folder, 'given.txt'), 'given')
      const seen = await call('python', { code: 'print(open("given.txt").read()); open("made.txt", "w").write("made")' }, { of })
      assert.equal(seen.text, 'given\n[files: made.txt (text, 4 bytes)]')
      assert.equal(await readFile(join(folder, 'made.txt'), 'utf8'), 'made')
      assert.match((await call('javascript', { code: 'console.log(files.read("made.txt"))' }, { of })).text, /made/)
      assert.equal(toolOf('python', of).effect, 'dangerous')
      assert.equal(toolOf('python').effect, 'write')
    } finally {
      await of.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('run one call at a time', async () => {
    await bash('echo 0 > n')
    await Promise.all(Array.from({ length: 8 }, () => bash('read -r n < n; sleep 0.01; echo $((n + 1)) > n')))
    assert.equal((await bash('cat n')).text, '8')
  })
})

describe('run_skill_script', { skip }, () => {
  let folder = ''
  let skills: readonly Skill[] = []
  let of: CodeTools
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adjutant-skill-'))
    await chmod(folder, 0o755)
    const home = join(folder, 'counting')
    await mkdir(join(home, 'scripts'), { recursive: true })
    await writeFile(join(home, 'SKILL.md'), '---\nname: counting\ndescription: Counts.\n---\nRun scripts/count.py')
    await writeFile(
      join(home, 'scripts', 'count.py'),
      'import sys, pathlib\nprint(sys.argv[1:], pathlib.Path(__file__).parent.parent.name)\nopen("counted.txt", "w").write("3")\n',
    )
    await writeFile(join(home, 'scripts', 'count.sh'), 'echo "$@"; echo x > "$(dirname "$0")/new" || exit 9\n')
    await writeFile(join(home, 'scripts', 'count.mjs'), 'console.log(process.argv.slice(2).join("+"))\n')
    await writeFile(join(home, 'scripts', 'count'), '#!/bin/sh\necho plain "$1"\n', { mode: 0o755 })
    const report = await loadSkills([
      folder,
      {
        name: 'a store',
        store: {
          skills: async () => [{ key: 'k', text: '---\nname: kept\ndescription: Kept elsewhere.\n---\nx', files: ['say.sh'] }],
          readFile: async () => new TextEncoder().encode('echo kept "$1"'),
        },
      },
    ])
    skills = report.skills
    of = make({ skills: () => skills })
  })
  after(async () => {
    await of.close()
    await rm(folder, { recursive: true, force: true })
  })
  const script = (name: string, args: readonly string[] = [], skill = 'counting'): Promise<Said> =>
    call('run_skill_script', { skill, script: name, args: [...args] }, { of })

  it('runs a script with the words that it is given, each as it is', async () => {
    const words = ['a b', "it's", '$(id)', '', '--x']
    const { text, isError } = await script('scripts/count.py', words)
    assert.equal(text, `['a b', "it's", '$(id)', '', '--x'] counting\n[files: counted.txt (text, 1 byte)]`)
    assert.equal(isError, false)
    assert.equal((await call('bash', { command: 'cat counted.txt' }, { of })).text, '3')
    assert.equal((await script('./scripts/count.mjs', ['1', '2'])).text, '1+2')
    assert.equal((await script('scripts/count', ['y'])).text, 'plain y')
  })

  it('cannot change the skill', async () => {
    const { text, structured } = await script('scripts/count.sh', ['x'])
    assert.match(text, /^x\n.*Read-only file system/)
    assert.equal(structured.exitCode, 9)
    assert.ok(!existsSync(join(folder, 'counting', 'scripts', 'new')))
  })

  it('runs one that is kept elsewhere than in a folder', async () => {
    assert.equal((await script('say.sh', ['it'], 'kept')).text, 'kept it')
  })

  it('refuses what is no script of a skill', async () => {
    assert.equal((await errorOf(script('x', [], 'countin'))).code, 'NOT_FOUND')
    assert.match((await errorOf(script('x', [], 'countin'))).hint, /Did you mean counting/)
    assert.equal((await errorOf(script('scripts/none.py'))).code, 'NOT_FOUND')
    assert.equal((await errorOf(script('../../etc/passwd'))).code, 'PATH_OUTSIDE_WORKSPACE')
    assert.equal(
      (await errorOf(call('run_skill_script', { skill: 'counting', script: 'scripts/count', args: [1] }, { of }))).code,
      'INVALID_ARGUMENTS',
    )
    assert.ok(!code.tools.some((tool) => tool.name === 'run_skill_script'))
  })
})

describe('where no box can be had', () => {
  it('says so, and runs nothing', async () => {
    const none = openSandboxes({ clock: systemClock, ids: randomIds, order: ['container'] })
    const of = make({ sandboxes: none })
    const error = await errorOf(call('bash', { command: 'ls' }, { of }))
    assert.deepEqual([error.code, error.outcome], ['SANDBOX_UNAVAILABLE', 'not-run'])
    await of.close()
    await none.close()
  })

  it('runs on the bare machine only where that is allowed, and warns in each result', async () => {
    const host = openSandboxes({ clock: systemClock, ids: randomIds, order: ['host'], unsafeHost: true })
    const of = make({ sandboxes: host })
    const { text, structured } = await call('bash', { command: 'echo hello' }, { of })
    assert.match(text, /^hello\n\[warning: not in a box: .*\]\n\[here each call runs by itself/)
    assert.equal(structured.backend, 'host')
    assert.equal((await errorOf(call('bash', { command: 'sleep 1', background: true }, { of }))).code, 'UNSUPPORTED')
    await of.close()
    await host.close()
  })

  it('takes no number that is none', () => {
    for (const wrong of [{ idleMs: 0 }, { maxBoxes: Number.NaN }, { limits: { wallMs: -1 } }])
      assert.throws(() => make(wrong), /must be a whole number above 0/)
  })
})
