import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { clipBy } from '../clip-by.ts'
import { tableHeader } from './table-header.ts'

const TABLES: Readonly<Record<string, { readonly head: string; readonly row: (index: number) => string }>> = {
  'comma separated': { head: 'id,name,city', row: (index) => `${index},"Müller, A.",Köln` },
  'semicolon separated': { head: 'id;name;city;land', row: (index) => `${index};a;b;c` },
  'tab separated': { head: 'id\tname', row: (index) => `${index}\tname` },
  'two columns by commas': { head: 'id,name', row: (index) => `${index},name` },
  Markdown: { head: '| id | name |\n|---:|:-----|', row: (index) => `| ${index} | n |` },
  'a database client': { head: ' id | name\n----+------', row: (index) => ` ${index}  | n` },
  'a frame': { head: '+----+------+\n| id | name |\n+----+------+', row: (index) => `| ${index} | n    |` },
  bars: { head: 'id|name|city', row: (index) => `${index}|n|c` },
  'fixed width': { head: 'NAME          READY   STATUS    AGE', row: (index) => `pod-${String(index).padEnd(5)}     1/1     Running   3d` },
  'right aligned': { head: '   PID USER       COMMAND', row: (index) => `${String(index).padStart(6)} root       sh -c x` },
  dashes: { head: 'Id    Name\n----- ------', row: (index) => `${String(index).padEnd(5)} name` },
}

describe('table', () => {
  it('keeps the header and both ends of the rows of every form, and says how many rows are missing', () => {
    for (const [name, { head, row }] of Object.entries(TABLES)) {
      const text = `${head}\n${Array.from({ length: 3_000 }, (_, index) => `${row(index)}\n`).join('')}`
      for (const by of ['auto', 'table'] as const) {
        const clipped = clipBy(by, text, { limit: 900 })
        assert.ok(clipped.text.startsWith(`${head}\n${row(0)}\n${row(1)}\n`), `${name}: ${clipped.text}`)
        assert.ok(clipped.text.endsWith(`\n${row(2_999)}\n`), name)
        const gap = /\n\[… (\d+) rows \((\d+) characters\) left out …\]\n/.exec(clipped.text)
        assert.ok(gap !== null, `${name}: ${clipped.text}`)
        const shown = clipped.text.split('\n').length - 2 - head.split('\n').length
        assert.equal(Number(gap[1]) + shown, 3_000, name)
        assert.equal(Number(gap[2]) + clipped.text.length - gap[0].length + 1, text.length, name)
      }
    }
  })

  it('does not take prose, logs, code or lists for tables', () => {
    const texts = [
      'First, a line.\nThen another, longer.\nAnd, well, a third.\nFine.\nYes, that.\nNo.\nSo, on.\nEnd',
      'step 1\nstep 2\nstep 3\nstep 4\nstep 5\nstep 6\nstep 7',
      'const a = f(1, 2)\nconst b = 3\nreturn a, b\n}\n\nlet x = 1',
      'A SHOUTED HEADING\n\nand text below it that goes on\nfor some lines\n',
      'one\n',
      '',
      '---\ntitle: x\n---\ntext\n',
      'Title\n=====\ntext\nmore text',
    ]
    for (const text of texts) assert.equal(tableHeader(text), undefined, text)
  })

  it('does not call lines rows where a row goes over several of them', () => {
    const text = `id,name,text\n${Array.from({ length: 900 }, (_, index) => `${index},n,t\n`).join('')}1,n,"two\nlines"\n${'2,n,t\n'.repeat(300)}`
    assert.match(clipBy('table', text, { limit: 500 }).text, /\d+ lines \(\d+ characters\) left out/)
  })

  it('falls back to both ends where the header takes all the room', () => {
    const text = `${'h'.repeat(900)},b\n${'1,2\n'.repeat(900)}`
    assert.deepEqual(clipBy('table', text, { limit: 1_000 }), clipBy('head-tail', text, { limit: 1_000 }))
  })

  it('looks at any text without harm', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const found = tableHeader(text)
        assert.ok(found === undefined || (found.lines >= 1 && found.lines <= 3))
      }),
    )
  })
})
