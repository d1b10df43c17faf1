/** What programs write into a kept result by themselves is read back without what is taken out of every other result. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type TestContext, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { openSession, sessionTool } from '../../test/session-bench.ts'
import { callId } from '../contract/ids.ts'
import { createRedactor } from './redact/create-redactor.ts'
import { spillText } from './spill.ts'
import { readSpill } from './spill-read.ts'
import { SPILL_LIMITS, setSpillLimits, setSpillRedactor } from './spill-settings.ts'
import { SpillTarget } from './spill-target.ts'
import { StreamClipper } from './stream-clipper.ts'

const SECRET = 'correct-horse-battery-staple'
const redactor = createRedactor({ values: [SECRET], rules: 'off' })

async function context(): Promise<TestContext> {
  const cx = await testContext()
  setSpillRedactor(cx.namespace, redactor)
  return cx
}

/** A program of its own writes these bytes, in two pieces. */
async function written(target: SpillTarget, bytes: Buffer): Promise<void> {
  const cut = Math.floor(bytes.length / 2)
  const program = "process.stdin.on('data', (d) => require('fs').writeSync(1, d))"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', target.descriptor, target.descriptor] })
  assert.ok(child.stdin)
  child.stdin.write(bytes.subarray(0, cut))
  child.stdin.end(bytes.subarray(cut))
  await once(child, 'close')
}

/** Everything that can be read back, however it is asked for. */
async function readBack(cx: TestContext, id: string, lines: number): Promise<string> {
  const said: string[] = []
  for (let offset = 1; offset <= lines; offset += 40) {
    const page = await readSpill(cx.namespace, id, { offset, limit: 40, maxChars: 100_000 })
    if (page.kind === 'lines') said.push(page.text)
  }
  for (const column of [1, 7, 19]) {
    const page = await readSpill(cx.namespace, id, { offset: 1, column, maxChars: 40 })
    if (page.kind === 'lines') said.push(page.text)
  }
  for (const search of ['horse', 'battery', 'line']) {
    const page = await readSpill(cx.namespace, id, { search, limit: 100 })
    if (page.kind === 'hits') said.push(...page.hits.map(({ text }) => text))
  }
  return said.join('\n')
}

const filler = `${'line of the output\n'.repeat(100)}`

describe('what a program writes into a kept result', () => {
  it('is kept without its secrets, wherever they stand and whatever colours them', async () => {
    await using cx = await context()
    const forms = [
      SECRET,
      `${SECRET.slice(0, 9)}\u001b[31m${SECRET.slice(9)}\u001b[0m`,
      `\u001b[1m${SECRET}`,
      Buffer.from(SECRET).toString('base64'),
    ]
    const target = await SpillTarget.open(cx.namespace, 'call_1')
    await written(target, Buffer.from(forms.map((form) => `key ${form}\n${filler}`).join('')))
    const { text, spill } = await target.finish({ limit: 1_000 })
    assert.ok(spill !== undefined)
    const kept = await readFile(spill.path, 'utf8')
    assert.equal(kept.split('[secret removed: configured value #1]').length, 5)
    for (const said of [text, kept, await readBack(cx, 'call_1', spill.lines)]) {
      assert.ok(!said.includes('horse'), said.slice(0, 200))
      assert.ok(!said.includes(Buffer.from(SECRET).toString('base64').slice(0, 12)))
    }
    assert.equal(spill.lines, 404)
    assert.deepEqual(await readdir(await cx.namespace.path('results')), ['call_1.txt'])
  })

  it('holds no part of a secret at any place of any text', async () => {
    await using cx = await context()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(300_000), fc.nat(30), fc.boolean(), async (before, width, split) => {
        const id = `call_${++count}`
        const row = `${'x'.repeat(width)}\n`
        const secret = split ? `${SECRET.slice(0, 5)}\u001b[0m${SECRET.slice(5)}` : SECRET
        const target = await SpillTarget.open(cx.namespace, id)
        const child = spawn('cat', [], { stdio: ['pipe', target.descriptor, target.descriptor] })
        assert.ok(child.stdin)
        child.stdin.end(`${row.repeat(Math.ceil(before / row.length))}${secret}${row.repeat(600)}`)
        await once(child, 'close')
        const { spill } = await target.finish({ limit: 500 })
        assert.ok(spill !== undefined)
        const kept = await readFile(spill.path, 'utf8')
        assert.ok(!kept.includes('horse') && kept.includes('[secret removed'))
      }),
      { numRuns: 15 },
    )
  })

  it('is left byte for byte as it came where there is nothing to take out', async () => {
    await using cx = await context()
    const bytes = Buffer.concat([Buffer.from('\u001b[31mred\u001b[0m\r\n'), Buffer.from([0xff, 0xfe]), Buffer.from(filler)])
    const target = await SpillTarget.open(cx.namespace, 'call_1')
    await written(target, bytes)
    const { spill } = await target.finish({ limit: 500 })
    assert.deepEqual(await readFile(spill?.path ?? ''), bytes)
  })

  it('is not kept at all where it cannot be written anew', async () => {
    await using cx = await context()
    const text = `${SECRET}\n${filler}`
    setSpillLimits(cx.namespace, { ...SPILL_LIMITS, totalBytes: text.length + 100 })
    const target = await SpillTarget.open(cx.namespace, 'call_1')
    await written(target, Buffer.from(text))
    await target.bytes()
    const { spill, text: shown } = await target.finish({ limit: 500 })
    assert.equal(spill, undefined)
    assert.match(shown, /could not be kept/)
    assert.ok(!shown.includes('horse') && shown.startsWith('[secret removed'))
    assert.deepEqual(await readdir(await cx.namespace.path('results')), [])
  })
})

