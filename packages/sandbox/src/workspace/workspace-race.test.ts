import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AdjutantError } from '@adjutant/core/contract'
import { openWorkspace, removeWorkspace } from './workspace.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('a workspace whose files are swapped for links as fast as a process can', {
  skip: process.platform !== 'linux',
  timeout: 60_000,
}, () => {
  it('gives nothing of what is outside, and changes nothing there', async (test) => {
    const place = await mkdtemp(join(tmpdir(), 'adjutant-race-'))
    test.after(() => removeWorkspace(place))
    const inside = join(place, 'in')
    const out = join(place, 'out')
    await mkdir(inside)
    await mkdir(out)
    await writeFile(join(out, 'secret'), 'SECRET')
    await writeFile(join(out, 'outside-name'), 'SECRET')
    const program = fileURLToPath(new URL('../../test/swap-links.ts', import.meta.url))
    const swapper = spawn(process.execPath, [program, inside], { stdio: ['ignore', 'pipe', 'inherit'] })
    const answers = new Map<string, number>()
    const attempt = async (call: Promise<unknown>): Promise<string> => {
      try {
        const value = await call
        const answer = value instanceof Uint8Array ? new TextDecoder().decode(value) : JSON.stringify(value ?? 'done')
        answers.set('done', (answers.get('done') ?? 0) + 1)
        return answer
      } catch (error) {
        assert.ok(AdjutantError.isInstance(error), String(error))
        answers.set(error.code, (answers.get(error.code) ?? 0) + 1)
        return `${error.message} ${error.hint}`
      }
    }
    try {
      await once(swapper.stdout, 'data')
      await using workspace = await openWorkspace(inside, { maxFiles: 100_000 })
      for (let round = 0; round < 400; round += 1) {
        const said = await Promise.all([
          attempt(workspace.readFile('d/secret')),
          attempt(workspace.readFile('f')),
          attempt(workspace.writeFile(`d/new${round}`, text('x'))),
          attempt(workspace.writeFile(`d/folder${round}/new`, text('x'))),
          attempt(workspace.writeFile('f', text('fine'))),
          attempt(workspace.list('d')),
          round % 10 === 0 ? attempt(workspace.remove('d')) : '',
        ])
        for (const answer of said) assert.ok(!answer.includes('SECRET') && !answer.includes('outside-name'), answer)
      }
    } finally {
      swapper.kill('SIGKILL')
      await once(swapper, 'exit')
    }
    // Both sides of the race were met, or the test has shown nothing.
    assert.ok((answers.get('done') ?? 0) > 0 && (answers.get('PATH_OUTSIDE_WORKSPACE') ?? 0) > 0, JSON.stringify([...answers]))
    assert.deepEqual((await readdir(out)).toSorted(), ['outside-name', 'secret'])
    assert.equal(await readFile(join(out, 'secret'), 'utf8'), 'SECRET')
    await removeWorkspace(place)
    await assert.rejects(stat(place), { code: 'ENOENT' })
  })
})
