/** Failing commands, stack traces and compilers' output from outside, with what each is labelled as beside. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { locationsOf } from './locate.ts'
import { recogniseFailure } from './recognise-failure.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('hints: ADJUTANT_MATERIAL is not set; failures from outside were not tried\n')

function lines(path: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(join(material ?? '', path), 'utf8')
    .trim()
    .split('\n')
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
}

function labels(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

describe('failures from outside', { skip: material === undefined }, () => {
  it('every local run gets the code of its label, and a successful one none', () => {
    const right = labels('local-runs.labels.json')
    const runs = lines('logs/local-runs/runs.jsonl')
    assert.equal(runs.length, Object.keys(right).length)
    for (const [at, run] of runs.entries()) {
      const exitCode = Number(run.rc)
      for (const command of [{}, { command: text(run.cmd) }]) {
        const hint = recogniseFailure(`${text(run.stdout)}\n${text(run.stderr)}`, { exitCode, ...command })
        assert.equal(hint?.code ?? null, right[at + 1], `run ${at + 1}`)
      }
    }
  })

  it('stack traces in all languages give file and line', () => {
    const right = labels('stack-traces.labels.json')
    const traces: Readonly<Record<string, unknown>> = JSON.parse(
      readFileSync(join(material ?? '', 'logs/detect-exceptions/exceptions.json'), 'utf8'),
    )
    for (const [id, trace] of Object.entries(traces)) {
      const hint = recogniseFailure(text(trace))
      const label = right[id]
      assert.ok(typeof label === 'object' && label !== null && 'place' in label, id)
      assert.equal(hint?.location !== undefined, label.place, id)
      if (hint?.location === undefined) continue
      const { file, line } = hint.location
      // The place is one of the text, not one that was put together of two.
      const said = [`${file}:${line}`, `${file}(${line})`, `"${file}", line ${line}`, `${file}:line ${line}`]
      assert.ok(
        said.some((one) => text(trace).includes(one)),
        `${id}: ${file}:${line}`,
      )
    }
  })

  it('errors of browsers give the place that the browser itself tells', () => {
    const errors: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
      readFileSync(join(material ?? '', 'logs/error-stack-parser/captured-errors.json'), 'utf8'),
    )
    let told = 0
    for (const [id, error] of Object.entries(errors)) {
      const trace = [error.message, error.stack, error.stacktrace].map(text).join('\n')
      const hint = recogniseFailure(trace)
      if (error.stack !== undefined || error.stacktrace !== undefined) assert.ok(hint?.location !== undefined, id)
      const file = text(error.fileName ?? error.sourceURL).replace('file:///', '')
      const line = error.lineNumber ?? error.line ?? error['opera#sourceloc']
      // Code made at run time lies in the file that made it; one browser tells another line than its own trace.
      if (line === undefined || id.includes('EVAL') || id === 'SAFARI_7') continue
      told++
      assert.equal(hint?.location?.line, line, id)
      if (file !== '') assert.equal(hint?.location?.file, file, id)
    }
    assert.ok(told >= 14, `${told} were compared`)
  })

  it('nine of ten places of compilers and linters are found', () => {
    const folder = join(material ?? '', 'logs/errorformat/fmts/testdata')
    let all = 0
    const missed: string[] = []
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.in'))) {
      const output = readFileSync(join(folder, name), 'utf8')
      const found = new Set(locationsOf(output).map(({ file, line }) => `${file}|${line}`))
      let wanted = 0
      for (const entry of readFileSync(join(folder, name.replace(/in$/, 'ok')), 'utf8').split('\n')) {
        const [, file, line] = /^([^|]+)\|(\d+)[ |]/.exec(entry) ?? []
        if (file === undefined) continue
        wanted++
        if (!found.has(`${file.trim()}|${line}`)) missed.push(`${name} ${entry}`)
      }
      all += wanted
      if (wanted > 0) assert.ok(recogniseFailure(output, { exitCode: 1 })?.location !== undefined, name)
    }
    assert.ok(all > 500 && missed.length <= all / 100, `${missed.length} of ${all}: ${missed.slice(0, 5).join('; ')}`)
  })

  it('passed test runs and finished installations give no code', () => {
    let passed = 0
    for (const { text: shown, tool, file } of lines('logs/test-runner-and-npm-snapshots.jsonl')) {
      const output = text(shown)
      const good =
        /^"?Test Suites: \d+ passed, \d+ total/.test(output) || (tool === 'npm' && /reify-output|outdated|ls\.js|view\.js/.test(text(file)))
      if (!good) continue
      passed++
      assert.equal(recogniseFailure(output, { exitCode: 0 }), undefined)
      assert.equal(recogniseFailure(output)?.code, undefined, output.slice(0, 300))
    }
    assert.ok(passed > 80, `${passed} were tried`)
  })
})
