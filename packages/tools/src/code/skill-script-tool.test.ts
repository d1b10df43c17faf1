import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadSkills, type Skill } from '@adjutant/core'
import { CodeBench, errorOf, type Said, skip } from '../../test/code-tools.ts'
import type { CodeTools } from './create-code-tools.ts'
import { runSkillScript } from './skill-script-tool.ts'

let bench: CodeBench
before(async () => {
  bench = await CodeBench.open()
})
after(() => bench.close())

describe('run_skill_script', { skip }, () => {
  let folder = ''
  let skills: readonly Skill[] = []
  let of: CodeTools
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adjutant-skill-'))
    await chmod(folder, 0o755)
    const home = join(folder, 'counting')
    await mkdir(join(home, 'scripts'), { recursive: true })
    await writeFile(join(home, 'SKILL.md'), '---\nname: counting\ndescription: Counts.\n---\nRun scripts/count.py')
    await writeFile(
      join(home, 'scripts', 'count.py'),
      'import sys, pathlib\nprint(sys.argv[1:], pathlib.Path(__file__).parent.parent.name)\nopen("counted.txt", "w").write("3")\n',
    )
    await writeFile(join(home, 'scripts', 'count.sh'), 'echo "$@"; echo x > "$(dirname "$0")/new" || exit 9\n')
    await writeFile(join(home, 'scripts', 'count.mjs'), 'console.log(process.argv.slice(2).join("+"))\n')
    await writeFile(join(home, 'scripts', 'count'), '#!/bin/sh\necho plain "$1"\n', { mode: 0o755 })
    const report = await loadSkills([
      folder,
      {
        name: 'a store',
        store: {
          skills: async () => [{ key: 'k', text: '---\nname: kept\ndescription: Kept elsewhere.\n---\nx', files: ['say.sh'] }],
          readFile: async () => new TextEncoder().encode('echo kept "$1"'),
        },
      },
    ])
    skills = report.skills
    of = bench.make({ skills: () => skills })
  })
  after(async () => {
    await of.close()
    await rm(folder, { recursive: true, force: true })
  })
  const script = (name: string, args: readonly string[] = [], skill = 'counting'): Promise<Said> =>
    bench.call('run_skill_script', { skill, script: name, args: [...args] }, { of })

  it('runs a script with the words that it is given, each as it is', async () => {
    const words = ['a b', "it's", '$(id)', '', '--x']
    const { text, isError } = await script('scripts/count.py', words)
    assert.equal(text, `['a b', "it's", '$(id)', '', '--x'] counting\n[files: counted.txt (text, 1 byte)]`)
    assert.equal(isError, false)
    assert.equal((await bench.call('bash', { command: 'cat counted.txt' }, { of })).text, '3')
    assert.equal((await script('./scripts/count.mjs', ['1', '2'])).text, '1+2')
    assert.equal((await script('scripts/count', ['y'])).text, 'plain y')
  })

  it('cannot change the skill', async () => {
    const { text, structured } = await script('scripts/count.sh', ['x'])
    assert.match(text, /^x\n.*Read-only file system/)
    assert.equal(structured.exitCode, 9)
    assert.ok(!existsSync(join(folder, 'counting', 'scripts', 'new')))
  })

  it('runs one that is kept elsewhere than in a folder', async () => {
    assert.equal((await script('say.sh', ['it'], 'kept')).text, 'kept it')
  })

  it('runs one for a person as well, in a box that goes with it', async () => {
    const [skill] = skills
    assert.ok(skill)
    const told: string[] = []
    const report = await runSkillScript({
      sandboxes: bench.sandboxes,
      skill,
      script: './scripts/count',
      args: ['z'],
      output: (_stream, bytes) => void told.push(Buffer.from(bytes).toString()),
    })
    assert.deepEqual([report.exitCode, told.join('')], [0, 'plain z\n'])
    assert.equal((await errorOf(runSkillScript({ sandboxes: bench.sandboxes, skill, script: 'none', args: [] }))).code, 'NOT_FOUND')
  })

  it('refuses what is no script of a skill', async () => {
    assert.equal((await errorOf(script('x', [], 'countin'))).code, 'NOT_FOUND')
    assert.match((await errorOf(script('x', [], 'countin'))).hint, /Did you mean counting/)
    assert.equal((await errorOf(script('scripts/none.py'))).code, 'NOT_FOUND')
    assert.equal((await errorOf(script('../../etc/passwd'))).code, 'PATH_OUTSIDE_WORKSPACE')
    assert.equal(
      (await errorOf(bench.call('run_skill_script', { skill: 'counting', script: 'scripts/count', args: [1] }, { of }))).code,
      'INVALID_ARGUMENTS',
    )
    assert.ok(!bench.code.tools.some((tool) => tool.name === 'run_skill_script'))
  })
})
