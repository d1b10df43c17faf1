import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-cli-skills-'))
  await put(
    'a/house-style/SKILL.md',
    '---\nname: house-style\ndescription: How our reports read.\nallowed-tools: Read\n---\n# Style\n\nShort.',
  )
  await put('a/house-style/words.md', 'x')
  await put('a/broken/SKILL.md', '---\nname: broken\n---\n')
  await put('b/other-name/SKILL.md', '---\nname: odd\ndescription: "Wipes\\u001b[2J the screen"\nallowed-tools: 7\n---\nx')
  await put('b/house-style/SKILL.md', '---\nname: house-style\ndescription: Another way.\n---\nx')
  await put('adjutant.yaml', 'skills:\n  - ./b\n')
})
after(() => rm(folder, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

const skills = (...args: readonly string[]): Promise<CommandResult> => runMain(['skills', ...args], { cwd: folder })

describe('skills list', () => {
  it('lists one skill a line, and says what was left out', async () => {
    const { code, stdout, stderr } = await skills('list', '--folder', 'a', '--folder', './b')
    assert.equal(code, 0)
    assert.deepEqual(stdout.split('\n'), [
      'house-style  -                     How our reports read.',
      'odd          no tools, 2 warnings  Wipes\\x1b[2J the screen',
      '',
    ])
    assert.match(stderr, /SKILL_INVALID: .*broken\/SKILL\.md has no description/)
    assert.match(stderr, /TOOL_NAME_TAKEN: .*b\/house-style\/SKILL\.md.*hidden by.*a\/house-style\/SKILL\.md/)
  })

  it('takes the folders of the configuration where none is named', async () => {
    const { code, lines } = await skills('list', '--json')
    assert.equal(code, 0)
    assert.deepEqual(Object.keys(lines[0] ?? {}), ['skills', 'problems'])
    assert.match(JSON.stringify(lines[0]?.skills), /"name":"house-style","description":"Another way\."/)
  })

  it('fails when nothing could be loaded, and only then', async () => {
    const missing = await skills('list', '--folder', 'nowhere')
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /nowhere does not exist/)
    const file = await skills('list', '--folder', 'adjutant.yaml')
    assert.equal(file.code, 1)
    assert.match(file.stderr, /adjutant\.yaml is a file/)
    await mkdir(join(folder, 'empty'), { recursive: true })
    const empty = await skills('list', '--folder', 'empty')
    assert.deepEqual([empty.code, empty.stdout], [0, ''])
    assert.match(empty.stderr, /There are no skills in/)
    const none = await runMain(['skills', 'list'], { cwd: join(folder, 'empty') })
    assert.equal(none.code, 0)
    assert.match(none.stderr, /No folder of skills is named/)
  })
})

describe('skills show', () => {
  it('shows what a skill says and what it may use', async () => {
    const { code, stdout } = await skills('show', 'house-style', '--folder', 'a')
    assert.equal(code, 0)
    assert.match(stdout, /^house-style\n\nHow our reports read\.\n/)
    assert.match(stdout, /may use: {2}Read\n/)
    assert.match(stdout, /files: {4}words\.md\n/)
    assert.match(stdout, /# Style\n\nShort\.\n$/)
  })

  it('gives one document with --json', async () => {
    const { lines } = await skills('show', 'odd', '--folder', 'b', '--json')
    assert.deepEqual([lines[0]?.name, lines[0]?.body, lines[0]?.allowedTools], ['odd', 'x', []])
  })

  it('names the nearest skills for one that does not exist', async () => {
    const { code, stderr, stdout } = await skills('show', 'housestyle', '--folder', 'a', '--json')
    assert.equal(code, 1)
    assert.match(stderr, /NOT_FOUND: there is no skill "housestyle"\n {2}Did you mean house-style\?/)
    assert.equal(JSON.parse(stdout).code, 'NOT_FOUND')
    const inherited = await skills('show', '__proto__', '--folder', 'a')
    assert.equal(inherited.code, 1)
  })
})

describe('skills validate', () => {
  it('passes a fit skill, by folder and by file', async () => {
    for (const path of ['a/house-style', 'a/house-style/SKILL.md']) {
      const { code, stdout } = await skills('validate', path)
      assert.equal(code, 0)
      assert.match(stdout, /^fit {3}house-style {2}.*SKILL\.md\n$/)
    }
  })

  it('fails for a problem, and with --strict for a warning', async () => {
    const bad = await skills('validate', 'a')
    assert.equal(bad.code, 1)
    assert.match(bad.stdout, /bad {3}.*broken\/SKILL\.md has no description\n {6}Say in description/)
    const odd = await skills('validate', 'b/other-name')
    assert.equal(odd.code, 0)
    assert.match(odd.stdout, /warn {2}odd.*\n {6}.*differs from the folder's/)
    const strict = await skills('validate', 'b/other-name', '--strict', '--json')
    assert.equal(strict.code, 1)
    assert.equal(strict.lines[0]?.ok, false)
  })

  it('fails where there is no skill', async () => {
    for (const [path, expected] of [
      ['empty', /holds no skill/],
      ['nowhere', /nowhere does not exist/],
      ['adjutant.yaml', /is a file/],
    ] as const) {
      await mkdir(join(folder, 'empty'), { recursive: true })
      const { code, stdout, stderr } = await skills('validate', path)
      assert.equal(code, 1)
      assert.match(stdout + stderr, expected)
    }
  })

  it('has help with an example', async () => {
    for (const verb of [[], ['list'], ['show'], ['validate']]) {
      const { code, stdout } = await skills(...verb, '--help')
      assert.equal(code, 0)
      assert.match(stdout, /Example:\n {2}adjutant skills/)
    }
    assert.equal((await skills()).code, 2)
    assert.equal((await skills('validate')).code, 2)
    assert.equal((await skills('show')).code, 2)
  })
})
