import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skillFromText } from './load-skill.ts'
import type { Skill } from './skill.ts'

function skill(lines: string, platform = 'linux'): Skill {
  const loaded = skillFromText(`---\nname: s\ndescription: d\n${lines}\n---\nBody`, '/skills/s/SKILL.md', { platform })
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.problem.message)
  return loaded.skill
}

describe('allowed-tools', () => {
  it('is absent where nothing is said', () => {
    assert.equal(skill('').allowedTools, undefined)
    assert.ok(!('allowedTools' in skill('license: MIT')))
  })

  const readable: readonly (readonly [string, readonly string[]])[] = [
    ['allowed-tools: Read Write', ['Read', 'Write']],
    ['allowed-tools: Read, Write,Edit', ['Read', 'Write', 'Edit']],
    ['allowed-tools: [Read, "Write"]', ['Read', 'Write']],
    ['allowed-tools:\n  - Read\n  - Bash(git log:*)', ['Read', 'Bash(git log:*)']],
    ['allowed-tools: Bash(git:*) Bash(uv run pytest *), Read', ['Bash(git:*)', 'Bash(uv run pytest *)', 'Read']],
    ["allowed-tools: ['Azure MCP/docs']", ['Azure MCP/docs']],
    ['allowed-tools: mcp__server__tool', ['mcp__server__tool']],
    ['allowed-tools: []', []],
    ['allowed_tools: Read', ['Read']],
    ['Allowed-Tools: Read', ['Read']],
    ['allowedTools: Read', ['Read']],
  ]
  for (const [lines, expected] of readable) {
    it(`is read: ${JSON.stringify(lines)}`, () => {
      assert.deepEqual(skill(lines).allowedTools, expected)
    })
  }

  const unreadable = [
    'allowed-tools:',
    'allowed-tools: null',
    'allowed-tools: ""',
    'allowed-tools: 7',
    'allowed-tools: true',
    'allowed-tools: {Read: true}',
    'allowed-tools: [Read, 7]',
    'allowed-tools: [Read, [Write]]',
    'allowed-tools:\n  - Bash(git: x)\n  - Read',
    'allowed-tools: Read\nallowed-tools: Bash',
    'allowed-tools: Read\nallowed_tools: Bash',
    'allowed-tools: Bash(git',
    'allowed-tools: git)',
    'note: a: b\nallowed-tools: [Read], [Write]',
    'note: a: b\nallowed-tools: "Read" "Write"',
    'note: a: b\n  allowed-tools: Read',
    'metadata:\n\tnote: a: b\n\tallowed-tools: Read',
  ]
  for (const lines of unreadable) {
    it(`allows nothing where it is not sure: ${JSON.stringify(lines)}`, () => {
      const one = skill(lines)
      assert.deepEqual(one.allowedTools, [])
      assert.ok(one.warnings.some((warning) => warning.includes('allowed-tools')))
    })
  }

  it('survives the repair of another member', () => {
    const one = skill('note: use when: asked\nallowed-tools: Read')
    assert.deepEqual(one.allowedTools, ['Read'])
  })

  it('survives a byte order mark with CRLF', () => {
    const loaded = skillFromText(
      '\uFEFF---\r\nname: s\r\ndescription: d: e\r\nallowed-tools: Read\r\nplatforms: [macos]\r\n---\r\nx',
      '/s/SKILL.md',
      {
        platform: 'linux',
      },
    )
    assert.ok(loaded.ok)
    assert.deepEqual(loaded.skill.allowedTools, ['Read'])
    assert.equal(loaded.skill.forModel, false)
  })
})

describe('whether a model may call the skill', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['', true],
    ['disable-model-invocation: true', false],
    ['disable-model-invocation: "true"', false],
    ['disable-model-invocation: yes', false],
    ['disable-model-invocation: false', true],
    ['disable-model-invocation:', false],
    ['disable-model-invocation: perhaps', false],
    ['disable-model-invocation: false\ndisable-model-invocation: false', false],
    ['disableModelInvocation: true', false],
    ['note: a: b\ndisable-model-invocation: true', false],
    ['note: a: b\n  disable-model-invocation: true', false],
    ['platforms: [linux]', true],
    ['platforms: Linux, macOS', true],
    ['platforms: [macos, windows]', false],
    ['platforms: macos', false],
    ['platforms: {macos: true}', false],
    ['platforms: [3]', false],
    ['platforms:', false],
    ['note: a: b\nplatforms: [macos]', false],
    ['os: windows', false],
  ]
  for (const [lines, expected] of cases) {
    it(`${expected ? 'yes' : 'no'}: ${JSON.stringify(lines)}`, () => {
      assert.equal(skill(lines).forModel, expected)
    })
  }

  it('depends on the machine', () => {
    assert.equal(skill('platforms: [macos]', 'darwin').forModel, true)
    assert.equal(skill('platforms: [windows]', 'win32').forModel, true)
    assert.deepEqual(skill('platforms: [MacOS]', 'darwin').platforms, ['macos'])
  })
})
