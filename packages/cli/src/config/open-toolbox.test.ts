import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { ToolSnapshot } from '@adjutant/core'
import { loadConfig } from './load-config.ts'
import { openToolbox, type Toolbox } from './open-toolbox.ts'

describe('a toolbox that is watched', () => {
  let root: string
  let toolbox: Toolbox
  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'toolbox-')))
    await mkdir(join(root, 'skills'))
    await put('style', 'Use for reports.')
    await writeFile(join(root, 'adjutant.yaml'), 'skills: [skills]\ntools: { builtin: false }\nsessionsFolder: ../sessions\n')
    const config = await loadConfig({ cwd: root, env: {} })
    toolbox = await openToolbox(config, { stderr: new PassThrough(), env: {}, signal: new AbortController().signal })
  })
  after(async () => {
    await toolbox.close()
    await rm(root, { recursive: true, force: true })
  })

  async function put(name: string, description: string): Promise<void> {
    await mkdir(join(root, 'skills', name), { recursive: true })
    await writeFile(join(root, 'skills', name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\nx\n`)
  }

  it('tells the tools anew when a skill is added or changed; what was handed out stays as it was', async () => {
    const before = toolbox.tools
    let told: (tools: ToolSnapshot) => void = () => {}
    toolbox.watch((tools) => told(tools))
    // Writers write in several steps: waited for is the state, not the first word of it.
    const until = (holds: (tools: ToolSnapshot) => boolean, act: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => {
        told = (tools) => {
          if (holds(tools)) resolve()
        }
        act().catch(reject)
      })
    await until(
      (tools) => tools.get('letters') !== undefined,
      () => put('letters', 'Use for letters.'),
    )
    await until(
      (tools) => tools.get('style')?.description === 'Use for long reports.',
      () => put('style', 'Use for long reports.'),
    )
    assert.deepEqual([...before.names()], ['style'])
    assert.equal(before.get('style')?.description, 'Use for reports.')
  })
})
