/**
 * Runs every test of the workspace on the sources, two files at a time, and closes with one line `N passed, N failed, N skipped`. A few files that
 * fail are run again, alone; what passes then is named.
 *
 * Usage: node scripts/run-tests.ts [file or glob …]   (default: all)
 */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ALL = ['packages/*/src/**/*.test.ts', 'examples/*/*.test.ts', 'scripts/*.test.ts', 'bench/*.test.ts']
const patterns = process.argv.slice(2)
const files = [...new Set((patterns.length === 0 ? ALL : patterns).flatMap((pattern) => globSync(pattern)))].sort()
if (files.length === 0) {
  process.stderr.write(`no test file matches ${patterns.join(' ')}\n`)
  process.exit(2)
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly code: number
  readonly failedFiles: readonly string[]
}

/** More than this is no accident. */
const MOST_AGAIN = 6

async function run(paths: readonly string[], concurrency: number): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-tests-'))
  const list = join(folder, 'failed')
  const args = [
    '--conditions=adjutant-source',
    '--disable-warning=ExperimentalWarning',
    '--import=./scripts/property-seed.ts',
    '--test',
    `--test-concurrency=${concurrency}`,
    '--test-timeout=120000',
    // What a failed test leaves open must not keep the whole run waiting.
    '--test-force-exit',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/failed-files.ts',
    `--test-reporter-destination=${list}`,
    ...paths,
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
  const code = await new Promise<number>((resolve) => child.on('close', (ended) => resolve(ended ?? 1)))
  const count = (word: string): number => counts.get(word) ?? 0
  const failedFiles = existsSync(list)
    ? [
        ...new Set(
          readFileSync(list, 'utf8')
            .split('\n')
            .filter((name) => name !== ''),
        ),
      ]
    : []
  rmSync(folder, { recursive: true, force: true })
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped'), code, failedFiles }
}

const first = await run(files, 2)
let { failed, code } = first
if (code !== 0 && first.failedFiles.length > 0 && first.failedFiles.length <= MOST_AGAIN) {
  // Many tests start processes, boxes and servers, two files at a time on two cores. What fails beside others and passes alone is named, and looked into.
  process.stdout.write(`again, alone: ${first.failedFiles.join(', ')}\n`)
  const again = await run(first.failedFiles, 1)
  if (again.code === 0 && again.passed > 0)
    process.stdout.write(`failed beside others, and passed alone: ${first.failedFiles.join(', ')}\n`)
  failed = again.failed
  code = again.code
}
process.stdout.write(`${first.passed + first.failed - failed} passed, ${failed} failed, ${first.skipped} skipped\n`)
process.exitCode = code === 0 && first.passed === 0 ? 1 : code
