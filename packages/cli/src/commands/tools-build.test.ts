import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { COMMAND, type CommandResult, runMain } from '../../test/run-command.ts'

const ADD = `/**
 * Adds days to a date. Not for durations.
 * @param at from when
 * @param days how many @minimum 1 @integer
 * @readonly
 */
export function addDays(at: Date, days = 1): Date {
  return new Date(at.getTime() + days * 86_400_000)
}
`

let folder = ''
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-cli-build-')))
  // Where descriptions are kept between runs: not in the home of whoever runs the tests.
  process.env.XDG_CACHE_HOME = join(folder, 'cache')
  await put('package.json', '{ "type": "module" }')
  await put('src/add.ts', ADD)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

const run = (args: readonly string[], stdin = ''): Promise<CommandResult> =>
  runMain(args, { cwd: folder, stdin, env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state') } })
const build = (...args: readonly string[]): Promise<CommandResult> => run(['tools', 'build', ...args])

describe('tools build', () => {
  it('writes one file, which the configuration loads and a call runs', async () => {
    const { code, stdout, stderr } = await build('src')
    assert.deepEqual([code, stdout, stderr], [0, 'tools.schema.json: 1 tool of 1 module\n', ''])
    await put('adjutant.yaml', 'tools:\n  builtin: false\n  functions: [./tools.schema.json]\n')
    const listed = await run(['tools', 'list'])
    assert.match(listed.stdout, /^addDays {2}read {2}core {2}function .*add\.ts {2}Adds days to a date\. Not for durations\.\n$/)
    const called = await run(['exec', '--json'], '{"action":"call_tool","tool_name":"addDays","arguments":{"at":"2026-01-31T00:00:00Z"}}')
    assert.match(called.stdout, /2026-02-01T00:00:00\.000Z/)
  })

  it('gives the same tools as naming the sources', async () => {
    await put('adjutant.yaml', 'tools:\n  builtin: false\n  functions: [./src]\n')
    const sources = await run(['tools', 'show', 'addDays', '--dialect', 'mcp', '--json'])
    await build('src')
    await put('adjutant.yaml', 'tools:\n  builtin: false\n  functions: [./tools.schema.json]\n')
    const built = await run(['tools', 'show', 'addDays', '--dialect', 'mcp', '--json'])
    assert.deepEqual([sources.code, built.code], [0, 0])
    assert.deepEqual(JSON.parse(sources.stdout), JSON.parse(built.stdout))
    assert.deepEqual(JSON.parse(sources.stdout).inputSchema.properties.days, {
      type: 'integer',
      description: 'how many',
      minimum: 1,
      default: 1,
    })
  })

  it('writes nothing when a function cannot be described, and says where', async () => {
    await put('src/bad.ts', '/** Bad. */\nexport function bad(done: () => void) {}\n')
    const { code, stdout, stderr } = await build('src')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^! TOOL_INVALID: .*src\/bad\.ts:2:21: bad: done is of type \(\) => void, a function\n/)
    assert.match(stderr, /Nothing was written: 1 fault; 1 tool of 2 modules would be sound\.\n$/)
    await assert.rejects(readFile(join(folder, 'tools.schema.json')), { code: 'ENOENT' })
  })

  it('checks that a file is up to date', async () => {
    await build('src', '--out', 'tools.json')
    assert.equal((await build('src', '--out', 'tools.json', '--check')).code, 0)
    await put('src/add.ts', ADD.replace('days = 1', 'days = 2'))
    const { code, stderr } = await build('src', '--out', 'tools.json', '--check')
    assert.equal(code, 1)
    assert.match(stderr, /^tools\.json is not what would be written now; build it anew\.\n$/)
  })

  it('warns of what a model may get wrong, and writes the file', async () => {
    await put('src/any.ts', '/** Takes it. */\nexport function takeIt(it: any): void {}\n')
    const { code, stdout, stderr } = await build('src')
    assert.deepEqual([code, stdout], [0, 'tools.schema.json: 2 tools of 2 modules\n'])
    assert.match(stderr, /^! warning: .*any\.ts:2:24: it is any: a model may send anything there\n {2}Give it a type\.\n$/)
  })

  it('gives one document with --json', async () => {
    await put('src/any.ts', '/** Takes it. */\nexport function takeIt(it: any): void {}\n')
    const { code, lines } = await build('src', '--json')
    assert.equal(code, 0)
    const { out, written, tools, problems, warnings } = lines[0] ?? {}
    assert.deepEqual([out, written, tools, problems], [join(folder, 'tools.schema.json'), true, ['addDays', 'takeIt'], []])
    assert.match(JSON.stringify(warnings), /any\.ts:2:24: it is any/)
  })

  it('says which package is missing where it is not installed', () => {
    const hook = `import { registerHooks } from 'node:module'
registerHooks({ resolve(name, context, next) {
  if (name === '@adjutant/reflect') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
} })`
    const [program, ...args] = COMMAND
    const preload = `--import=data:text/javascript,${encodeURIComponent(hook)}`
    const { status, stderr } = spawnSync(program, [preload, ...args, 'tools', 'build', 'src'], { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^error UNSUPPORTED: reading tools from sources needs the package @adjutant\/reflect, which is not installed\n/)
    assert.match(stderr, /npm install @adjutant\/reflect/)
  })

  it('says what is wrong with its use', async () => {
    assert.equal((await build()).code, 2)
    const missing = await build('src', '--out', 'none/tools.json')
    assert.deepEqual([missing.code, missing.stdout], [2, ''])
    assert.match(missing.stderr, /USAGE: there is no folder .*none/)
    const none = await build('nowhere')
    assert.equal(none.code, 1)
    assert.match(none.stderr, /nowhere does not exist/)
    const compiled = await build('src', '--compiled')
    assert.match(compiled.stderr, /its tsconfig does not say where it is compiled to/)
    assert.match((await build('--help')).stdout, /Example:\n {2}adjutant tools build src\/tools/)
  })
})
