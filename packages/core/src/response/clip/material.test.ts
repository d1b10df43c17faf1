/** Logs and JSON from outside: every strategy holds its limits, errors of real programs are kept, JSON is told from what is none. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ClipStrategy } from '../../contract/tool.ts'
import { clipBy } from '../clip-by.ts'
import { resolveTerminalText } from '../terminal-text.ts'
import { clipJson } from './json.ts'
import { skimJson } from './json-skim.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('clip: ADJUTANT_MATERIAL is not set; logs and JSON from outside were not tried\n')

const STRATEGIES: readonly ClipStrategy[] = ['auto', 'head-tail', 'head', 'tail', 'json', 'table', 'errors']

function files(folder: string, end: string): readonly string[] {
  const found: string[] = []
  for (const entry of readdirSync(join(material ?? '', folder), { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && entry.name.endsWith(end)) found.push(join(entry.parentPath, entry.name))
  }
  return found
}

const filler = Array.from({ length: 3_000 }, (_, index) => `step ${index}: compiled module ${index * 7} of the project`)

describe('clipping material from outside', { skip: material === undefined }, () => {
  it('every log by every strategy, within its limits', () => {
    const logs = files('logs', '')
    for (const file of logs) {
      const text = resolveTerminalText(readFileSync(file, 'utf8'))
      for (const by of STRATEGIES) {
        for (const limit of [250, 1_000, 8_000]) {
          const clipped = clipBy(by, text, { limit, tokens: limit / 2, failed: true })
          assert.ok(clipped.text.length <= limit && clipped.text.isWellFormed(), `${file} ${by} ${limit}`)
        }
      }
    }
    assert.ok(logs.length > 50)
  })

  it('of what compilers, linters and failing commands say, something is kept in nineteen of twenty cases', () => {
    const outputs = files('logs/errorformat', '.in').map((file) => readFileSync(file, 'utf8'))
    const runs = readFileSync(join(material ?? '', 'logs/local-runs/runs.jsonl'), 'utf8')
    for (const run of runs.trim().split('\n')) {
      const { stdout, stderr, rc }: { readonly stdout?: unknown; readonly stderr?: unknown; readonly rc?: unknown } = JSON.parse(run)
      if (rc !== 0) outputs.push(resolveTerminalText(`${String(stderr)}\n${String(stdout)}`))
    }
    const missed: string[] = []
    for (const output of outputs) {
      const lines = output.split('\n').filter((line) => line.trim() !== '')
      const { text } = clipBy('auto', [...filler, ...lines, ...filler].join('\n'), { failed: true })
      if (lines.length > 0 && !lines.some((line) => text.includes(line.slice(0, 80)))) missed.push(output.slice(0, 200))
    }
    assert.ok(outputs.length > 45)
    assert.ok(missed.length <= outputs.length / 20, missed.join('\n---\n'))
  })

  it('JSON is told from what is none, as by JSON.parse', () => {
    let tried = 0
    for (const file of files('json', '.json')) {
      const text = readFileSync(file, 'utf8')
      let parses = true
      try {
        JSON.parse(text)
      } catch {
        parses = false
      }
      const root = skimJson(text, 1_000)
      // Several values on lines of their own are JSON lines.
      if (root === undefined || !('count' in root) || root.kind !== 'lines') assert.equal(root !== undefined, parses, file)
      if (parses && text.length > 60) {
        for (const limit of [60, 300]) {
          const clipped = clipJson(text, { limit })
          assert.ok(clipped !== undefined && clipped.text.length <= limit, file)
          JSON.parse(clipped.text)
        }
      }
      tried++
    }
    assert.ok(tried > 300, `${tried}`)
  })
})
