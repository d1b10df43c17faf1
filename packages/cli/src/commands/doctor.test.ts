import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { runMain } from '../../test/run-command.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
}

function isReport(value: unknown): value is { readonly ok: boolean; readonly checks: readonly Check[] } {
  return typeof value === 'object' && value !== null && 'ok' in value && 'checks' in value && Array.isArray(value.checks)
}

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-doctor-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function doctor(env: Record<string, string> = {}): Promise<{ code: number | null; ok: boolean; check(name: string): Check }> {
  const { code, stdout } = await runMain(['doctor', '--json'], {
    cwd: folder,
    env: { HOME: folder, XDG_STATE_HOME: join(folder, '..', 'adjutant-doctor-state'), ...env },
  })
  const report: unknown = JSON.parse(stdout)
  assert.ok(isReport(report), stdout)
  return {
    code,
    ok: report.ok,
    check(name) {
      const found = report.checks.find((each) => each.name === name)
      assert.ok(found !== undefined, `${name} in ${stdout}`)
      return found
    },
  }
}

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
)

describe('doctor', () => {
  it('is content with a bare machine, says what is not set, and leaves nothing behind', async () => {
    const { code, ok, check } = await doctor({ OPENAI_API_KEY: 'k' })
    assert.equal(code, 0)
    assert.equal(ok, true)
    assert.match(check('node').detail, /^\d+\.\d+/)
    assert.match(check('sqlite').detail, /^SQLite 3\.\d+/)
    assert.match(check('config').detail, /^none/)
    assert.match(check('OPENAI_API_KEY').detail, /^set/)
    assert.match(check('ANTHROPIC_API_KEY').fix ?? '', /export ANTHROPIC_API_KEY=/)
    assert.match(check('GEMINI_API_KEY').fix ?? '', /gemini:NAME/)
    assert.match(check('sandbox').detail, /^bash: \w+, python: \w+, js: quickjs, sql: sqljs$/)
    assert.match(check('box quickjs').detail, /^QuickJS .*; taken for js$/)
    assert.match(check('box sqljs').detail, /; taken for sql$/)
    for (const name of ['bubblewrap', 'container', 'e2b', 'landlock', 'seatbelt']) {
      const { detail, fix } = check(`box ${name}`)
      if (detail.startsWith('not here: ') && !detail.endsWith('not set up')) assert.notEqual(fix ?? '', '', name)
      else assert.match(detail, /; (taken for|not taken: another comes first|too weak to be taken: .* not held)|not set up$/)
    }
    if (process.platform !== 'darwin') assert.match(check('box seatbelt').detail, /^not here: seatbelt is there for macOS only$/)
    assert.match(check('terminal').detail, /nobody can be asked/)
    assert.deepEqual(await readdir(folder), [])
  })

  it('starts the servers, looks at skills and modules, and names each gap', async () => {
    await mkdir(join(folder, 'skills', 'good'), { recursive: true })
    await writeFile(join(folder, 'skills', 'good', 'SKILL.md'), '---\nname: good\ndescription: Does good.\n---\nDo it.\n')
    await mkdir(join(folder, 'modules'))
    await writeFile(join(folder, 'modules', 'broken.mjs'), 'throw new Error("this module is broken")')
    await writeFile(
      join(folder, 'adjutant.json'),
      JSON.stringify({
        skills: ['skills', 'missing'],
        tools: { modules: ['modules'], builtin: ['read_fil'] },
        mcpServers: {
          everything: { command: process.execPath, args: [everything, 'stdio'] },
          gone: { command: 'no-such-program-anywhere' },
          off: { command: 'x', disabled: true },
        },
      }),
    )
    const { code, ok, check } = await doctor()
    assert.equal(code, 1)
    assert.equal(ok, false)
    assert.match(check('mcp everything').detail, /^started, \d+ tools/)
    assert.equal(check('mcp everything').ok, true)
    assert.equal(check('mcp gone').ok, false)
    assert.match(check('mcp gone').detail, /^did not start: .*no-such-program-anywhere/)
    assert.equal(check('mcp off').ok, true)
    assert.equal(check(`skills ${join(folder, 'skills')}`).ok, true)
    assert.equal(check(`skills ${join(folder, 'missing')}`).ok, false)
    assert.match(check(`modules ${join(folder, 'modules')}`).detail, /this module is broken/)
    assert.match(check('read_fil').fix ?? '', /read_file/)
    for (const name of ['mcp gone', `skills ${join(folder, 'missing')}`]) assert.notEqual(check(name).fix ?? '', '')
  })

  it('says what is wrong with the configuration and with the workspace', async () => {
    await writeFile(join(folder, 'adjutant.yaml'), 'maxRounds: 0\n')
    const wrong = await doctor()
    assert.equal(wrong.code, 1)
    assert.match(wrong.check('config').detail, /adjutant\.yaml:1:12/)
    await writeFile(join(folder, 'adjutant.yaml'), 'workspace: nowhere\n')
    const { check } = await doctor()
    assert.equal(check('workspace').ok, false)
    assert.notEqual(check('workspace').fix ?? '', '')
  })

  it('tells people the same in lines', async () => {
    const { code, stdout } = await runMain(['doctor'], {
      cwd: folder,
      env: { HOME: folder, XDG_STATE_HOME: '/nowhere/to/be/found', LANG: 'C.UTF-8' },
    })
    assert.equal(code, 0)
    assert.match(stdout, /^✓ node +\d/m)
    assert.doesNotMatch(stdout, /\u001b/)
  })
})
