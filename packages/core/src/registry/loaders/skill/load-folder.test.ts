import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type CallContext, callId, LOCAL_PRINCIPAL, sessionId, traceId } from '../../../contract/index.ts'
import { Registry } from '../../registry.ts'
import { loadSkillFolder, loadSkillFolders } from './load-folder.ts'
import { loadSkill } from './load-skill.ts'

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
let root = ''
let count = 0
before(async () => {
  base = await mkdtemp(join(tmpdir(), 'adjutant-skills-'))
})
beforeEach(async () => {
  root = join(base, `case-${++count}`)
  await mkdir(root)
})
after(() => rm(base, { recursive: true, force: true }))

async function put(path: string, content: string | Uint8Array): Promise<string> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  return file
}

const text = (name: string, description = `Does ${name}.`, body = '# Steps') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`

async function run(name: string, folder = root): Promise<string> {
  const { tools } = await loadSkillFolder(folder)
  const tool = tools.find((one) => one.name === name)
  assert.ok(tool, `${name} is not among ${tools.map((one) => one.name)}`)
  const execution = tool.execute({}, cx)
  assert.ok(execution instanceof Promise)
  return String(await execution)
}

describe('loadSkillFolder', () => {
  it('finds skills at any depth, in order of name, and nothing inside of a skill', async () => {
    await put('b/SKILL.md', text('b'))
    await put('group/.curated/a/SKILL.md', text('a'))
    await put('b/inner/SKILL.md', text('inner'))
    await put('node_modules/x/SKILL.md', text('x'))
    await put('README.md', '# no skill')
    const { skills, tools, problems } = await loadSkillFolder(root)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      skills.map((skill) => skill.name),
      ['b', 'a'],
    )
    assert.deepEqual(new Registry().add(tools, root), [])
    assert.deepEqual(
      tools.map((tool) => [tool.name, tool.description, tool.effect, tool.origin.kind, tool.origin.from]),
      [
        ['b', 'Does b.', 'read', 'skill', join(root, 'b/SKILL.md')],
        ['a', 'Does a.', 'read', 'skill', join(root, 'group/.curated/a/SKILL.md')],
      ],
    )
  })

  it('takes the folder of one skill, or its file', async () => {
    const file = await put('one/SKILL.md', text('one'))
    assert.equal((await loadSkillFolder(join(root, 'one'))).skills[0]?.name, 'one')
    assert.equal((await loadSkillFolder(file)).skills[0]?.name, 'one')
  })

  it('says what is wrong with the folder', async () => {
    const file = await put('plain.txt', 'x')
    const cases: readonly (readonly [string, RegExp])[] = [
      [file, /plain\.txt is a file, not a folder of skills/],
      [join(root, 'missing'), /missing does not exist/],
      [join(file, 'below'), /cannot be read/],
    ]
    for (const [path, expected] of cases) {
      const { problems, tools } = await loadSkillFolder(path)
      assert.deepEqual(tools, [])
      assert.equal(problems.length, 1)
      assert.equal(problems[0]?.code, 'SKILL_INVALID')
      assert.match(problems[0]?.message ?? '', expected)
      assert.notEqual(problems[0]?.hint, '')
    }
    const empty = await loadSkillFolder(root)
    assert.deepEqual(empty, { skills: [], tools: [], problems: [] })
  })

  it('reports each bad skill by its file and loads the others', async () => {
    await put('good/SKILL.md', text('good'))
    const bad: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
      ['empty', '', /is empty/],
      ['no-front', '# Title', /does not begin with a line of ---/],
      ['open', '---\nname: x\n', /no second line/],
      ['no-description', '---\nname: x\n---\n', /has no description/],
      ['blank-description', '---\nname: x\ndescription: "  "\n---\n', /an empty description/],
      ['list-description', '---\nname: x\ndescription: [a, b]\n---\n', /a description that is a list/],
      ['map-description', '---\nname: x\ndescription:\n  a: b\n---\n', /a description that is a map/],
      ['broken', '---\nname: [x\ndescription: y\n---\n', /not valid YAML/],
      ['binary', Uint8Array.of(0x2d, 0x2d, 0x2d, 0x0a, 0, 1, 2), /is binary/],
      ['latin', Uint8Array.of(0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0x0a), /not text in UTF-8/],
      ['huge', `---\nname: x\ndescription: y\n---\n${'x'.repeat(600_000)}`, /has 600\d+ bytes \(limit/],
    ]
    for (const [name, content] of bad) await put(`${name}/SKILL.md`, content)
    await mkdir(join(root, 'folder/SKILL.md'), { recursive: true })
    const { skills, problems } = await loadSkillFolder(root)
    assert.deepEqual(
      skills.map((skill) => skill.name),
      ['good'],
    )
    assert.equal(problems.length, bad.length + 1)
    for (const [name, , expected] of bad) {
      const one = problems.find((problem) => problem.source === join(root, name, 'SKILL.md'))
      assert.match(one?.message ?? `${name}: no problem`, expected)
      assert.equal(one?.code, 'SKILL_INVALID')
    }
    assert.match(problems.find((problem) => problem.source.includes('folder'))?.message ?? '', /is not a file/)
  })

  it('loads what is only odd, with a warning', async () => {
    await put('other/SKILL.md', '---\nname: PDF Tools\ndescription: x\nmetadata: [a]\nunknown: kept\n---\n')
    await put('nameless/skill.md', `---\ndescription: ${'y'.repeat(1_100)}\n---\nx`)
    await put('wide/SKILL.md', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text('wide'), 'utf16le')]))
    const { skills, tools, problems } = await loadSkillFolder(root)
    assert.deepEqual(problems, [])
    const byFolder = new Map(skills.map((skill) => [skill.directory.slice(root.length + 1), skill]))
    const other = byFolder.get('other')?.warnings.join('\n') ?? ''
    assert.match(other, /not made of small letters/)
    assert.match(other, /differs from the folder's/)
    assert.match(other, /metadata is not a map/)
    assert.match(other, /no instructions/)
    assert.equal(byFolder.get('other')?.fields.unknown, 'kept')
    const nameless = byFolder.get('nameless')
    assert.equal(nameless?.name, 'nameless')
    assert.match(nameless?.warnings.join('\n') ?? '', /called skill\.md.*1100 characters.*name is missing/s)
    assert.match(byFolder.get('wide')?.warnings.join() ?? '', /not in UTF-8/)
    const renamed = tools.find((tool) => tool.origin.originalName !== undefined)
    assert.equal(renamed?.name, 'PDF_Tools')
    assert.equal(renamed?.origin.originalName, 'PDF Tools')
  })

  it('follows links, and ends on one that leads back', async () => {
    await put('real/a/SKILL.md', text('a'))
    await mkdir(join(root, 'skills'))
    await symlink(join(root, 'real'), join(root, 'skills/linked'))
    await symlink(join(root, 'skills'), join(root, 'skills/again'))
    await symlink('loop', join(root, 'skills/loop'))
    await symlink('gone', join(root, 'skills/dangling'))
    const { skills, problems } = await loadSkillFolder(join(root, 'skills'))
    assert.deepEqual(
      skills.map((skill) => skill.name),
      ['a'],
    )
    assert.deepEqual(
      problems.map((problem) => problem.message.slice(root.length)),
      ['/skills/dangling does not exist', '/skills/loop is a symbolic link that leads back to itself'],
    )
  })

  it('does not wait for a pipe that nobody writes to', { skip: process.platform === 'win32' }, async () => {
    await mkdir(join(root, 'pipe'))
    execFileSync('mkfifo', [join(root, 'pipe/SKILL.md')])
    const { problems } = await loadSkillFolder(root)
    assert.match(problems[0]?.message ?? '', /is not a file/)
  })

  it('reports a folder that may not be read', { skip: process.getuid?.() === 0 || process.platform === 'win32' }, async () => {
    await put('closed/a/SKILL.md', text('a'))
    await chmod(join(root, 'closed'), 0)
    try {
      const { problems } = await loadSkillFolder(root)
      assert.match(problems[0]?.message ?? '', /closed cannot be read/)
    } finally {
      await chmod(join(root, 'closed'), 0o700)
    }
  })

  it('keeps a skill from the model that asks for it, but not from people', async () => {
    await put('hidden/SKILL.md', '---\nname: hidden\ndescription: x\ndisable-model-invocation: true\n---\nx')
    const { skills, tools } = await loadSkillFolder(root)
    assert.equal(skills[0]?.forModel, false)
    assert.deepEqual(tools, [])
  })
})

describe('loadSkillFolders', () => {
  it('lets the folder named first win, and reports the other one', async () => {
    await put('project/handoff/SKILL.md', text('handoff', 'The project way.'))
    await put('user/handoff/SKILL.md', text('handoff', 'The general way.'))
    const { skills, problems } = await loadSkillFolders([join(root, 'project'), join(root, 'user')])
    assert.deepEqual(
      skills.map((skill) => skill.description),
      ['The project way.'],
    )
    assert.equal(problems[0]?.code, 'TOOL_NAME_TAKEN')
    assert.equal(problems[0]?.source, join(root, 'user/handoff/SKILL.md'))
    assert.match(problems[0]?.message ?? '', /user\/handoff\/SKILL\.md.*hidden by.*project\/handoff\/SKILL\.md/)
  })

  it('says nothing of a second copy, whatever its line ends', async () => {
    await put('a/x/SKILL.md', text('x'))
    await put('b/x/SKILL.md', `\uFEFF${text('x').replaceAll('\n', '\r\n')}`)
    const { skills, problems } = await loadSkillFolders([join(root, 'a'), join(root, 'b')])
    assert.deepEqual([skills.length, problems], [1, []])
  })

  it('keeps apart what becomes equal as a legal name', async () => {
    await put('a/SKILL.md', text('signal:configure'))
    await put('b/SKILL.md', text('signal configure'))
    await put('c/SKILL.md', text('signal_configure'))
    const { tools, problems } = await loadSkillFolder(root)
    assert.deepEqual(problems, [])
    assert.equal(new Set(tools.map((tool) => tool.name)).size, 3)
    assert.equal(tools.find((tool) => tool.name === 'signal_configure')?.origin.from, join(root, 'c/SKILL.md'))
    assert.deepEqual(new Registry().add(tools, root), [])
  })

  it('counts a folder that is named twice once', async () => {
    await put('x/SKILL.md', text('x'))
    const { skills, problems } = await loadSkillFolders([root, root, join(root, '.')])
    assert.deepEqual([skills.length, problems], [1, []])
  })
})

describe('a skill as a tool', () => {
  it('gives its instructions, its folder and the names of its files', async () => {
    await put('pdf/SKILL.md', '---\nname: pdf\ndescription: x\nallowed-tools: Read\ncompatibility: Needs qpdf\n---\n# Steps\n\n1. Read.\n')
    await put('pdf/scripts/extract.py', 'print()')
    await put('pdf/a<b>.md', '')
    const said = await run('pdf')
    assert.equal(
      said,
      [
        '<skill_content name="pdf">',
        '# Steps\n\n1. Read.',
        '',
        'Needs: Needs qpdf',
        'Tools that this skill may use: Read',
        `Skill directory: ${join(root, 'pdf')}`,
        'Relative paths in this skill are relative to that directory.',
        '<skill_resources>',
        '<file>a&lt;b&gt;.md</file>',
        '<file>scripts/extract.py</file>',
        '</skill_resources>',
        'Read one of them by calling this skill with {"file": "its name"}. Scripts among them cannot be run here: no sandbox is configured.',
        '</skill_content>',
      ].join('\n'),
    )
  })

  it('says how a script among its files is run, where the session can', async () => {
    await put('pdf/SKILL.md', text('p"df'))
    await put('pdf/scripts/extract.py', 'print()')
    const { tools } = await loadSkillFolder(root)
    const asked: string[] = []
    const hasTool = (name: string) => asked.push(name) > 0
    const said = String(await tools[0]?.execute({}, { ...cx, hasTool }))
    assert.match(
      said,
      /Run a script among them with run_skill_script \{"skill": "p\\"df", "script": "its name", "args": \["…"\]\}; leave args out where it needs none\./,
    )
    assert.doesNotMatch(said, /cannot be run/)
    assert.deepEqual(asked, ['run_skill_script'])
    assert.match(String(await tools[0]?.execute({}, { ...cx, hasTool: () => false })), /cannot be run here/)
  })

  it('lists no more files than a model can use', async () => {
    await put('many/SKILL.md', text('many'))
    for (let file = 0; file < 120; file++) await put(`many/data/${file}.txt`, '')
    const said = await run('many')
    assert.equal(said.match(/<file>/g)?.length, 100)
    assert.match(said, /\(and more\)/)
  })

  it('says so when its file is gone', async () => {
    const file = await put('late/SKILL.md', text('late'))
    const { tools } = await loadSkillFolder(root)
    await rm(file)
    await assert.rejects(async () => tools[0]?.execute({}, cx), { code: 'NOT_FOUND', message: /late.*SKILL\.md does not exist/ })
  })
})

describe('loadSkill', () => {
  it('names what it was given', async () => {
    const file = await put('notes.md', 'x')
    for (const [path, expected] of [
      [file, /notes\.md is a file, not the folder of a skill/],
      [join(root, 'none'), /none does not exist/],
      [root, /holds no SKILL\.md/],
    ] as const) {
      const loaded = await loadSkill(path)
      assert.ok(!loaded.ok)
      assert.match(loaded.problem.message, expected)
    }
  })
})
