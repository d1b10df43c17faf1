import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { spillText } from '@adjutant/core'
import { AdjutantError, type JsonObject } from '@adjutant/core/contract'
import { type TestContext, testContext } from '@adjutant/testkit'
import { readResultTool } from './read-result.ts'

async function read(cx: TestContext, input: JsonObject): Promise<string> {
  const running = readResultTool.execute(input, cx)
  assert.ok(running instanceof Promise)
  const text = await running
  assert.ok(typeof text === 'string')
  return text
}

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

describe('read_result', () => {
  it('shows lines and says how to go on', async () => {
    await using cx = await testContext()
    const { handle: id } = await spillText(cx.namespace, 'call_7', numbered(1_000))
    assert.equal(
      await read(cx, { id, offset: 10, limit: 2 }),
      `[result ${id}, lines 10 to 11]\nline 10\nline 11\n[more: read_result {"id":"${id}","offset":12}]`,
    )
    assert.equal(await read(cx, { id, offset: 1_000 }), `[result ${id}, line 1000]\nline 1000\n[the end]`)
    assert.equal(await read(cx, { id, offset: 1_001 }), `[result ${id}: no line 1001; it has 1000]`)
  })

  it('shows the last lines', async () => {
    await using cx = await testContext()
    const { handle: id } = await spillText(cx.namespace, 'call_7', `${numbered(1_000)}\n`)
    assert.equal(await read(cx, { id, tail: 2 }), `[result ${id}, lines 999 to 1000]\nline 999\nline 1000\n[the end]`)
    await assert.rejects(read(cx, { id, tail: 2, search: 'x' }), { code: 'INVALID_ARGUMENTS', message: /"tail".*"search"/ })
  })

  it('leads to every line when it is followed to the end', async () => {
    await using cx = await testContext()
    const whole = `${numbered(3_000)}\n${'x'.repeat(20_000)}\nlast\n`
    const { handle: id } = await spillText(cx.namespace, 'call_7', whole)
    let seen = ''
    let input: JsonObject = { id, limit: 1_000 }
    for (let calls = 0; calls < 50; calls++) {
      const page = await read(cx, input)
      const lines = page.split('\n')
      seen += lines.slice(1, -1).join('\n')
      const more = /read_result (\{.*\})\]$/.exec(lines.at(-1) ?? '')?.[1]
      if (more === undefined) break
      input = { ...JSON.parse(more), limit: 1_000 }
      if (!('column' in input)) seen += '\n'
    }
    assert.equal(`${seen}\n`, whole)
  })

  it('finds text, with line numbers, and says when there is none', async () => {
    await using cx = await testContext()
    const { handle: id } = await spillText(cx.namespace, 'call_7', numbered(300))
    assert.equal(
      await read(cx, { id, search: 'LINE 29' }),
      [
        `[result ${id}, lines found]`,
        '29: line 29',
        ...Array.from({ length: 10 }, (_, index) => `${290 + index}: line ${290 + index}`),
        '[the end: 11 found]',
      ].join('\n'),
    )
    assert.match(
      await read(cx, { id, search: 'line', limit: 3 }),
      /\n3: line 3\n\[more: read_result \{"id":"spill_Y2FsbF83\.[\w-]{22}","search":"line","offset":4\}\]$/,
    )
    assert.equal(await read(cx, { id, search: 'no such', offset: 5 }), `[result ${id}: nothing found from line 5 on]`)
  })

  it('stays below the limit at which a result is cut, whatever is asked for', async () => {
    await using cx = await testContext()
    const limit = readResultTool.limits?.maxResultChars ?? 0
    const long = await spillText(cx.namespace, 'a'.repeat(80), `${'word '.repeat(2_000)}\n`.repeat(500))
    const short = await spillText(cx.namespace, 'short', 'w\n'.repeat(50_000))
    for (const { handle: id } of [long, short]) {
      for (const more of [{}, { limit: 1_000 }, { search: 'w', limit: 1_000 }, { offset: 3, column: 5 }, { tail: 900 }]) {
        assert.ok((await read(cx, { id, ...more })).length < limit)
      }
    }
  })

  it('names what there is when an id is unknown, and the argument that is wrong', async () => {
    await using cx = await testContext()
    const { handle: id } = await spillText(cx.namespace, 'call_7', 'x')
    const code = (wanted: string, about: RegExp) => (error: unknown) =>
      AdjutantError.isInstance(error) && error.code === wanted && about.test(`${error.message} ${error.hint}`)
    await assert.rejects(read(cx, { id: '../call_7.txt' }), code('NOT_FOUND', /Kept are: spill_Y2FsbF83\./))
    // What is kept is named by what nobody can make up: neither its plain id nor a handle of another session.
    await using other = await testContext({ sessionId: 'session_2' })
    const { handle: theirs } = await spillText(other.namespace, 'call_7', 'theirs')
    for (const foreign of ['call_7', theirs, `${id.slice(0, -1)}_`, id.replace('spill_', 'job_')])
      await assert.rejects(read(cx, { id: foreign }), code('NOT_FOUND', /no kept result/), foreign)
    for (const [input, about] of [
      [{}, /"id"/],
      [{ id: ' ' }, /"id"/],
      [{ id, offset: 0 }, /"offset"/],
      [{ id, limit: 'many' }, /"limit"/],
      [{ id, search: 5 }, /"search"/],
      [{ id, search: '' }, /search/],
    ] as const) {
      await assert.rejects(read(cx, input), code('INVALID_ARGUMENTS', about))
    }
  })
})
