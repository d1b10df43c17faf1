import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-cli-tools-'))
  await put(
    'tools/add.js',
    `export const metadata = {
  name: 'add_numbers',
  description: 'Adds two numbers.\\nNot for dates.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  permission: 'read_only',
  timeout: 500,
  returns: { type: 'number' },
}
export const execute = async ({ a, b }) => a + b
`,
  )
  await put(
    'tools/bad.js',
    "export const metadata = { name: 'bad_one', description: 'x', parameters: { type: 'string' } }\nexport const execute = () => 1\n",
  )
  await put('skills/style/SKILL.md', '---\nname: style\ndescription: How reports read.\n---\nShort.')
  await put('adjutant.yaml', 'tools:\n  builtin: [read_file]\n  modules: [./tools]\nskills: [./skills]\n')
})
after(() => rm(folder, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

const tools = (...args: readonly string[]): Promise<CommandResult> =>
  runMain(['tools', ...args], { cwd: folder, env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state') } })

describe('tools list', () => {
  it('lists one tool a line: name, effect, tier, place, purpose', async () => {
    const { code, stdout, stderr } = await tools('list')
    assert.equal(code, 0)
    const rows = stdout.trimEnd().split('\n')
    assert.deepEqual(
      rows.map((row) => row.split(/\s+/, 3)),
      [
        ['read_file', 'read', 'core'],
        ['add_numbers', 'read', 'core'],
        ['style', 'read', 'extended'],
      ],
    )
    assert.match(rows[1] ?? '', /module .*add\.js {2}Adds two numbers\. Not for dates\.$/)
    assert.match(stderr, /TOOL_INVALID: .*bad\.js: tool "bad_one": input describes type "string"/)
  })

  it('gives one document with --json', async () => {
    const { code, lines } = await tools('list', '--json')
    assert.equal(code, 0)
    const { tools: listed, problems } = lines[0] ?? {}
    assert.match(
      JSON.stringify(listed),
      /"name":"add_numbers","effect":"read","tier":"core","lifetime":"session","origin":\{"kind":"module"/,
    )
    assert.match(JSON.stringify(problems), /"code":"TOOL_INVALID"/)
  })

  it('says which configuration is wrong', async () => {
    const { code, stderr } = await tools('list', '--config', 'none.yaml')
    assert.equal(code, 2)
    assert.match(stderr, /CONFIG_INVALID: .*none\.yaml/)
  })
})

describe('tools show', () => {
  it('shows a tool to people', async () => {
    const { code, stdout } = await tools('show', 'add_numbers')
    assert.equal(code, 0)
    assert.match(stdout, /^add_numbers\n\nAdds two numbers\.\nNot for dates\.\n/)
    assert.match(stdout, /effect: {7}read\n/)
    assert.match(stdout, /timeout: {6}500 ms\n/)
    assert.match(stdout, /arguments:\n {2}\{\n {4}"type": "object"/)
    assert.match(stdout, /returns:\n {2}\{\n {4}"type": "number"/)
  })

  const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }
  const [name, description] = ['add_numbers', 'Adds two numbers.\nNot for dates.']
  const forms: Readonly<Record<string, unknown>> = {
    'openai-chat': { type: 'function', function: { name, description, parameters: schema } },
    'openai-responses': { type: 'function', name, description, parameters: schema, strict: false },
    anthropic: { name, description, input_schema: schema },
    gemini: { functionDeclarations: [{ name, description, parametersJsonSchema: schema }] },
    mcp: { name, description, inputSchema: schema },
  }
  for (const [form, expected] of Object.entries(forms)) {
    it(`writes the definition in the form of ${form}`, async () => {
      const { code, stdout } = await tools('show', name, '--dialect', form)
      assert.equal(code, 0)
      assert.deepEqual(JSON.parse(stdout), expected)
      assert.ok(stdout.includes('\n  '))
      const compact = await tools('show', name, '--dialect', form, '--json')
      assert.equal(compact.stdout.trimEnd().split('\n').length, 1)
      assert.deepEqual(JSON.parse(compact.stdout), expected)
    })
  }

  it('says what is wrong with a name or a dialect', async () => {
    const typo = await tools('show', 'add_number')
    assert.equal(typo.code, 1)
    assert.match(typo.stderr, /NOT_FOUND: there is no tool "add_number"\n {2}Did you mean add_numbers/)
    for (const inherited of ['constructor', '__proto__']) assert.equal((await tools('show', inherited)).code, 1)
    const dialect = await tools('show', name, '--dialect', 'cobol')
    assert.equal(dialect.code, 2)
    assert.match(dialect.stderr, /openai-chat/)
    assert.equal((await tools('show')).code, 2)
  })

  it('has help with an example', async () => {
    for (const verb of [[], ['list'], ['show']]) {
      const { code, stdout } = await tools(...verb, '--help')
      assert.equal(code, 0)
      assert.match(stdout, /Example:\n {2}adjutant tools/)
    }
    assert.equal((await tools()).code, 2)
  })
})
