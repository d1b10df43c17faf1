import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

let folder = ''
const GOOD = {
  name: 'get_invoice',
  description: 'Reads one invoice by its number. Not for drafts: use get_draft.',
  inputSchema: { type: 'object', properties: { number: { type: 'string', description: 'As printed' } } },
}
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-cli-lint-'))
  const put = (name: string, tools: readonly object[]): Promise<void> =>
    writeFile(join(folder, name), tools.map((tool) => `${JSON.stringify(tool)}\n`).join(''))
  await put('good.jsonl', [GOOD])
  await put('noted.jsonl', [{ ...GOOD, description: 'Reads one invoice by its number.' }])
  await put('vague.jsonl', [GOOD, { ...GOOD, name: 'process', description: 'Files a draft for later; not for invoices.' }])
  await put('bad file.jsonl', [GOOD, { ...GOOD, name: 'empty', description: '' }])
  await writeFile(join(folder, 'adjutant.yaml'), 'tools:\n  builtin: [read_file]\n')
})
after(() => rm(folder, { recursive: true, force: true }))

const lint = (...args: readonly string[]): Promise<CommandResult> =>
  runMain(['tools', 'lint', ...args], { cwd: folder, env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state') } })

describe('tools lint', () => {
  it('fails on what is as bad as asked, or worse', async () => {
    const expected: readonly (readonly [string, string | undefined, number])[] = [
      ['good.jsonl', 'note', 0],
      ['noted.jsonl', undefined, 0],
      ['noted.jsonl', 'note', 1],
      ['vague.jsonl', undefined, 1],
      ['vague.jsonl', 'error', 0],
      ['bad file.jsonl', 'error', 1],
    ]
    for (const [file, failOn, code] of expected) {
      const result = await lint('--catalog', file, ...(failOn === undefined ? [] : ['--fail-on', failOn]))
      assert.equal(result.code, code, `${file} ${failOn}: ${result.stdout}`)
    }
  })

  it('tells people rule, tool, reason and next step', async () => {
    const { stdout, stderr } = await lint('--catalog', 'bad file.jsonl')
    assert.equal(
      stdout,
      'error description-empty empty: there is no description\n  Say in one or two sentences what it does, when to use it and when not.\n',
    )
    assert.equal(stderr, '2 tools: 1 error, 0 warnings, 0 notes\n')
  })

  it('gives one document with --json', async () => {
    const { stdout } = await lint('--catalog', 'vague.jsonl', '--json')
    const { tools, counts, findings } = JSON.parse(stdout)
    assert.deepEqual([tools, counts], [2, { error: 0, warning: 1, note: 0 }])
    assert.deepEqual([findings[0].rule, findings[0].severity, findings[0].tools], ['name-vague', 'warning', ['process']])
  })

  it('gives a SARIF log with the file and the line', async () => {
    const { stdout, code } = await lint('--catalog', 'bad file.jsonl', '--sarif')
    assert.equal(code, 1)
    const [result] = JSON.parse(stdout).runs[0].results
    assert.equal(result.ruleId, 'description-empty')
    assert.deepEqual(result.locations[0].physicalLocation, { artifactLocation: { uri: 'bad%20file.jsonl' }, region: { startLine: 2 } })
  })

  it('looks at the configured tools where no file is named', async () => {
    const { stdout, code } = await lint('--json', '--fail-on', 'error')
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).tools, 1)
  })

  it('says what is wrong with the call', async () => {
    for (const args of [
      ['--json', '--sarif'],
      ['--fail-on', 'sorrow'],
      ['--catalog', 'gone.jsonl'],
    ])
      assert.equal((await lint(...args)).code, 2)
    assert.match((await lint('--help')).stdout, /Example:\n {2}adjutant tools lint/)
  })
})
