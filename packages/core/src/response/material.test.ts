/** Logs and naughty strings from outside: each is clipped within its limit and comes out well-formed and harmless to a terminal. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { callId } from '../contract/ids.ts'
import type { ToolResult } from '../contract/result.ts'
import { clipText } from './clip.ts'
import { toToolMessages } from './envelope.ts'
import { StreamClipper } from './stream-clipper.ts'
import { hasControl, resolveTerminalText, TerminalText } from './terminal-text.ts'
import { valueText } from './value-text.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('response: ADJUTANT_MATERIAL is not set; logs from outside were not tried\n')

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath, entry.name)
  }
}

describe('material from outside', { skip: material === undefined }, () => {
  it('every log clips within every limit, whole or as a stream', async () => {
    let count = 0
    for (const file of files(join(material ?? '', 'logs'))) {
      const bytes = readFileSync(file)
      const text = resolveTerminalText(bytes.toString('utf8'))
      assert.equal(hasControl(text), false, file)
      for (const limit of [200, 1_000, 8_000]) {
        const clipped = clipText(text, { limit })
        assert.ok(clipped.text.length <= limit && clipped.text.isWellFormed(), file)
        const clipper = new StreamClipper({ limit })
        for (let at = 0; at < bytes.length; at += 4_093) await clipper.write(bytes.subarray(at, at + 4_093))
        const streamed = await clipper.end()
        assert.equal(streamed.text, clipped.text, file)
      }
      count++
    }
    assert.ok(count > 50, `${count} files`)
  })

  it('every output of a failing command resolves the same in any pieces', () => {
    const runs = readFileSync(join(material ?? '', 'logs/local-runs/runs.jsonl'), 'utf8')
      .trim()
      .split('\n')
    for (const run of runs) {
      const { stdout, stderr }: { readonly stdout?: unknown; readonly stderr?: unknown } = JSON.parse(run)
      for (const output of [stdout, stderr]) {
        if (typeof output !== 'string') continue
        for (const size of [1, 7, 64]) {
          const scanner = new TerminalText()
          let shown = ''
          for (let at = 0; at < output.length; at += size) shown += scanner.write(output.slice(at, at + size))
          assert.equal(shown + scanner.end(), resolveTerminalText(output))
        }
      }
    }
    assert.ok(runs.length > 10)
  })

  it('every naughty string passes, within limits and in an envelope', () => {
    const strings: unknown = JSON.parse(readFileSync(join(material ?? '', 'security/blns/blns.json'), 'utf8'))
    assert.ok(Array.isArray(strings) && strings.length > 400)
    for (const naughty of strings) {
      const text = resolveTerminalText(valueText(naughty, 8_000))
      assert.equal(hasControl(text), false)
      assert.ok(clipText(text.repeat(200), { limit: 300 }).text.isWellFormed())
      const result: ToolResult = { id: callId('call_1'), name: 'naughty', outcome: 'ok', isError: false, text, parts: [] }
      assert.deepEqual(toToolMessages('openai-chat', [result]), [{ role: 'tool', tool_call_id: 'call_1', content: text }])
    }
  })
})
