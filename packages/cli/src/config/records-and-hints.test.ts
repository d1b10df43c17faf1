import assert from 'node:assert/strict'
import { type FileHandle, mkdir, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

let root = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-records-')))
  await mkdir(join(root, 'work'))
})
after(() => rm(root, { recursive: true, force: true }))

async function exec(config: string, ...calls: readonly object[]): Promise<CommandResult> {
  await writeFile(join(root, 'mine.yaml'), `sessionsFolder: kept/sessions\n${config}\n`)
  return runMain(['exec', '--many', '--json', '--approve', 'allow', '--config', '../mine.yaml', '--workspace', '.'], {
    cwd: join(root, 'work'),
    stdin: calls.map((call) => `${JSON.stringify({ action: 'call_tool', ...call })}\n`).join(''),
  })
}

const write = (path: string) => ({ tool_name: 'write_file', parameters: { path, content: 'x' } })
const list = { tool_name: 'list_directory', parameters: { path: '.' } }

/** How often anything was made durable meanwhile: the real thing, counted. */
async function countSyncs(work: () => Promise<unknown>): Promise<number> {
  const file = await open(join(root, 'probe'), 'w')
  const handles: FileHandle = Object.getPrototypeOf(file)
  await file.close()
  const syncs = mock.method(handles, 'datasync')
  try {
    await work()
    return syncs.mock.callCount()
  } finally {
    syncs.mock.restore()
  }
}

describe('audit in a configuration', () => {
  it('says where records are and when they are made durable', async () => {
    const counts: number[] = []
    for (const sync of ['never', 'changes', 'always']) {
      const calls = [list, write(`${sync}1`), list, write(`${sync}2`), list]
      counts.push(
        await countSyncs(async () => {
          assert.equal((await exec(`audit: { folder: log-${sync}, sync: ${sync} }`, ...calls)).code, 0)
        }),
      )
      const [name = ''] = (await readdir(join(root, `log-${sync}`))).filter((file) => file.endsWith('.jsonl'))
      const verified = await runMain(['audit', 'verify', join(root, `log-${sync}`, name)])
      assert.equal(verified.code, 0, verified.stderr)
    }
    const [never = 0, changes = 0, always = 0] = counts
    assert.equal(never, 0)
    assert.ok(changes >= 2 && always > changes, counts.join())
  })

  it('is kept beside the sessions where no folder is said', async () => {
    await exec('audit: { sync: always }', list)
    assert.equal((await readdir(join(root, 'kept', 'audit'))).length, 1)
  })
})

describe('hintLanguage in a configuration', () => {
  it('says in which language a failure is explained to the model', async () => {
    const broken = {
      tool_name: 'javascript',
      parameters: { code: `console.error("ModuleNotFoundError: No module named 'acme'"); throw new Error('x')` },
    }
    const chinese = await exec('tools: { code: true }\nhintLanguage: zh', broken)
    const usual = await exec('tools: { code: true }', broken)
    assert.match(chinese.stdout, /安装/)
    assert.match(usual.stdout, /acme/)
    assert.doesNotMatch(usual.stdout, /安装/)
  })
})
