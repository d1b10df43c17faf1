import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type SandboxBackend, type SandboxGuarantee, type SandboxReport } from '@adjutant/core/contract'
import { bubblewrapBackend } from '../bubblewrap/bubblewrap-backend.ts'
import { quickJsBackend } from '../quickjs/quickjs-backend.ts'
import { openSandboxes, type Sandboxes, type SandboxesOptions } from './sandboxes.ts'

const tools = { clock: systemClock, ids: randomIds }
const linux = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

function open(options: Partial<SandboxesOptions> = {}): Sandboxes {
  return openSandboxes({ ...tools, ...options })
}

/** A real backend that honestly says less, and counts how often it was tried. */
function weaker(enforces: readonly SandboxGuarantee[], tried: string[] = []): SandboxBackend {
  const backend = quickJsBackend({ clock: systemClock, pool: 1 })
  return {
    name: 'weaker',
    languages: new Set(['js', 'bash']),
    enforces: new Set(enforces),
    probe: () => {
      tried.push('probe')
      return backend.probe()
    },
    open: (spec) => backend.open({ ...spec, requires: [] }),
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}

async function codeOf(work: Promise<unknown>): Promise<AdjutantError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(AdjutantError.isInstance(error))
  return error
}

const said = (report: SandboxReport): string => Buffer.from(report.stdout).toString()

