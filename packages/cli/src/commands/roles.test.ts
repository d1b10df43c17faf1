import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runMain } from '../../test/run-command.ts'

describe('roles', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roles-'))
    await writeFile(join(folder, 'a.txt'), 'alpha\n')
    await writeFile(
      join(folder, 'adjutant.yaml'),
      ['roles:', '  reader: [read_file, list_directory]', "  admin: ['*']", 'role: admin', 'sessionsFolder: ../roles-sessions', ''].join(
        '\n',
      ),
    )
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
    await rm(join(folder, '../roles-sessions'), { recursive: true, force: true })
  })

  const named = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await runMain(['tools', 'list', ...args], { cwd: folder })
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '')
  }

  it('decide what is listed: the configured one, or those of --role', async () => {
    assert.ok((await named()).includes('write_file'))
    assert.deepEqual((await named('--role', 'reader')).toSorted(), ['list_directory', 'read_file'])
  })

  it('hide a tool from show, from exec and from suggestions alike', async () => {
    const shown = await runMain(['tools', 'show', 'write_file', '--role', 'reader'], { cwd: folder })
    assert.equal(shown.code, 1)
    assert.doesNotMatch(shown.stderr.replaceAll('"write_file"', ''), /write_file/)
    const decision = '{"action":"call_tool","tool_name":"write_file","parameters":{"path":"b.txt","content":"x"}}'
    const ran = await runMain(['exec', '--json', '--approve', 'allow', '--role', 'reader'], { cwd: folder, stdin: decision })
    const last = ran.stdout.trim().split('\n').at(-1) ?? ''
    assert.equal(JSON.parse(last).results[0].code, 'UNKNOWN_TOOL')
  })

  it('that do not exist are a wrong call, naming those that do', async () => {
    const { code, stderr } = await runMain(['tools', 'list', '--role', 'chief'], { cwd: folder })
    assert.equal(code, 2)
    assert.match(stderr, /there is no role "chief"[\s\S]*reader, admin/)
  })
})
