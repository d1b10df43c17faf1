import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, type RunOptions, runMain } from '../../test/run-command.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-cli-search-'))
  const lines = [
    { id: 'a/weather', name: 'get_weather', description: 'Forecast for a city.', inputSchema: { type: 'object', properties: {} } },
    { id: 'b/mail', name: 'send_mail', description: 'Delivers a message.', server: 'post' },
    { name: 'list_files', description: 'Names in a folder.' },
    { type: 'function', function: { name: 'translate', description: 'Puts text into another language.', parameters: { type: 'object' } } },
    { name: 'twin', description: 'One of two owls.' },
    { name: 'twin', description: 'The other owl.' },
  ]
  await put('tools.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))
  await put('list.json', JSON.stringify({ tools: lines }, null, 2))
  await put('array.json', JSON.stringify(lines))
  await put('broken.jsonl', `not json\n${JSON.stringify(lines[0])}\n[]\n{"description":"nameless"}\n`)
  await put('hopeless.jsonl', 'nothing here\n')
  await put(
    'queries.jsonl',
    '{"id":"q1","query":"weather in Oslo"}\n\n{"id":"q2","query":""}\n{"id":3,"query":"select:list_files"}\n{"query":"owl"}\n',
  )
  await put('adjutant.yaml', 'tools:\n  builtin: [read_file, write_file]\n')
})
after(() => rm(folder, { recursive: true, force: true }))

const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)

const search = (args: readonly string[], options: RunOptions = {}): Promise<CommandResult> =>
  runMain(['tools', 'search', ...args], { cwd: folder, env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state') }, ...options })

describe('tools search', () => {
  it('gives one array with --json: ids where the file has them, and why', async () => {
    const { code, stdout } = await search(['the weather in Oslo', '--catalog', 'tools.jsonl', '--json'])
    assert.equal(code, 0)
    const hits: { id?: string; name: string; score: number; why: object[] }[] = JSON.parse(stdout)
    assert.equal(stdout.trimEnd().split('\n').length, 1)
    assert.deepEqual([hits[0]?.id, hits[0]?.name], ['a/weather', 'get_weather'])
    assert.deepEqual(hits[0]?.why[0], { word: 'weather', fields: ['name'] })
    const [nameOnly]: { id?: string }[] = JSON.parse((await search(['folder', '--catalog', 'tools.jsonl', '--json'])).stdout)
    assert.equal(nameOnly?.id, undefined)
  })

  it('reads JSON lines, an array and an answer of tools/list alike, and other forms of definitions', async () => {
    for (const file of ['tools.jsonl', 'array.json', 'list.json']) {
      const { stdout } = await search(['translate into another language', '--catalog', file, '--json'])
      assert.equal(JSON.parse(stdout)[0].name, 'translate', file)
      const owls = await search(['owl', '--catalog', file, '--json'])
      assert.deepEqual(
        JSON.parse(owls.stdout).map(({ name }: { name: string }) => name),
        ['twin', 'twin'],
      )
    }
  })

  it('writes a line a hit for people', async () => {
    const { code, stdout } = await search(['send a message', '--catalog', 'tools.jsonl', '--limit', '1'])
    assert.equal(code, 0)
    assert.match(stdout, /^send_mail {2}[\d.]+ {2}.*send \(name\)/)
    assert.equal(stdout.trimEnd().split('\n').length, 1)
  })

  it('answers many queries at once, one line each, from a file or stdin', async () => {
    const expected = [
      ['q1', ['a/weather']],
      ['q2', []],
      [3, ['list_files']],
      [5, ['twin', 'twin']],
    ]
    const text = await readFile(join(folder, 'queries.jsonl'), 'utf8')
    for (const result of [
      await search(['--catalog', 'tools.jsonl', '--queries', 'queries.jsonl', '--json']),
      await search(['--catalog', 'tools.jsonl', '--queries', '-'], { stdin: text }),
    ]) {
      assert.equal(result.code, 0)
      const answers = result.stdout
        .trimEnd()
        .split('\n')
        .map((line): Answer => JSON.parse(line))
      assert.deepEqual(
        answers.map(({ id, results }) => [id, results.map((hit) => hit.id ?? hit.name)]),
        expected,
      )
    }
  })

  it('searches what is configured where no file is named', async () => {
    const { code, stdout } = await search(['save text to a file', '--json'])
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout)[0].name, 'write_file')
  })

  it('finds nothing without failing', async () => {
    for (const query of ['', '   ', 'zyzzogeton']) {
      const { code, stdout } = await search([query, '--catalog', 'tools.jsonl', '--json'])
      assert.equal(code, 0)
      assert.deepEqual(JSON.parse(stdout), [])
    }
    const { stdout, stderr } = await search(['zyzzogeton', '--catalog', 'tools.jsonl'])
    assert.equal(stdout, '')
    assert.match(stderr, /No tool has any of these words/)
  })

  it('names each line that is no tool, and searches the rest', async () => {
    const { code, stdout, stderr } = await search(['weather', '--catalog', 'broken.jsonl', '--json'])
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).length, 1)
    assert.match(stderr, /broken\.jsonl:1 is not JSON[\s\S]*broken\.jsonl:3 is not an object[\s\S]*broken\.jsonl:4 has no "name"/)
  })

  it('says what is wrong with the call', async () => {
    await put('bad-queries.jsonl', '{"id":"a","query":"x"}\n{"id":"b"}\n')
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /a query or a file of queries is wanted/],
      [['x', '--queries', 'queries.jsonl'], /and not both/],
      [['x', '--catalog', 'gone.jsonl'], /gone\.jsonl cannot be read/],
      [['x', '--catalog', '.'], /cannot be read/],
      [['x', '--catalog', 'hopeless.jsonl'], /hopeless\.jsonl holds no tool/],
      [['--catalog', 'tools.jsonl', '--queries', 'gone.jsonl'], /gone\.jsonl cannot be read/],
      [['--catalog', 'tools.jsonl', '--queries', 'bad-queries.jsonl'], /bad-queries\.jsonl:2 has no "query"/],
      [['x', '--limit', '0'], /1 to 1000/],
    ]
    for (const [args, message] of wrong) {
      const { code, stderr } = await search(args)
      assert.equal(code, 2, args.join(' '))
      assert.match(stderr, message)
    }
    assert.match((await search(['--help'])).stdout, /Example:\n {2}adjutant tools search/)
  })
})

interface Answer {
  readonly id: string | number
  readonly results: readonly { readonly id?: string; readonly name: string }[]
}