describe('openSandboxes', () => {
  it('takes the backend for the language', async () => {
    await using sandboxes = open()
    await using js = await sandboxes.open({}, 'js')
    await using sql = await sandboxes.open({}, 'sql')
    assert.deepEqual([js.backend, sql.backend], ['quickjs', 'sqljs'])
    assert.equal(said(await js.run({ lang: 'js', code: 'console.log(6 * 7)' })), '42\n')
    assert.match(said(await sql.run({ lang: 'sql', code: 'SELECT 6 * 7 AS answer' })), /42/)
  })

  it('takes bubblewrap for programs of the system', { skip: linux }, async () => {
    await using sandboxes = open()
    await using box = await sandboxes.open({ requires: ['network', 'disk'] }, 'bash')
    assert.equal(box.backend, 'bubblewrap')
    assert.equal(said(await box.run({ lang: 'bash', code: 'echo $((6 * 7))' })), '42\n')
    assert.equal(said(await box.run({ lang: 'python', code: 'print(6 * 7)' })), '42\n')
  })

  it('goes on to the next where the first cannot do what is asked', { skip: linux }, async () => {
    await using sandboxes = open()
    await using box = await sandboxes.open({ mounts: [{ host: tmpdir(), path: '/inputs' }] }, 'js')
    assert.equal(box.backend, 'bubblewrap')
  })

  it('never serves less than is required, by whoever', async () => {
    const backends = { weaker: () => weaker(['filesystem']) }
    await using sandboxes = open({ backends, order: ['weaker'] })
    const usual = await codeOf(sandboxes.open({}, 'js'))
    assert.equal(usual.code, 'SANDBOX_TOO_WEAK')
    assert.match(usual.message, /weaker: does not enforce network, processes, environment/)
    await using lax = open({ backends, order: ['weaker'], requires: ['filesystem'] })
    await (await lax.open({}, 'js')).close()
    assert.equal((await codeOf(lax.open({ requires: ['memory'] }, 'js'))).code, 'SANDBOX_TOO_WEAK')
  })

  it('passes over the weaker one for a stronger one behind it', async () => {
    await using sandboxes = open({ backends: { weaker: () => weaker([]) }, order: ['weaker', 'quickjs'] })
    await using box = await sandboxes.open({}, 'js')
    assert.equal(box.backend, 'quickjs')
  })

  it('takes order and requirements for each language, the usual ones where nothing is said', async () => {
    const backends = { weaker: () => weaker(['filesystem']) }
    await using sandboxes = open({ backends, order: { js: ['weaker', 'quickjs'], bash: ['weaker'] }, requires: { bash: ['filesystem'] } })
    await using js = await sandboxes.open({}, 'js')
    await using sql = await sandboxes.open({}, 'sql')
    assert.deepEqual([js.backend, sql.backend], ['quickjs', 'sqljs'])
    await (await sandboxes.open({}, 'bash')).close()
    const chosen = (await sandboxes.describe()).flatMap(({ name, chosenFor }) => chosenFor.map((lang) => `${lang} ${name}`))
    assert.deepEqual(
      chosen.filter((one) => !one.startsWith('python')),
      ['bash weaker', 'js quickjs', 'sql sqljs'],
    )
    assert.throws(() => open({ order: { sql: ['sqlite'] } }), /there is no backend "sqlite"/)
  })

  it('makes and tries each backend once, and none before it is needed', async () => {
    const tried: string[] = []
    await using sandboxes = open({
      backends: {
        weaker: () => {
          tried.push('make')
          return weaker([], tried)
        },
      },
      order: ['weaker'],
      requires: [],
    })
    assert.deepEqual(tried, [])
    const boxes = await Promise.all([sandboxes.open({}, 'js'), sandboxes.open({}, 'js')])
    await sandboxes.describe()
    assert.equal(new Set(boxes.map(({ id }) => id)).size, 2)
    assert.deepEqual(tried, ['make', 'probe'])
  })

  it('says of each backend why not, and what a person can do', async () => {
    await using sandboxes = open({
      order: ['bubblewrap', 'container', 'e2b'],
      backends: {
        bubblewrap: (given) => bubblewrapBackend({ ...given, bubblewrap: '/nowhere/bwrap' }),
        e2b: () => {
          throw new AdjutantError('CONFIG_INVALID', 'no key is there', { hint: 'Set E2B_API_KEY.' })
        },
      },
    })
    const error = await codeOf(sandboxes.open({}, 'bash'))
    assert.equal(error.code, 'SANDBOX_UNAVAILABLE')
    assert.match(error.message, /no box here can run bash\. bubblewrap: .*; container: [^;]{5,}; e2b: no key is there/s)
    assert.match(error.hint, /e2b: Set E2B_API_KEY/)
    const descriptions = await sandboxes.describe()
    assert.deepEqual(
      descriptions.map(({ name, ok, chosenFor }) => [name, ok, chosenFor]),
      [
        ['bubblewrap', false, []],
        ['container', false, []],
        ['e2b', false, []],
      ],
    )
  })

  it('sends no code to a service whose key it was not given', async () => {
    await using sandboxes = open({ order: ['e2b'] })
    assert.match((await codeOf(sandboxes.open({}, 'bash'))).message, /e2b: .*no key is given/)
    await using odd = open({ order: ['e2b'], env: { E2B_API_KEY: 'a\nb' } })
    assert.match((await codeOf(odd.open({}, 'bash'))).message, /cannot be sent in a header/)
  })

  it('lets a wrong spec be told, and not passed over', async () => {
    await using sandboxes = open()
    assert.equal((await codeOf(sandboxes.open({ limits: { wallMs: -1 } }, 'js'))).code, 'CONFIG_INVALID')
  })

  it('knows no backend that there is not', () => {
    assert.throws(() => open({ order: ['bubblerap'] }), /there is no backend "bubblerap"/)
    assert.throws(() => open({ order: ['host'] }), /nobody allowed it/)
    assert.throws(() => open({ order: ['__proto__'] }), /there is no backend "__proto__"/)
  })

  it('describes what is here', async () => {
    await using sandboxes = open()
    const descriptions = await sandboxes.describe()
    const quickjs = descriptions.find(({ name }) => name === 'quickjs')
    assert.deepEqual([quickjs?.ok, quickjs?.languages, quickjs?.chosenFor], [true, ['js'], ['js']])
    assert.ok(quickjs?.enforces.includes('memory'))
    assert.ok(!descriptions.some(({ name }) => name === 'host'))
  })

  it('opens nothing once it is closed', async () => {
    const sandboxes = open()
    await using box = await sandboxes.open({}, 'js')
    await sandboxes.close()
    await sandboxes.close()
    assert.equal((await codeOf(box.run({ lang: 'js', code: '1' }))).code, 'SANDBOX_FAILED')
    assert.equal((await codeOf(sandboxes.open({}, 'js'))).code, 'SANDBOX_UNAVAILABLE')
  })
})