describe('other ways into a kept result', () => {
  it('lead to it without secrets too', async () => {
    await using cx = await context()
    const text = `${SECRET}\n${filler}`
    const { path } = await spillText(cx.namespace, 'call_1', text)
    const clipper = new StreamClipper({ limit: 500, keep: { namespace: cx.namespace, callId: 'call_2' } })
    await clipper.write(Buffer.from(text))
    const { spill } = await clipper.end()
    for (const file of [path, spill?.path ?? '']) assert.ok(!(await readFile(file, 'utf8')).includes('horse'), file)
  })

  it('show no part of a secret either, wherever the text is cut, in whatever pieces it comes', async () => {
    await using cx = await context()
    const parts = Array.from({ length: SECRET.length - 7 }, (_, at) => SECRET.slice(at, at + 8))
    const strategy = fc.constantFrom(
      'auto' as const,
      'head-tail' as const,
      'head' as const,
      'tail' as const,
      'errors' as const,
      'json' as const,
    )
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constantFrom(SECRET, `${SECRET.slice(0, 6)}\u001b[1m${SECRET.slice(6)}`), fc.integer({ min: 1, max: 400 })), {
          minLength: 1,
          maxLength: 60,
        }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 100, max: 600 }),
        strategy,
        fc.boolean(),
        async (pieces, size, limit, way, keeps) => {
          const bytes = Buffer.from(pieces.map((piece) => (typeof piece === 'string' ? piece : '.'.repeat(piece))).join('error: '))
          const where = keeps ? { keep: { namespace: cx.namespace, callId: `call_${++count}` } } : { redactor }
          const clipper = new StreamClipper({ limit, strategy: way, ...where })
          for (let at = 0; at < bytes.length; at += size) await clipper.write(bytes.subarray(at, at + size))
          const { text, spill } = await clipper.end()
          for (const said of [text, spill === undefined ? '' : await readFile(spill.path, 'utf8')])
            assert.deepEqual(
              parts.filter((part) => said.includes(part)),
              [],
            )
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are those of a session by itself', async () => {
    const tool = sessionTool('builds', {
      async execute(_input, cx) {
        const target = await SpillTarget.open(cx.namespace, cx.callId)
        await written(target, Buffer.from(`${SECRET}\n${filler}`))
        return (await target.finish({ limit: 500 })).text
      },
    })
    await using bench = openSession([tool], { redactor })
    const [result] = await bench.session.execute([
      { id: callId('call_1'), index: 0, name: 'builds', arguments: { ok: true, value: {} }, idFromProvider: true },
    ])
    assert.ok(result?.isError === false && !result.text.includes('horse'))
    const page = await readSpill(bench.session.namespace, 'call_1', { limit: 3 })
    assert.ok(page.kind === 'lines' && page.text.startsWith('[secret removed: configured value #1]\nline of'))
  })
})
