import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import type { ToolCall } from '../contract/call.ts'
import { callId } from '../contract/ids.ts'
import type { ContentPart, ToolResult } from '../contract/result.ts'
import { ToolOutput } from '../contract/tool.ts'
import { buildResult } from './build-result.ts'
import { renderOutput } from './output-parts.ts'

const data = `iVBOR/${'QmFzZTY0+/'.repeat(60_000)}`
const picture: ContentPart = { type: 'image', mimeType: 'image/png', data }
const render = (parts: readonly ContentPart[], structured?: { readonly [key: string]: string | null }) =>
  renderOutput(new ToolOutput(parts, structured === undefined ? {} : { structured }), undefined, undefined, 8_000)

describe('parts of a result', () => {
  it('never show the data of a picture as text, wherever a server repeats it', () => {
    const mirrors: readonly string[] = [
      JSON.stringify({ width: 1, image: data }),
      JSON.stringify({ image: data }).replaceAll('/', '\\/'),
      `![a chart](data:image/png;base64,${data})`,
      data,
    ]
    for (const text of mirrors) {
      const rendered = render([{ type: 'text', text }, picture], { image: data })
      assert.ok(rendered.text.length < 100 && rendered.text.includes('[the data above]'), rendered.text.slice(0, 100))
      assert.deepEqual(rendered.parts, [picture])
    }
    assert.equal(render([picture], { image: data, none: null }).text, '{"image":"[the data above]","none":null}')
  })

  it('leave words alone that are also a picture of nothing', () => {
    const tiny: ContentPart = { type: 'image', mimeType: 'image/png', data: 'word' }
    assert.equal(render([{ type: 'text', text: 'a word' }, tiny]).text, 'a word')
    assert.equal(
      render([
        { type: 'text', text: 'text' },
        { ...tiny, data: '' },
      ]).text,
      'text',
    )
  })

  it('never count a picture as text', () => {
    const rendered = render([picture, { type: 'text', text: 'a chart' }])
    assert.deepEqual([rendered.text, rendered.parts], ['a chart', [picture]])
  })

  it('have a limit of pictures by number and by size together, and say what was left out', () => {
    const many = render(Array(25).fill({ ...picture, data: 'QUJD' }))
    assert.equal(many.parts.length, 20)
    assert.equal(many.text.split('left out: more than 20 in one result').length, 6)
    const large = render(Array(5).fill({ ...picture, data: 'A'.repeat(6_000_000) }))
    assert.equal(large.parts.length, 3)
    assert.equal(large.text.split('left out: more than 15000000 bytes of them in one result').length, 3)
  })

  it('are not troubled by structured output of any depth', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 20_000; level++) deep = [deep]
    const rendered = renderOutput(new ToolOutput([picture], { structured: JSON.parse('[1]') }), undefined, undefined, 8_000)
    assert.equal(rendered.text, '[1]')
    const nested: ToolOutput = Object.assign(new ToolOutput([picture]), { structured: deep })
    assert.match(renderOutput(nested, undefined, undefined, 8_000).text, /nested too deep to show/)
  })
})

describe('a result of several parts', () => {
  const call: ToolCall = { id: callId('call_1'), index: 0, name: 'look', arguments: { ok: true, value: {} }, idFromProvider: true }
  const lines = (name: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${name} ${index} of a server\n`).join('')

  async function of(parts: readonly ContentPart[]): Promise<ToolResult & { readonly whole: string }> {
    await using cx = await testContext()
    const output = new ToolOutput(parts)
    const result = await buildResult({ call, outcome: { status: 'succeeded', output } }, { namespace: cx.namespace, resultChars: 8_000 })
    return { ...result, whole: result.spill === undefined ? '' : await readFile(result.spill.path, 'utf8') }
  }

  it('is bounded as one, shows both ends of each large part, and is kept whole', async () => {
    const texts = [lines('first', 5_000), 'a short one', lines('second', 5_000), lines('third', 5_000)]
    const result = await of([...texts.map((text): ContentPart => ({ type: 'text', text })), picture])
    assert.ok(result.text.length <= 8_000 && result.text.length > 7_000)
    for (const name of ['first', 'second', 'third']) {
      assert.ok(result.text.includes(`${name} 0 of`) && result.text.includes(`${name} 4999 of`), name)
    }
    assert.ok(result.text.includes('\na short one\n'))
    assert.equal(result.text.split(`read_result {"id":"${result.spill?.handle}"}`).length, 2)
    assert.equal(result.whole, texts.join('\n'))
    assert.deepEqual(result.parts, [picture])
  })

  it('counts the text of a resource like any other', async () => {
    const result = await of([
      { type: 'text', text: 'found:' },
      { type: 'resource', uri: 'file:///log', text: lines('row', 20_000) },
    ])
    assert.ok(result.text.length <= 8_000)
    assert.match(result.text, /^found:\n\[resource file:\/\/\/log\]\nrow 0 of/)
    assert.deepEqual(result.parts, [{ type: 'resource', uri: 'file:///log' }])
  })

  it('lets no part obey or swallow what belongs to the next', async () => {
    const result = await of([
      { type: 'text', text: 'one \x1b]8;;http://never-ended' },
      { type: 'text', text: '\x1b[2J\x1b[1A\x1b[Ktwo' },
    ])
    assert.match(result.text, /^one [^\x1b]*\ntwo$/)
  })
})
