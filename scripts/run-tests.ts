/**
 * Runs every test of the workspace on the sources, two files at a time, and closes with one line `N passed, N failed, N skipped`.
 *
 * Usage: node scripts/run-tests.ts [file or glob …]   (default: all)
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'

const ALL = ['packages/*/src/**/*.test.ts', 'examples/*/*.test.ts', 'scripts/*.test.ts', 'bench/*.test.ts']
const patterns = process.argv.slice(2)
const files = [...new Set((patterns.length === 0 ? ALL : patterns).flatMap((pattern) => globSync(pattern)))].sort()
if (files.length === 0) {
  process.stderr.write(`no test file matches ${patterns.join(' ')}\n`)
  process.exit(2)
}

const args = [
  '--conditions=adjutant-source',
  '--disable-warning=ExperimentalWarning',
  '--import=./scripts/property-seed.ts',
  '--test',
  '--test-concurrency=2',
  '--test-timeout=120000',
  '--test-reporter=spec',
  ...files,
]
const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
// The runner's summary, read line by line as it goes by: the list of failures comes after it and may be long.
const counts = new Map<string, number>()
let line = ''
child.stdout.setEncoding('utf8')
child.stdout.on('data', (text: string) => {
  process.stdout.write(text)
  const lines = (line + text).split('\n')
  line = lines.pop() ?? ''
  for (const whole of lines) {
    const [, word, number] = /^ℹ ([a-z]+) (\d+)$/.exec(whole) ?? []
    if (word !== undefined) counts.set(word, Number(number))
  }
})
child.on('close', (code) => {
  const count = (word: string): number => counts.get(word) ?? 0
  const failed = count('fail') + count('cancelled')
  process.stdout.write(`${count('pass')} passed, ${failed} failed, ${count('skipped')} skipped\n`)
  process.exitCode = code === 0 && count('pass') === 0 ? 1 : (code ?? 1)
})
