import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { measureJson } from './measure-json.ts'
import { MessageLines } from './message-lines.ts'
import { TailText } from './tail-text.ts'
import { toToolOutput } from './tool-output.ts'

describe('message lines', () => {
  it('are the same wherever the bytes were cut', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', ''))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
        const read: string[] = []
        const reader = new MessageLines(1_000, (text) => void read.push(text))
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        for (const [index, place] of places.entries()) reader.push(bytes.subarray(places[index - 1] ?? 0, place))
        assert.deepEqual(read, lines)
      }),
      { numRuns: 300 },
    )
  })

  it('have a limit, after which the reader is still of use', () => {
    const read: string[] = []
    const reader = new MessageLines(8, (text) => void read.push(text))
    reader.push(Buffer.from('12345678\n1234'))
    assert.throws(() => reader.push(Buffer.from('56789\n')), RangeError)
    reader.push(Buffer.from('next\n'))
    assert.deepEqual(read, ['12345678', 'next'])
  })
})

describe('the tail of a text', () => {
  it('keeps the last bytes, however they came', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 30, unit: fc.constantFrom('a', 'b', '\n') }), { maxLength: 50 }),
        (chunks) => {
          const tail = new TailText(40)
          for (const chunk of chunks) tail.push(Buffer.from(chunk))
          const expected = chunks
            .join('')
            .slice(-40)
            .split('\n')
            .filter((text) => text !== '')
            .slice(-3)
          assert.deepEqual(tail.lines(3), expected)
        },
      ),
    )
  })

  it('shows no control characters and no endless line', () => {
    const tail = new TailText()
    tail.push(Buffer.from(`\u001b[2J\u001b[1A\u001b]8;;http://evil\u0007click\u001b]8;;\u0007\u0000\u0007\r\n${'y'.repeat(2_000)}\n`))
    assert.deepEqual(tail.lines(5), ['click', `${'y'.repeat(500)}…`])
  })
})

describe('measuring JSON', () => {
  it('finds what is too deep or too long, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const length = JSON.stringify(value).length
        const found = measureJson(JSON.parse(JSON.stringify(value)), { size: 2 * length + 10, depth: 100 })
        assert.equal(found, undefined)
      }),
    )
    assert.match(measureJson([[[[]]]], { size: 100, depth: 2 }) ?? '', /deeper than 2/)
    assert.match(measureJson({ a: ['x'.repeat(200)] }, { size: 100, depth: 9 }) ?? '', /longer than 100/)
    assert.match(
      measureJson(
        Array.from({ length: 1_000_000 }, () => 0),
        { size: 100, depth: 9 },
      ) ?? '',
      /longer than 100/,
    )
  })
})

describe('the answer of an MCP tool', () => {
  const data = Buffer.alloc(300).toString('base64')

  it('keeps every kind of part', () => {
    const output = toToolOutput({
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', mimeType: 'image/png', data },
        { type: 'audio', mimeType: 'audio/wav', data },
        { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'file:///c', mimeType: 'image/gif', blob: data } },
        { type: 'resource', resource: { uri: 'file:///d', mimeType: 'application/gzip', blob: data } },
      ],
    })
    assert.deepEqual(output.parts, [
      { type: 'text', text: 'a' },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'audio', mimeType: 'audio/wav', data },
      { type: 'resource', uri: 'file:///a', mimeType: 'text/plain', title: 'a' },
      { type: 'resource', uri: 'file:///b', text: 'inside' },
      { type: 'image', mimeType: 'image/gif', data },
      { type: 'resource', uri: 'file:///d', mimeType: 'application/gzip', title: '300 bytes of binary data, not shown' },
    ])
    assert.equal(output.isError, false)
  })

  it('gives structured content where there is no text, and not beside text', () => {
    assert.deepEqual(toToolOutput({ content: [], structuredContent: { a: [1] } }).structured, { a: [1] })
    assert.deepEqual(toToolOutput({ content: [], structuredContent: 0 }).structured, 0)
    assert.equal(toToolOutput({ content: [{ type: 'text', text: '{"a":[1]}' }], structuredContent: { a: [1] } }).structured, undefined)
  })

  it('does not give the data of an image again as text', () => {
    const content = [{ type: 'image' as const, mimeType: 'image/png', data }]
    const output = toToolOutput({
      content,
      structuredContent: { list: [data, `data:image/png;base64,${data}`], short: 'AAAA' },
      isError: true,
    })
    assert.ok(!JSON.stringify(output.structured).includes(data))
    assert.deepEqual(output.structured, { list: ['(the image/png beside this)', '(the image/png beside this)'], short: 'AAAA' })
    assert.equal(output.isError, true)
  })
})
