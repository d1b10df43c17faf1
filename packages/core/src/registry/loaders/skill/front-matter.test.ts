import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { parseFrontMatter, splitFrontMatter } from './front-matter.ts'
import { quotePlainScalars } from './quote-plain-scalars.ts'

function fieldsOf(yaml: string) {
  const front = parseFrontMatter(yaml)
  assert.ok(front.ok, front.ok ? '' : front.message)
  return front.fields
}

describe('splitFrontMatter', () => {
  const whole = { ok: true, yaml: 'name: a\n', body: '# Body', warnings: [] }

  it('parts front matter and body', () => {
    assert.deepEqual(splitFrontMatter('---\nname: a\n---\n\n# Body\n'), whole)
  })

  it('does not care for a byte order mark, line ends, or spaces after the fence', () => {
    assert.deepEqual(splitFrontMatter('\uFEFF---\r\nname: a\r\n---\r\n# Body\r\n'), whole)
    assert.deepEqual(splitFrontMatter('---\rname: a\r---\r# Body'), whole)
    assert.deepEqual(splitFrontMatter('--- \t\nname: a\n---  \n# Body'), whole)
  })

  it('ends at the end of the file', () => {
    assert.deepEqual(splitFrontMatter('---\nname: a\n---'), { ...whole, body: '' })
  })

  it('reads all of it together: mark, CRLF, folded text, and the end right after the fence', () => {
    const split = splitFrontMatter('\uFEFF---\r\nname: a\r\ndescription: >\r\n  one\r\n  two\r\n---')
    assert.ok(split.ok)
    assert.deepEqual(fieldsOf(split.yaml), { name: 'a', description: 'one two\n' })
  })

  it('keeps rules in the body and in a block text', () => {
    const split = splitFrontMatter('---\ndescription: |\n  one\n  ---\n  two\n---\nup\n\n---\n\ndown')
    assert.ok(split.ok)
    assert.equal(split.body, 'up\n\n---\n\ndown')
    assert.deepEqual(fieldsOf(split.yaml), { description: 'one\n---\ntwo\n' })
  })

  it('says what is missing', () => {
    const messages = ['', ' \n', '# Title\n', '----\nname: a\n---', '---\nname: a\n'].map((text) => splitFrontMatter(text))
    assert.deepEqual(
      messages.map((split) => (split.ok ? 'fine' : split.message)),
      [
        'is empty',
        'is empty',
        'does not begin with a line of --- (it begins with "# Title")',
        'does not begin with a line of --- (it begins with "----")',
        'has no second line of --- that ends the front matter',
      ],
    )
    const huge = splitFrontMatter(`---\nname: ${'a'.repeat(70_000)}\n---\n`)
    assert.ok(!huge.ok && /limit/.test(huge.message))
  })
})

describe('parseFrontMatter', () => {
  it('repairs text with colons, and says so', () => {
    const front = parseFrontMatter('name: a\ndescription: Use when: the user says "go": now # really\nallowed-tools: Read')
    assert.ok(front.ok)
    assert.deepEqual(front.fields, { name: 'a', description: 'Use when: the user says "go": now # really', 'allowed-tools': 'Read' })
    assert.match(front.warnings[0] ?? '', /not valid YAML/)
    assert.equal(front.unsure.size, 0)
  })

  it('repairs text that goes on in the next lines', () => {
    assert.deepEqual(fieldsOf('description: Use it\n  when: asked\n\n  or not\nname: b'), {
      description: 'Use it when: asked or not',
      name: 'b',
    })
  })

  it('repairs text that only begins with quotes', () => {
    assert.deepEqual(fieldsOf(`description: "Plan" and "do": both\nname: 'it''s'`), { description: '"Plan" and "do": both', name: "it's" })
    assert.deepEqual(fieldsOf('argument-hint: [file] [mode]\nname: b'), { 'argument-hint': '[file] [mode]', name: 'b' })
  })

  it('repairs tabs', () => {
    assert.deepEqual(fieldsOf('metadata:\n\tauthor: me\n\tversion: "2"\nname: a'), { metadata: { author: 'me', version: '2' }, name: 'a' })
  })

  it('leaves structure alone while it repairs', () => {
    const yaml =
      'description: a: b\nallowed-tools:\n  - Read\n  - Grep\nmetadata:\n  list: [x, y]\n  items:\n    - name: one\n      note: c: d\n  text: >\n    two: lines\n    here\n'
    assert.deepEqual(fieldsOf(yaml), {
      description: 'a: b',
      'allowed-tools': ['Read', 'Grep'],
      metadata: { list: ['x', 'y'], items: [{ name: 'one', note: 'c: d' }], text: 'two: lines here\n' },
    })
  })

  it('names what the repair swallowed', () => {
    const front = parseFrontMatter('name: a\ndescription: Use when: asked\n  allowed-tools: Read\n')
    assert.ok(front.ok)
    assert.ok(front.unsure.has('allowed-tools'))
  })

  it('names a member that stands there twice', () => {
    const front = parseFrontMatter('name: a\nallowed-tools: Read\ndescription: x\nallowed-tools: Bash')
    assert.ok(front.ok)
    assert.deepEqual([...front.unsure], ['allowed-tools'])
  })

  it('keeps numbers as they are written, and keeps odd keys', () => {
    assert.deepEqual(fieldsOf('version: 1.10\nname: 007\non: yes'), { version: '1.10', name: '007', on: 'yes' })
    assert.equal(JSON.stringify(fieldsOf('__proto__: x\nconstructor: y')), '{"__proto__":"x","constructor":"y"}')
  })

  it('refuses what is no map, or multiplies without end', () => {
    assert.deepEqual(parseFrontMatter('- a\n- b'), { ok: false, message: 'it is not a list of "name: value" lines' })
    assert.equal(parseFrontMatter('just text').ok, false)
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'.split('').map((key, at) => `${key}: &${key} [${Array(10).fill(`*${'abcdefg'[at]}`).join(', ')}]`),
    ]
    assert.equal(parseFrontMatter(bomb.join('\n')).ok, false)
  })

  it('reads any text as the value that it is, quoted by hand or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:# "\'-[]{}|>&*!%@`,.\\é汉'), minLength: 1, maxLength: 30 }), (text) => {
        const front = parseFrontMatter(`name: x\ndescription: w${text}\nallowed-tools: Read`)
        assert.ok(front.ok)
        const { description } = front.fields
        assert.equal(front.fields['allowed-tools'], 'Read')
        // A comment is one also where nothing has to be repaired.
        const written = `w${text}`.trim()
        assert.ok(
          description === written || (typeof description === 'string' && written.startsWith(description) && / #/.test(written)),
          `${description}`,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it('takes the mark of a block for text where it does not stand right behind the name', () => {
    for (const value of ['w: |', 'w: >-', 'a: b: |2', 'w: | # c']) {
      const front = parseFrontMatter(`name: x\ndescription: ${value}\nallowed-tools: Read`)
      assert.ok(front.ok)
      assert.equal(front.fields.description, value)
    }
    const block = parseFrontMatter('name: x\nwhen: a: b\ndescription: |\n  one: two\n  three')
    assert.ok(block.ok)
    assert.equal(block.fields.description, 'one: two\nthree\n')
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:\n\t -[]{}|>&*!"\'#%?,'), maxLength: 80 }), (text) => {
        const front = parseFrontMatter(text)
        assert.equal(typeof front.ok, 'boolean')
        quotePlainScalars(text)
      }),
      { numRuns: 2_000 },
    )
  })
})
