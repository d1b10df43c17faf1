import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CallContext, callId, LOCAL_PRINCIPAL, sessionId, traceId } from '../../contract/index.ts'
import { Registry } from '../registry.ts'
import { loadModuleFolder } from './module-folder.ts'

const cx: CallContext = {
  callId: callId('call_1'),
  sessionId: sessionId('s1'),
  traceId: traceId('1'.padStart(32, '0')),
  principal: LOCAL_PRINCIPAL,
  namespace: {
    sessionId: sessionId('s1'),
    directory: async () => '/nowhere',
    path: async (name) => `/nowhere/${name}`,
    issueHandle: async () => 'none',
    readHandle: async () => 'none',
  },
  signal: new AbortController().signal,
  idempotencyKey: 'key',
  log: { debug() {}, info() {}, warn() {}, error() {} },
  progress() {},
  ask: async () => 'yes',
}

let base = ''
let count = 0
before(async () => {
  base = await mkdtemp(join(tmpdir(), 'adjutant-modules-'))
})
after(() => rm(base, { recursive: true, force: true }))

/** A folder with these files; modules are cached by their path, so each test has one of its own. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(base, `case-${++count}`)
  await mkdir(folder)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

const core = JSON.stringify(new URL('./define-tool.ts', import.meta.url).href)
const metadata = (name: string, more = '') =>
  `export const metadata = { name: '${name}', description: 'Does ${name}.', parameters: { type: 'object', properties: {} }${more} }\nexport const execute = async () => '${name}'\n`

describe('loadModuleFolder', () => {
  it('registers modules that export metadata and execute, in order of name', async () => {
    const folder = await folderOf({
      'b.mjs': metadata('b', ", permission: 'read_only', timeout: 5000, returns: 'a text'"),
      'a.ts': `import type { Server } from 'node:http'\nconst unused: Server | undefined = undefined\nvoid unused\n${metadata('a')}`,
      'c/index.js': metadata('c', ", permission: 'dangerous'"),
      'c/helper.js': 'export const x = 1',
      'README.md': '# no module',
    })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      tools.map((tool) => [tool.name, tool.effect, tool.origin.kind, tool.origin.from]),
      [
        ['a', 'write', 'module', join(folder, 'a.ts')],
        ['b', 'read', 'module', join(folder, 'b.mjs')],
        ['c', 'dangerous', 'module', join(folder, 'c/index.js')],
      ],
    )
    assert.deepEqual(tools[1]?.limits, { timeoutMs: 5000 })
    assert.deepEqual(tools[1]?.outputSchema, { description: 'a text' })
    assert.equal(await tools[0]?.execute({}, cx), 'a')
    assert.deepEqual(new Registry().add(tools, folder), [])
  })

  it('leaves out tests, declarations, and what is marked as not meant', async () => {
    const bad = "throw new Error('must not be imported')"
    const folder = await folderOf({
      'a.js': metadata('a'),
      'a.test.js': bad,
      'a.spec.ts': bad,
      'a.test-d.ts': bad,
      'a.d.ts': bad,
      '_shared.js': bad,
      '.hidden.js': bad,
      '_lib/index.js': bad,
      'node_modules/x/index.js': bad,
      'no-index/other.js': bad,
    })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual([tools.length, problems], [1, []])
  })

  it('takes finished tools, several in one module, each once', async () => {
    const folder = await folderOf({
      'many.ts': `import { defineTool } from ${core}
const make = (name: string) => defineTool({ name, description: name, input: true, execute: () => name })
export const one = make('one')
export const again = one
export const list = [make('two'), make('three')]
export { one as default }
`,
      'z-all.ts': "export * from './many.ts'\n",
    })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual(problems, [])
    assert.deepEqual(tools.map((tool) => tool.name).sort(), ['one', 'three', 'two'])
    assert.ok(tools.every((tool) => tool.origin.kind === 'module' && tool.origin.from === join(folder, 'many.ts')))
  })

  it('takes a plain object as default export, and functions beside metadata', async () => {
    const folder = await folderOf({
      'a.js': "export default { name: 'a', description: 'x', input: true, execute() { return this.name } }",
      'b.js': `${metadata('b')}export const effect = () => 'read'\nexport const check = async () => { throw new Error('rule') }\nexport const format = (value) => 'said ' + value\n`,
    })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual(problems, [])
    assert.equal(await tools[0]?.execute({}, cx), 'a')
    const b = tools[1]
    assert.ok(typeof b?.effect === 'function')
    assert.equal(b.effect({}), 'read')
    assert.equal(b.format?.('x', {}), 'said x')
    await assert.rejects(async () => b.check?.({}, cx), /rule/)
  })

  it('takes CommonJS modules', async () => {
    const folder = await folderOf({
      'a.js': "const make = () => ({ metadata: { name: 'a', description: 'x', input: true }, execute: () => 1 })\nmodule.exports = make()",
      'b.js': "module.exports = { name: 'b', description: 'x', input: true, execute: () => 1 }",
    })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['a', 'b'],
    )
  })

  it('names both files of a duplicate, and keeps the first', async () => {
    const folder = await folderOf({ 'a.js': metadata('same'), 'b.js': metadata('same'), 'c.js': metadata('other') })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual(
      tools.map((tool) => tool.origin.from),
      [join(folder, 'a.js'), join(folder, 'c.js')],
    )
    assert.equal(problems.length, 1)
    assert.equal(problems[0]?.code, 'TOOL_NAME_TAKEN')
    assert.equal(problems[0]?.source, join(folder, 'b.js'))
    assert.ok(problems[0]?.message.includes(join(folder, 'a.js')) && problems[0].message.includes(join(folder, 'b.js')))
  })

  const broken: readonly (readonly [string, string, RegExp])[] = [
    ['throws.js', "throw new Error('boom')", /could not be imported: Error: boom/],
    ['rejects.js', "await Promise.reject(new TypeError('later'))", /could not be imported: TypeError: later/],
    ['syntax.js', 'export const = 1', /could not be imported: SyntaxError/],
    ['missing.js', "import './nowhere.js'", /could not be imported: .*nowhere/],
    ['throws-text.js', "throw 'text'", /could not be imported: text/],
    ['nothing.js', '', /exports no tool \(it exports nothing\)/],
    ['unfit.js', 'export const helper = 1', /exports no tool \(it exports helper\)/],
    ['no-execute.js', "export const metadata = { name: 'x', description: 'x', parameters: {} }", /tool "x": execute is missing/],
    ['no-name.js', "export const metadata = { description: 'x', parameters: {} }\nexport const execute = () => 1", /name is missing/],
    ['no-schema.js', "export const metadata = { name: 'x', description: 'x' }\nexport const execute = () => 1", /input is missing/],
    ['twice.js', `${metadata('x', ', execute() {}')}`, /execute is exported and is also in the metadata/],
    ['both.js', `${metadata('x', ', input: true')}`, /input.* say the same/],
    ['level.js', `${metadata('x', ", permission: 'root'")}`, /permission is "root"/],
    ['typo.js', `${metadata('x', ', timeOut: 5')}`, /timeOut is unknown/],
    ['getter.js', "export const metadata = { get name() { throw new Error('trap') } }\nexport const execute = () => 1", /getter\.js: trap/],
  ]
  it('reports each module that fails by its file and what is missing; the others load', async () => {
    const folder = await folderOf({ ...Object.fromEntries(broken.map(([name, content]) => [name, content])), 'good.js': metadata('good') })
    const { tools, problems } = await loadModuleFolder(folder)
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['good'],
    )
    for (const [name, , expected] of broken) {
      const problem = problems.find((one) => one.source === join(folder, name))
      assert.match(problem?.message ?? `${name}: no problem`, expected)
      assert.ok(problem?.message.startsWith(join(folder, name)), problem?.message)
      assert.equal(problem?.code, 'TOOL_INVALID')
      assert.notEqual(problem?.hint, '')
    }
    assert.equal(problems.length, broken.length)
  })

  it('says what is wrong with the folder', async () => {
    const folder = await folderOf({ 'a.js': metadata('a') })
    const missing = await loadModuleFolder(join(folder, 'none'))
    assert.match(missing.problems[0]?.message ?? '', /none does not exist/)
    const file = await loadModuleFolder(join(folder, 'a.js'))
    assert.match(file.problems[0]?.message ?? '', /a\.js is a file, not a folder of modules/)
    assert.deepEqual(await loadModuleFolder(await folderOf({})), { tools: [], problems: [] })
  })
})
