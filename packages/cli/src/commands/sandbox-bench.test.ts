import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'
const bench = (...words: readonly string[]): Promise<CommandResult> => runMain(['sandbox', 'bench', ...words])

interface Row {
  readonly lang: string
  readonly mode: string
  readonly runs: number
  readonly firstMs: { readonly p50: number; readonly p95: number }
  readonly timesPlain: number | null
}

function rowsOf({ lines }: CommandResult): readonly Row[] {
  assert.equal(lines.length, 1)
  const results: unknown = lines[0]?.results
  assert.ok(Array.isArray(results))
  return results
}

describe('sandbox bench', () => {
  it('measures each way to run beside a plain start, in one document', { skip, timeout: 60_000 }, async () => {
    const told = await bench('--backend', 'bubblewrap', '--lang', 'bash', '--runs', '2', '--json')
    assert.deepEqual([told.code, told.stderr], [0, ''])
    const rows = rowsOf(told)
    assert.deepEqual(new Set(rows.map(({ lang }) => lang)), new Set(['bash']))
    const modes = rows.map(({ mode }) => mode)
    for (const mode of ['plain', 'open', 'cold', 'session']) assert.ok(modes.includes(mode), `${mode} of ${modes.join(' ')}`)
    for (const { mode, runs, firstMs, timesPlain } of rows) {
      assert.ok(firstMs.p50 > 0 && firstMs.p50 <= firstMs.p95, mode)
      assert.ok(timesPlain !== null && timesPlain > 0, mode)
      assert.ok(runs >= 1 && runs <= 4, mode)
    }
  })

  it('says for people what has nothing to compare with', { timeout: 60_000 }, async () => {
    const { code, stdout } = await bench('--lang', 'sql', '--runs', '1')
    assert.equal(code, 0)
    assert.match(stdout, /^backend +lang .*× plain\n/)
    assert.match(stdout, /^sqljs +sql +session +1 .* -$/m)
  })

  it('refuses what it cannot measure', async () => {
    for (const words of [
      ['--runs', '0'],
      ['--runs', 'many'],
      ['--lang', 'ruby'],
      ['--runs', '10001'],
    ])
      assert.equal((await bench(...words)).code, 2)
    const none = await bench('--backend', 'quickjs', '--lang', 'bash')
    assert.deepEqual([none.code, /nothing can be measured/.test(none.stderr)], [1, true])
    assert.notEqual((await bench('--backend', 'none-such')).code, 0)
  })
})
