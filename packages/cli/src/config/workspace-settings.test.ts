import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DEFAULT_LIMITS, DEFAULT_ORDER, DEFAULT_REQUIRES } from '@adjutant/sandbox'
import fc from 'fast-check'
import { runMain } from '../../test/run-command.ts'
import type { Config } from './config.ts'
import { loadConfig } from './load-config.ts'
import { BACKENDS } from './sandbox-config.ts'

let root = ''
let work = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-asks-')))
  work = join(root, 'work')
  await mkdir(work)
})
after(() => rm(root, { recursive: true, force: true }))

const env = { XDG_STATE_HOME: '' }
const load = (file?: string, choices?: { readonly workspace?: string }): Promise<Config> =>
  loadConfig({ cwd: work, env: { ...env, XDG_STATE_HOME: join(root, 'state') } }, file, choices)
const command = (...words: readonly string[]) => runMain(words, { cwd: work, env: { XDG_STATE_HOME: join(root, 'state') } })
const written = (text: string, name = 'adjutant.json') => writeFile(join(work, name), text)

const number = fc.oneof(fc.integer({ min: 16, max: 300_000_000 }), fc.integer({ min: 16, max: 600 }))
const orders = fc.uniqueArray(fc.constantFrom(...BACKENDS), { minLength: 1 })
const requires = fc.subarray([...DEFAULT_REQUIRES, 'memory', 'disk', 'kernel'])
const byLanguage = <T>(value: fc.Arbitrary<T>) => fc.record({ bash: value, python: value, js: value, sql: value }, { requiredKeys: [] })
const limits = fc.record(
  { wallMs: number, cpuMs: number, memoryMB: number, processes: number, diskMB: number, files: number, outputBytes: number },
  { requiredKeys: [] },
)
const settings = fc.record(
  {
    sandbox: fc.record(
      {
        order: byLanguage(orders),
        requires: byLanguage(requires),
        limits,
        pool: fc.record({ size: fc.integer({ min: 0, max: 900 }), memoryMB: fc.integer({ min: 0, max: 9_000 }) }, { requiredKeys: [] }),
        cgroupParent: fc.constant('/somewhere'),
        bubblewrap: fc.record({ path: fc.constant('/evil/bwrap'), runsAtOnce: fc.integer({ min: 1, max: 999 }) }, { requiredKeys: [] }),
        quickjs: fc.record({ workers: fc.integer({ min: 1, max: 200 }) }, { requiredKeys: [] }),
        container: fc.record({ image: fc.constant('evil'), runsAtOnce: fc.constant(1) }, { requiredKeys: [] }),
        landlock: fc.record({ node: fc.constant('/evil/node'), runsAtOnce: fc.integer({ min: 1, max: 999 }) }, { requiredKeys: [] }),
        e2b: fc.constant({ url: 'https://evil.example' }),
      },
      { requiredKeys: [] },
    ),
    tools: fc.record({
      code: fc.record(
        {
          limits,
          network: fc.array(fc.constant('evil.example'), { maxLength: 1 }),
          order: orders,
          requires,
          maxWaiting: fc.integer({ min: 0, max: 900 }),
        },
        { requiredKeys: [] },
      ),
    }),
    sessions: fc.record({ keepDays: fc.integer({ min: 1, max: 9 }), maxMB: fc.integer({ min: 1, max: 9_000 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
)

/** Said another way than in the code: the places of the names in the usual order only ever grow, and nothing is skipped before the remote one. */
function isUsual(order: readonly string[]): boolean {
  const places = order.filter((name) => name !== 'quickjs' && name !== 'sqljs').map((name) => DEFAULT_ORDER.bash.indexOf(name))
  const grows = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0))
  const remote = DEFAULT_ORDER.bash.indexOf('e2b')
  return grows && (!places.includes(remote) || places.indexOf(remote) === remote)
}

function assertNotLooser({ sandbox, code, sessions }: Config): void {
  const { order = {}, requires: required = {}, limits: said = {}, pool = {}, bubblewrap = {}, quickjs = {} } = sandbox
  for (const names of Object.values(order)) assert.ok(isUsual(names), names.join())
  for (const names of Object.values(required)) for (const usual of DEFAULT_REQUIRES) assert.ok(names.includes(usual))
  const codeLimits = typeof code === 'object' ? (code.limits ?? {}) : {}
  for (const [name, usual] of Object.entries(DEFAULT_LIMITS)) {
    for (const own of [said, codeLimits]) {
      const value = Object.entries(own).find(([key]) => key === name)?.[1]
      assert.ok(value === undefined || value <= usual, name)
    }
  }
  assert.ok((pool.size ?? 0) <= 16 && (pool.memoryMB ?? 0) <= 256 && (quickjs.workers ?? 0) <= 4 && (bubblewrap.runsAtOnce ?? 0) <= 32)
  for (const asked of [sandbox.cgroupParent, sandbox.e2b, sandbox.container, sandbox.landlock?.node, bubblewrap.path, sessions.keepDays])
    assert.equal(asked, undefined)
  assert.ok((sandbox.landlock?.runsAtOnce ?? 0) <= 32)
  assert.ok((sessions.maxMB ?? 0) <= 1_024)
  if (typeof code !== 'object') return
  assert.ok((code.network ?? []).length === 0 && (code.maxWaiting ?? 0) <= 256)
  assert.ok(isUsual(code.order ?? []), code.order?.join())
}

describe('the configuration of a workspace', () => {
  it('makes boxes stricter and nothing else, until somebody agrees; then it counts as it is written', async () => {
    await fc.assert(
      fc.asyncProperty(settings, async (value) => {
        await rm(join(root, 'state'), { recursive: true, force: true })
        await written(JSON.stringify(value))
        const before = await load()
        assertNotLooser(before)
        assert.equal(before.notes.length, before.asks.length)
        assert.equal((await command('sandbox', 'trust')).code, 0)
        const after = await load()
        assert.deepEqual(after.notes, [])
        assert.ok(after.asks.every(({ agreed }) => agreed))
        // What a person wrote outside of the workspace counts at once, and is the same.
        await writeFile(join(root, 'mine.json'), JSON.stringify(value))
        const mine = await load('../mine.json')
        assert.deepEqual(mine.asks, [])
        assert.deepEqual([after.sandbox, after.code, after.sessions], [mine.sandbox, mine.code, mine.sessions])
      }),
      { numRuns: 60 },
    )
  })

  it('reads databases of the workspace, and logs in nowhere and reads no other file before somebody agrees', async () => {
    await rm(join(root, 'state'), { recursive: true, force: true })
    await symlink('/etc/passwd', join(work, 'linked.sqlite'))
    const databases = {
      here: 'data/shop.sqlite',
      upper: 'POSTGRES://evil.example/x',
      server: { url: 'postgres://evil.example/x' },
      fromEnv: '$' + '{ADDRESS}',
      outside: '../shop.sqlite',
      linked: 'linked.sqlite',
    }
    await written(JSON.stringify({ databases }))
    const at = (address: string) => loadConfig({ cwd: work, env: { XDG_STATE_HOME: join(root, 'state'), ADDRESS: address } })
    const before = await at('postgresql://evil.example/x')
    assert.deepEqual(before.databases, { here: join(work, 'data/shop.sqlite') })
    assert.match(before.notes.join(), /databases\.upper does not count: it logs in to a server/)
    assert.match(before.notes.join(), /databases\.linked does not count: it lies outside of the workspace/)
    assert.deepEqual(Object.keys((await at('in/here.sqlite')).databases), ['here', 'fromEnv'])
    await runMain(['sandbox', 'trust'], { cwd: work, env: { XDG_STATE_HOME: join(root, 'state'), ADDRESS: 'postgresql://evil.example/x' } })
    assert.deepEqual(Object.keys((await at('postgresql://evil.example/x')).databases).toSorted(), Object.keys(databases).toSorted())
    await rm(join(work, 'adjutant.json'))
  })

  it('asks anew for a setting that changes, and for no other', async () => {
    await rm(join(work, 'adjutant.json'), { force: true })
    const text = (memory: number, key = 'A_KEY') =>
      `sandbox:\n  limits: { memoryMB: ${memory}, files: 20000, processes: 8 }\n  e2b: { apiKey: "\${${key}:-}" }\n`
    await written(text(4_096), 'adjutant.yaml')
    const listed = await command('sandbox', 'trust', '--list', '--json')
    const [{ settings: asked } = { settings: [] }] = listed.lines
    assert.ok(Array.isArray(asked))
    assert.deepEqual(
      asked.map(({ setting, agreed }) => [setting, agreed]),
      [
        ['sandbox.limits.memoryMB', false],
        ['sandbox.limits.files', false],
        ['sandbox.e2b', false],
      ],
    )
    assert.equal((await load()).sandbox.limits?.memoryMB, undefined)
    assert.equal((await load()).sandbox.limits?.processes, 8)
    await command('sandbox', 'trust')
    assert.equal((await load()).sandbox.limits?.memoryMB, 4_096)
    await written(text(8_192), 'adjutant.yaml')
    const changed = await load()
    assert.deepEqual([changed.sandbox.limits?.memoryMB, changed.sandbox.limits?.files], [undefined, 20_000])
    assert.match(
      changed.notes.join(),
      /adjutant\.yaml:2:13: sandbox\.limits\.memoryMB does not count: 8192 is more than the usual 512.*adjutant sandbox trust/,
    )
    await written(text(4_096, 'OTHER_KEY'), 'adjutant.yaml')
    assert.equal((await load()).sandbox.e2b, undefined)
    // Noted outside of the workspace only.
    assert.match(await readFile(join(root, 'state', 'adjutant', 'policy-trust.json'), 'utf8'), /adjutant\.yaml/)
  })

  it('is whoever’s the folder is: by its name, by where it really is, by what it says itself', async () => {
    await rm(join(work, 'adjutant.yaml'), { force: true })
    const text = 'sandbox: { limits: { memoryMB: 1000 } }\n'
    await mkdir(join(work, 'sub'), { recursive: true })
    await written(text, 'other.yaml')
    assert.equal((await load('other.yaml')).asks.length, 1)
    // A workspace that the file itself makes smaller does not make the file somebody else's.
    await written(`workspace: sub\n${text}`, 'adjutant.yaml')
    assert.equal((await load()).asks.length, 1)
    // A person who names both says whose is whose.
    assert.equal((await load(undefined, { workspace: 'sub' })).asks.length, 0)
    await writeFile(join(root, 'theirs.yaml'), text)
    await symlink(join(root, 'theirs.yaml'), join(work, 'linked.yaml'))
    assert.equal((await load('linked.yaml')).asks.length, 1)
    await symlink(join(work, 'other.yaml'), join(root, 'linked.yaml'))
    assert.equal((await load('../linked.yaml')).asks.length, 1)
    assert.equal((await load('../theirs.yaml')).asks.length, 0)
  })

  it('says in the command that it does not count, and runs in the usual box', async () => {
    await written('sandbox: { order: { js: [quickjs] }, limits: { outputBytes: 99000000 } }\n', 'adjutant.yaml')
    const run = await command('sandbox', 'run', '--lang', 'js', '--', 'console.log(6 * 7)')
    assert.deepEqual([run.code, run.stdout], [0, '42\n'])
    assert.match(run.stderr, /! .*adjutant\.yaml:1:48: sandbox\.limits\.outputBytes does not count/)
    assert.equal((await command('sandbox', 'trust', '--config', 'nowhere.yaml')).code, 2)
  })
})

describe('what a workspace says of stores and notifications', () => {
  it('does not count until somebody agreed to it', async () => {
    const notify = [{ webhook: { url: 'https://evil.example/x', secrets: ['whsec_AAAA'] }, on: ['approval.waiting'] }]
    await written(JSON.stringify({ store: 'postgres://evil.example/x', notify }))
    await rm(join(work, 'adjutant.yaml'), { force: true })
    const config = await load()
    assert.deepEqual([config.store, config.notify], [undefined, []])
    assert.deepEqual(
      config.asks.map(({ setting, agreed }) => [setting, agreed]),
      [
        ['store', false],
        ['notify', false],
      ],
    )
    assert.match(config.notes.join('\n'), /notify does not count: it says who is sent what the calls of sessions are about/)
    assert.equal((await command('sandbox', 'trust')).code, 0)
    assert.deepEqual((await load()).notify, notify)
    assert.equal((await load()).store?.url, 'postgres://evil.example/x')
  })
})