describe('the bare machine', () => {
  const host = (): Sandboxes => open({ order: ['host'], unsafeHost: true })

  it('is the last resort of whoever allows it, and warns in each report', async () => {
    await using sandboxes = host()
    await using box = await sandboxes.open({}, 'bash')
    const report = await box.run({ lang: 'bash', code: 'cat; echo $1$HOME$X >&2; exit 3', stdin: 'given', env: { X: 'x' } })
    assert.deepEqual([said(report), Buffer.from(report.stderr).toString(), report.exitCode], ['given', 'x\n', 3])
    assert.match(report.warning ?? '', /not in a box/)
    assert.deepEqual([...box.enforces], [])
    await using usual = open({ unsafeHost: true })
    const js = await usual.open({}, 'js')
    assert.equal(js.backend, 'quickjs')
  })

  it('is too weak for whoever requires anything', async () => {
    await using sandboxes = host()
    assert.equal((await codeOf(sandboxes.open({ requires: ['filesystem'] }, 'bash'))).code, 'SANDBOX_TOO_WEAK')
    await using strict = open({ order: ['host'], unsafeHost: true, requires: ['network'] })
    assert.equal((await codeOf(strict.open({}, 'bash'))).code, 'SANDBOX_TOO_WEAK')
  })

  it('ends what runs too long or prints too much, with what it started', async () => {
    await using sandboxes = host()
    await using box = await sandboxes.open({}, 'bash')
    const late = await box.run({ lang: 'bash', code: 'echo begun; sleep 1000 & sleep 1000', limits: { wallMs: 300 } })
    assert.deepEqual([said(late), late.timedOut, late.limit, late.signal], ['begun\n', true, 'wall', 'SIGKILL'])
    const loud = await box.run({ lang: 'bash', code: 'yes', limits: { outputBytes: 1000 } })
    assert.deepEqual([loud.stdout.length, loud.truncated, loud.limit], [1000, true, 'output'])
    const stop = new AbortController()
    const stopped = box.run({ lang: 'bash', code: 'echo x; sleep 1000', signal: stop.signal, output: () => stop.abort() })
    assert.equal((await codeOf(stopped)).code, 'CANCELLED')
  })

  it('runs in the folder that it was given, and leaves no other behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-choose-'))
    try {
      await using sandboxes = host()
      const box = await sandboxes.open({ workspace: { host: folder } }, 'python')
      const report = await box.run({ lang: 'python', code: 'open("made.txt", "w").write("x")' })
      assert.equal(report.exitCode, 0)
      assert.equal(await readFile(join(folder, 'made.txt'), 'utf8'), 'x')
      assert.deepEqual(
        (await box.list()).map(({ path }) => path),
        ['made.txt'],
      )
      await box.close()
      assert.ok(existsSync(folder))
      const own = await sandboxes.open({}, 'bash')
      const place = said(await own.run({ lang: 'bash', code: 'pwd' })).trim()
      assert.ok(existsSync(place))
      await own.close()
      assert.ok(!existsSync(dirname(place)))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('keeps nothing between runs, and says so', async () => {
    await using sandboxes = host()
    await using box = await sandboxes.open({}, 'bash')
    assert.equal((await codeOf(box.run({ lang: 'bash', code: 'x=1', session: true }))).code, 'UNSUPPORTED')
  })
})
