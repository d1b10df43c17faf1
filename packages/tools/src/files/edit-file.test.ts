import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import { openFileBench } from '../../test/file-bench.ts'

describe('edit_file', () => {
  it('changes one place and shows it', async () => {
    await using bench = await openFileBench()
    await bench.put('a.ts', Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join('\n'))
    await bench.call('read_file', { path: 'a.ts' })
    assert.equal(
      await bench.call('edit_file', { path: 'a.ts', old_text: 'line 5', new_text: 'five\nand more' }),
      'Edited a.ts: 1 replacement.\n@@ -3,5 +3,6 @@\n line 3\n line 4\n-line 5\n+five\n+and more\n line 6\n line 7',
    )
    assert.match(
      await bench.call('edit_file', { path: 'a.ts', old_text: 'five\nand more\n', new_text: '' }),
      /@@ -3,6 \+3,4 @@\n line 3\n line 4\n-five\n-and more\n line 6\n line 7$/,
    )
    assert.match(
      await bench.call('edit_file', { path: 'a.ts', old_text: 'line', new_text: 'row', replace_all: true }),
      /^Edited a\.ts: 8 replacements\.[\s\S]*\[5 more replacements\]$/,
    )
    assert.equal((await bench.content('a.ts')).toString(), 'row 1\nrow 2\nrow 3\nrow 4\nrow 6\nrow 7\nrow 8\nrow 9')
  })

  it('has to have been read, and must not have changed', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'old')
    const change = { path: 'a', old_text: 'old', new_text: 'new' }
    await assert.rejects(bench.call('edit_file', change), { code: 'CONFLICT', message: /not read/ })
    await bench.call('read_file', { path: 'a' })
    await bench.put('a', 'old and changed')
    await assert.rejects(bench.call('edit_file', change), { code: 'CONFLICT', message: /changed since/, hint: /read_file/ })
    await using other = await testContext({ sessionId: 'other' })
    await bench.call('read_file', { path: 'a' }, other)
    await assert.rejects(bench.call('edit_file', change), { code: 'CONFLICT' })
    assert.match(await bench.call('edit_file', change, other), /^Edited/)
  })

  it('keeps encoding, mark and line ends', async () => {
    await using bench = await openFileBench()
    const files: Record<string, Buffer> = {
      bom: Buffer.from('\uFEFFa\r\nold\r\né'),
      le: Buffer.from('\uFEFFa\r\nold\r\né', 'utf16le'),
      be: Buffer.from('\uFEFFa\r\nold\r\né', 'utf16le').swap16(),
      latin: Buffer.from('a\r\nold\r\ncaf\xe9 \x80\x81', 'latin1'),
    }
    for (const [name, bytes] of Object.entries(files)) {
      await bench.put(name, bytes)
      await bench.call('read_file', { path: name })
      await bench.call('edit_file', { path: name, old_text: 'a\nold', new_text: 'b\nnew\nend' })
      const wide = name === 'le' || name === 'be'
      const plain = (text: string) => (name === 'be' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, wide ? 'utf16le' : 'utf8'))
      const at = bytes.indexOf(plain('a\r\nold'))
      const expected = Buffer.concat([bytes.subarray(0, at), plain('b\r\nnew\r\nend'), bytes.subarray(at + plain('a\r\nold').length)])
      assert.ok((await bench.content(name)).equals(expected), name)
    }
    await assert.rejects(bench.call('edit_file', { path: 'latin', old_text: 'new', new_text: '日' }), { code: 'INVALID_ARGUMENTS' })
  })

  it('does not touch what it cannot write back', async () => {
    await using bench = await openFileBench()
    await bench.put('odd', Buffer.concat([Buffer.from('\uFEFFold', 'utf16le'), Buffer.from('x')]))
    await bench.call('read_file', { path: 'odd' })
    await assert.rejects(bench.call('edit_file', { path: 'odd', old_text: 'old', new_text: 'new' }), { code: 'UNSUPPORTED' })
  })

  it('changes nothing when the text is not there, or there twice', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'x x')
    await bench.call('read_file', { path: 'a' })
    await assert.rejects(bench.call('edit_file', { path: 'a', old_text: 'y', new_text: 'z' }), { code: 'NOT_FOUND' })
    await assert.rejects(bench.call('edit_file', { path: 'a', old_text: 'x', new_text: 'z' }), { code: 'CONFLICT' })
    await assert.rejects(bench.call('edit_file', { path: 'b', old_text: 'x', new_text: 'z' }), { code: 'NOT_FOUND' })
    assert.equal((await bench.content('a')).toString(), 'x x')
  })

  it('is stopped with the file as it was', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'old')
    await bench.call('read_file', { path: 'a' })
    await using cx = await testContext({ signal: AbortSignal.abort(new Error('stopped')) })
    await assert.rejects(bench.call('edit_file', { path: 'a', old_text: 'old', new_text: 'new' }, cx))
    assert.equal((await bench.content('a')).toString(), 'old')
  })

  it('takes edits at the same time one after the other', async () => {
    await using bench = await openFileBench()
    await bench.put('a', Array.from({ length: 8 }, (_, index) => `v${index};`).join(''))
    await bench.call('read_file', { path: 'a' })
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => bench.call('edit_file', { path: 'a', old_text: `v${index};`, new_text: `w${index};` })),
    )
    assert.equal((await bench.content('a')).toString(), 'w0;w1;w2;w3;w4;w5;w6;w7;')
  })
})
