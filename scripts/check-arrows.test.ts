import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')

/** Runs the check over a tree of small files; gives the names of the rules that were broken. */
function brokenRules(files: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'arrows-'))
  try {
    for (const [path, text] of Object.entries({ ...files, 'tsconfig.tests.json': '{"compilerOptions":{"module":"nodenext"}}' })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const cruiser = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
    const run = spawnSync(
      process.execPath,
      [cruiser, '--config', join(ROOT, '.dependency-cruiser.cjs'), '--output-type', 'json', 'packages'],
      { cwd: folder, encoding: 'utf8' },
    )
    const report: { summary: { totalCruised: number; violations: { rule: { name: string } }[] } } = JSON.parse(run.stdout)
    assert.ok(report.summary.totalCruised > 0, 'the check read nothing')
    return [...new Set(report.summary.violations.map((violation) => violation.rule.name))].sort()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const PLANTED: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['contract-knows-nobody', 'packages/core/src/contract/a.ts', 'packages/core/src/util/b.ts'],
  ['util-knows-contract-only', 'packages/core/src/util/a.ts', 'packages/core/src/session/b.ts'],
  ['rooms-know-contract-only', 'packages/core/src/admission/a.ts', 'packages/core/src/dispatch/b.ts'],
  ['rooms-know-contract-only', 'packages/core/src/response/a.ts', 'packages/core/src/session/b.ts'],
  ['models-know-the-wire-only', 'packages/core/src/models/a.ts', 'packages/core/src/execution/b.ts'],
  ['core-knows-no-package', 'packages/core/src/session/a.ts', 'packages/tools/src/b.ts'],
  ['tools-know-core-and-sandbox', 'packages/tools/src/a.ts', 'packages/server/src/b.ts'],
  ['testkit-knows-core-only', 'packages/testkit/src/a.ts', 'packages/tools/src/b.ts'],
  ['store-knows-core-only', 'packages/store/src/a.ts', 'packages/cli/src/b.ts'],
  ['sandbox-knows-contract-only', 'packages/sandbox/src/a.ts', 'packages/core/src/util/b.ts'],
  ['reflect-knows-core-only', 'packages/reflect/src/a.ts', 'packages/tools/src/b.ts'],
  ['nobody-knows-the-command', 'packages/tools/src/a.ts', 'packages/cli/src/b.ts'],
  ['tests-stay-out-of-sources', 'packages/core/src/session/a.ts', 'packages/core/src/session/b.test.ts'],
]

describe('the check of the arrows', () => {
  for (const [rule, from, to] of PLANTED) {
    it(`sees ${from} → ${to}`, () => {
      const path = `${'../'.repeat(from.split('/').length - 1)}${to}`
      const broken = brokenRules({ [from]: `import { b } from '${path}'\nexport const a = b\n`, [to]: 'export const b = 1\n' })
      assert.ok(broken.includes(rule), `${rule} was not reported, but ${broken.join(', ') || 'nothing'}`)
    })
  }

  it('sees a circle', () => {
    const broken = brokenRules({
      'packages/core/src/session/a.ts': "import { b } from './b.ts'\nexport const a = 1\nexport const c = b\n",
      'packages/core/src/session/b.ts': "import { a } from './a.ts'\nexport const b = a\n",
    })
    assert.deepEqual(broken, ['no-circles'])
  })

  it('sees an import that leads nowhere', () => {
    assert.deepEqual(brokenRules({ 'packages/core/src/session/a.ts': "export { b } from './gone.ts'\n" }), ['resolvable'])
  })

  it('lets the arrows of the house pass', () => {
    const broken = brokenRules({
      'packages/core/src/session/a.ts': "export { b } from '../admission/b.ts'\n",
      'packages/core/src/admission/b.ts': "export { c as b } from '../contract/c.ts'\n",
      'packages/core/src/contract/c.ts': 'export const c = 1\n',
    })
    assert.deepEqual(broken, [])
  })
})
