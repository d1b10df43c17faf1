// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configurations hold such references
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import type { Config } from './config.ts'
import { loadConfig } from './load-config.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-config-'))
})
after(() => rm(folder, { recursive: true, force: true }))

async function load(name: string, text: string, env: Record<string, string> = {}): Promise<Config> {
  await writeFile(join(folder, name), text)
  try {
    return await loadConfig({ cwd: folder, env: { HOME: '/home/somebody', ...env } }, name)
  } finally {
    await rm(join(folder, name))
  }
}

/** The place is told relative to the folder. */
async function fault(name: string, text: string, env: Record<string, string> = {}): Promise<string> {
  try {
    await load(name, text, env)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, 'CONFIG_INVALID')
    assert.notEqual(error.hint, '')
    return error.message.replaceAll(`${folder}/`, '')
  }
  return assert.fail('nothing was wrong')
}

describe('a configuration', () => {
  it('is all defaults where there is no file', async () => {
    const config = await loadConfig({ cwd: folder, env: { HOME: '/home/somebody' } })
    assert.equal(config.file, undefined)
    assert.equal(config.workspace, folder)
    assert.equal(config.approve, 'ask')
    assert.equal(config.approveGiven, false)
    assert.equal(config.maxRounds, 8)
    assert.equal(config.builtin, true)
    assert.equal(config.sessionsFolder, '/home/somebody/.local/state/adjutant/sessions')
  })

  it('is read from YAML, paths from its own folder and variables from the environment', async () => {
    const config = await load(
      'adjutant.yaml',
      [
        'model: replay:talk.jsonl',
        'workspace: ./work',
        'approve: allow',
        'limits: { concurrency: 4 }',
        'tools: { builtin: [read_file], modules: [tools] }',
        'skills: [skills, /else/where]',
        'databases: { sales: data/sales.sqlite }',
        'mcpServers:',
        '  files: { command: node, args: ["server.js", "${ROOT}"], env: { TOKEN: "a${TOKEN}b" } }',
        '  far: { url: "https://example.org/mcp", headers: { authorization: "Bearer ${TOKEN:-none}" } }',
        'system: "costs $${MONEY} and ${UNSET:-nothing}"',
      ].join('\n'),
      { ROOT: '/r', TOKEN: '${ROOT}' },
    )
    assert.equal(config.model, `replay:${folder}/talk.jsonl`)
    assert.equal(config.workspace, join(folder, 'work'))
    assert.equal(config.approve, 'allow')
    assert.deepEqual(config.builtin, ['read_file'])
    assert.deepEqual(config.modules, [join(folder, 'tools')])
    assert.deepEqual(config.skills, [join(folder, 'skills'), '/else/where'])
    assert.deepEqual(config.databases, { sales: join(folder, 'data/sales.sqlite') })
    // What a variable holds is not expanded again.
    assert.deepEqual(config.mcpServers.files, { command: 'node', args: ['server.js', '/r'], env: { TOKEN: 'a${ROOT}b' }, cwd: folder })
    assert.deepEqual(config.mcpServers.far, { url: 'https://example.org/mcp', headers: { authorization: 'Bearer ${ROOT}' } })
    assert.equal(config.system, 'costs ${MONEY} and nothing')
  })

  it('is read from JSON and from a module', async () => {
    assert.equal((await load('adjutant.json', '{\n\t"$schema": "x",\n\t"maxRounds": 3\n}')).maxRounds, 3)
    assert.equal(
      (await load('adjutant.ts', "export const config = { model: 'openai:' + ('gpt' as string), maxRounds: 2 }")).model,
      'openai:gpt',
    )
    assert.equal((await load('empty.yaml', '')).maxRounds, 8)
    assert.equal((await load('bom.yaml', '\ufeffmaxRounds: 5\r\n')).maxRounds, 5)
  })

  it('takes a file of another MCP host as it is, and none of its permissions', async () => {
    const config = await load(
      '.mcp.json',
      JSON.stringify({
        inputs: [],
        mcpServers: {
          a: { command: 'npx', args: ['x'], autoApprove: ['*'], alwaysAllow: ['y'], type: 'stdio' },
          b: { type: 'http', url: 'http://localhost:1/mcp' },
        },
      }),
    )
    assert.deepEqual(Object.keys(config.mcpServers), ['a', 'b'])
    assert.deepEqual(config.mcpServers.a, { command: 'npx', args: ['x'], type: 'stdio', cwd: folder })
    assert.equal(config.approve, 'ask')
  })

  it('names the place of a wrong key and the nearest right one', async () => {
    assert.equal(
      await fault('adjutant.yaml', 'model: openai:x\nmaxRound: 3\n'),
      'adjutant.yaml:2:1: the configuration has no key "maxRound"; did you mean "maxRounds"?',
    )
    assert.match(
      await fault('a.yaml', 'mcpServers:\n  files:\n    comand: node\n'),
      /^a\.yaml:3:5: mcpServers\.files has no key "comand"; did you mean "command"/,
    )
    assert.match(await fault('a.json', '{\n  "mcpservers": {}\n}'), /^a\.json:2:3: .*did you mean "mcpServers"/)
  })

  it('names the place of a wrong value', async () => {
    assert.match(await fault('a.yaml', 'maxRounds: many'), /^a\.yaml:1:12: maxRounds must be a whole number, not a string$/)
    assert.match(
      await fault('a.yaml', 'approve: yes please'),
      /^a\.yaml:1:10: approve must be one of "ask", "allow-edits", "plan", "allow", "deny"$/,
    )
    assert.match(await fault('a.yaml', 'skills: ./skills'), /^a\.yaml:1:9: skills must be a list, not a string$/)
    assert.match(await fault('a.yaml', '- a\n- b'), /^a\.yaml:1:1: the configuration must be a mapping, not a list$/)
    assert.match(await fault('a.yaml', 'tools: { builtin: 3 }'), /^a\.yaml:1:19: tools\.builtin must be true, false or a list of names$/)
    assert.match(await fault('a.yaml', 'mcpServers:\n  x: {}\n'), /^a\.yaml:2:6: mcpServers\.x has neither "command" nor "url"$/)
    assert.match(await fault('a.yaml', 'limits:\n  timeoutMs: 0\nmaxRounds: 0\n'), /a\.yaml:2:14: .*; .*a\.yaml:3:12: /)
  })

  it('names the line of a missing variable', async () => {
    assert.equal(
      await fault('a.yaml', 'mcpServers:\n  x:\n    command: node\n    env:\n      KEY: "prefix ${NO_SUCH_THING}"\n'),
      'a.yaml:5:20: the environment variable NO_SUCH_THING is not set',
    )
    assert.match(await fault('a.yaml', 'system: |\n  one\n  two ${MISSING}\n'), /^a\.yaml:3:7: /)
    assert.match(await fault('a.yaml', 'system: "${not a name}"'), /^a\.yaml:1:10: .*is no variable reference$/)
    assert.match(await fault('a.yaml', 'system: "${UNCLOSED"'), /is no variable reference$/)
    assert.match(await fault('missing.ts', "export const config = { system: '${MISSING}' }"), /^missing\.ts \(at system\): /)
    assert.match(await fault('a.yaml', 'system: "${constructor}"'), /constructor is not set/)
  })

  it('names the place of a syntax error', async () => {
    assert.match(await fault('a.yaml', 'model: "open\n'), /^a\.yaml:\d+:\d+: /)
    assert.match(await fault('a.json', '{ "model": }x'), /^a\.json:1:\d+: /)
    assert.match(await fault('a.yaml', 'model: a\nmodel: b\n'), /^a\.yaml:2:1: .*unique/)
    assert.match(await fault('other.ts', 'export const other = 1'), /exports neither/)
    assert.match(await fault('throws.ts', 'throw new Error("boom")'), /boom/)
  })

  it('refuses what is no text, too large, or no file', async () => {
    await writeFile(join(folder, 'binary.yaml'), Buffer.from([0xff, 0xfe, 0x00, 0x01]))
    await assert.rejects(loadConfig({ cwd: folder, env: {} }, 'binary.yaml'), /is not text in UTF-8/)
    assert.match(await fault('a.yaml', `system: "${'x'.repeat(1024 * 1024)}"`), /more than 1048576/)
    await assert.rejects(loadConfig({ cwd: folder, env: {} }, 'nothing.yaml'), /there is no such file/)
    await assert.rejects(loadConfig({ cwd: folder, env: {} }, '.'), /this is a folder/)
    assert.match(
      await fault(
        'a.yaml',
        'a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nsystem: [*d,*d,*d,*d]\n',
      ),
      /alias/i,
    )
  })

  it('refuses two configurations side by side', async () => {
    await writeFile(join(folder, 'adjutant.yml'), '')
    await writeFile(join(folder, 'adjutant.json'), '{}')
    await assert.rejects(loadConfig({ cwd: folder, env: {} }), /both .*adjutant\.yml and .*adjutant\.json are there/)
    await Promise.all(['adjutant.yml', 'adjutant.json'].map((name) => rm(join(folder, name))))
  })

  it('keeps sessions out of the reach of the file tools', async () => {
    assert.match(await fault('a.yaml', 'sessionsFolder: .adjutant/sessions'), /^a\.yaml:1:17: sessionsFolder .* lies in the workspace/)
    const home = await load('a.yaml', 'workspace: /home/somebody')
    assert.ok(home.sessionsFolder.startsWith(tmpdir()))
    const root = await load('a.yaml', 'workspace: /')
    assert.match(root.notes.join(), /inside the workspace/)
  })
})
