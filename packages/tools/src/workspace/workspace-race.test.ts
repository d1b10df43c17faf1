import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AdjutantError, type JsonObject } from '@adjutant/core/contract'
import { openFileBench } from '../../test/file-bench.ts'
import { programUrl } from '../program-url.ts'

describe('a workspace in which somebody swaps folders for links', { skip: process.platform !== 'linux', timeout: 60_000 }, () => {
  it('neither shows nor changes what is outside', async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await writeFile(join(out, 'a.txt'), 'SECRET')
    await writeFile(join(out, 'outside-name'), 'SECRET')
    await bench.put('real/a.txt', 'fine')
    const swapper = spawn(process.execPath, [fileURLToPath(programUrl(import.meta.url, '../../test/swap-links')), bench.root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const attempt = async (name: string, input: JsonObject): Promise<string> => {
      try {
        return await bench.call(name, input)
      } catch (error) {
        assert.ok(AdjutantError.isInstance(error), `${name}: ${String(error)}`)
        return `${error.message} ${error.hint}`
      }
    }
    try {
      await once(swapper.stdout, 'data')
      for (let round = 0; round < 200; round += 1) {
        const answers = await Promise.all([
          attempt('read_file', { path: 'd/a.txt' }),
          attempt('write_file', { path: `d/new${round}`, content: 'x' }),
          attempt('write_file', { path: `d/folder${round}/new`, content: 'x' }),
          attempt('list_directory', { path: 'd' }),
          attempt('find_files', { pattern: 'outside*', path: 'd' }),
          round % 20 === 0 ? attempt('search_text', { query: 'SECR', path: 'd' }) : '',
        ])
        for (const answer of answers) assert.ok(!answer.includes('SECRET') && !/outside-name/.test(answer), answer)
      }
    } finally {
      swapper.kill('SIGKILL')
      await once(swapper, 'exit')
    }
    assert.deepEqual((await readdir(out)).toSorted(), ['a.txt', 'outside-name'])
  })
})
