/**
 * Fails when a dependency points the wrong way or in a circle, and when the check saw suspiciously little: a tool that reads no
 * module must not report success.
 *
 * Usage: node scripts/check-arrows.ts [folder …]   (default: packages)
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'

const folders = process.argv.slice(2)
const roots = folders.length === 0 ? ['packages'] : folders
const expected = roots.flatMap((root) =>
  globSync(`${root}/**/*.ts`, { exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path) }),
).length

const run = spawnSync(process.execPath, ['node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', '--output-type', 'err', ...roots], {
  encoding: 'utf8',
})
process.stdout.write(run.stdout)
process.stderr.write(run.stderr)
const seen = Number(/(\d+) modules/.exec(run.stdout)?.[1] ?? Number.NaN)
if (run.status !== 0) process.exit(run.status ?? 1)
if (!(seen >= expected)) {
  process.stderr.write(`check-arrows: ${seen} modules were read where ${expected} files are; the check sees too little\n`)
  process.exit(1)
}
