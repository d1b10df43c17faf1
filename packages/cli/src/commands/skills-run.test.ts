import assert from 'node:assert/strict'
import { existsSync, watch } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { SqliteSkillStore } from '@adjutant/store'
import { type CommandResult, runMain } from '../../test/run-command.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

let root = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-skills-run-')))
  await chmod(root, 0o755)
  await put('skills/counting/SKILL.md', '---\nname: counting\ndescription: Counts.\n---\nRun scripts/count.py.')
  await put('skills/counting/scripts/count.py', 'import sys\nprint("counted", sys.argv[1:])\nprint("aside", file=sys.stderr)\n')
  await put('skills/counting/scripts/fail.sh', 'echo half done\nexit 7\n')
  await put('skills/counting/scripts/wait.sh', 'echo begun\nsleep 1000\n')
  await put('skills/counting/scripts/touch.sh', 'echo x > begun\nsleep 1000\n')
  await put('skills/counting/scripts/write.sh', 'echo made > made.txt\n')
  await put('skills/broken/SKILL.md', '---\nname: broken\n---\n')
  await mkdir(join(root, 'data'))
  await chmod(join(root, 'data'), 0o777)
})
after(() => rm(root, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

/** In a folder with this configuration. */
async function run(args: readonly string[], config = '', policy?: string): Promise<CommandResult> {
  await put('adjutant.yaml', `skills: [./skills]\n${config}`)
  if (policy !== undefined) await put('rules.yaml', policy)
  return runMain(['skills', 'run', ...args], { cwd: root })
}

describe('skills run', { skip }, () => {
  it('passes on what the script prints, and the words that it is given', async () => {
    const { code, stdout, stderr } = await run(['counting', './scripts/count.py', 'a b', '--', '--json', "it's"])
    assert.deepEqual([code, stdout, stderr], [0, `counted ['a b', '--json', "it's"]\n`, 'aside\n'])
  })

  it('tells all in one document with --json', async () => {
    const { code, lines } = await run(['counting', 'scripts/count.py', 'x', '--json'])
    assert.equal(code, 0)
    assert.equal(lines.length, 1)
    const { backend, exitCode, signal, stdout, stderr, timedOut } = lines[0] ?? {}
    assert.deepEqual([backend, exitCode, signal, stdout, stderr, timedOut], ['bubblewrap', 0, null, "counted ['x']\n", 'aside\n', false])
  })

  it('ends with 1 when the script did not end with 0, or not in its time', async () => {
    const failed = await run(['counting', 'scripts/fail.sh'])
    assert.deepEqual([failed.code, failed.stdout, failed.stderr], [1, 'half done\n', '[exit code 7]\n'])
    const late = await run(['counting', 'scripts/wait.sh', '--timeout', '300', '--json'])
    assert.deepEqual([late.code, late.lines[0]?.limit, late.lines[0]?.stdout], [1, 'wall', 'begun\n'])
  })

  it('works in a folder of this machine where one is named', async () => {
    assert.equal((await run(['counting', 'scripts/write.sh', '--workspace', 'data'])).code, 0)
    assert.equal(await readFile(join(root, 'data', 'made.txt'), 'utf8'), 'made\n')
    assert.equal((await run(['counting', 'scripts/write.sh'])).code, 0)
    assert.ok(!existsSync(join(root, 'made.txt')))
  })

  it('ends with 3 when the policy refuses it, and runs nothing', async () => {
    const rules = 'version: 1\nrules:\n  - id: no-scripts\n    effect: deny\n    tools: [run_skill_script]\n    reason: not here\n'
    const refused = await run(['counting', 'scripts/write.sh', '--workspace', 'data', '--json'], 'policy: ./rules.yaml\n', rules)
    assert.deepEqual([refused.code, refused.lines[0]?.code], [3, 'DENIED_BY_POLICY'])
    const ask = rules.replace('effect: deny', 'effect: ask')
    assert.equal((await run(['counting', 'scripts/count.py'], 'policy: ./rules.yaml\n', ask)).code, 0)
    const looking = await run(['counting', 'scripts/count.py'], 'approve: plan\n')
    assert.deepEqual([looking.code, looking.stdout], [3, ''])
  })

  it('takes only boxes that the configuration allows', async () => {
    const none = await run(['counting', 'scripts/count.py', '--json'], 'tools: { code: { order: [quickjs] } }\n')
    assert.deepEqual([none.code, none.lines[0]?.code], [1, 'SANDBOX_UNAVAILABLE'])
    const bare = await run(['counting', 'scripts/count.py', '--backend', 'host'])
    assert.deepEqual([bare.code, bare.stdout], [2, ''])
    const strong = await run(['counting', 'scripts/count.py'], 'tools: { code: { requires: [filesystem, processes, memory] } }\n')
    assert.equal(strong.code, 0)
  })

  it('runs one that is kept in a database', async () => {
    const store = new SqliteSkillStore({ file: join(root, 'skills.db') })
    const text = '---\nname: kept\ndescription: Kept elsewhere.\n---\nRun say.sh.'
    await store.put('k', text, { 'say.sh': new TextEncoder().encode('echo "kept $1"\n') })
    store.close()
    await put('adjutant.yaml', 'skills: ["sqlite:./skills.db"]\n')
    const { code, stdout, stderr } = await runMain(['skills', 'run', 'kept', 'say.sh', 'here'], { cwd: root })
    assert.deepEqual([code, stdout, stderr], [0, 'kept here\n', ''])
    const shown = await runMain(['skills', 'show', 'kept', '--json'], { cwd: root })
    assert.deepEqual([shown.code, shown.lines[0]?.body, shown.lines[0]?.files], [0, 'Run say.sh.', ['say.sh']])
  })

  it('stops when it is interrupted', async () => {
    const stop = new AbortController()
    await put('adjutant.yaml', 'skills: [./skills]\n')
    const running = runMain(['skills', 'run', 'counting', 'scripts/touch.sh', '--workspace', 'data'], { cwd: root, signal: stop.signal })
    const watching = watch(join(root, 'data'), () => stop.abort())
    try {
      assert.equal((await running).code, 130)
    } finally {
      watching.close()
    }
  })

  it('ends with 2 for a wrong call', async () => {
    for (const args of [
      [],
      ['counting'],
      ['counting', 'scripts/count.py', '--timeout', '0'],
      ['counting', 'scripts/count.py', '--timeout', 'soon'],
      ['counting', 'scripts/count.py', '--backend', 'nosuch'],
      ['counting', 'scripts/count.py', '--nosuch'],
      ['counting', 'scripts/count.py', ...Array.from({ length: 101 }, () => 'x')],
    ])
      assert.equal((await run(args)).code, 2, args.slice(0, 4).join(' '))
  })

  it('has help with an example', async () => {
    const { code, stdout } = await run(['--help'])
    assert.equal(code, 0)
    assert.match(stdout, /Example:\n {2}adjutant skills run/)
  })
})

describe('skills run, what is no script', () => {
  it('is refused before a box is opened', async () => {
    const outside = await run(['counting', '../broken/SKILL.md'])
    assert.deepEqual([outside.code, /PATH_OUTSIDE_WORKSPACE/.test(outside.stderr)], [1, true])
    const none = await run(['counting', 'scripts/none.py', '--json'])
    assert.deepEqual([none.code, none.lines[0]?.code], [1, 'NOT_FOUND'])
    const missing = await run(['broken', 'x'])
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /broken\/SKILL\.md has no description[\s\S]*NOT_FOUND: there is no skill "broken"/)
  })
})
