import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeReferences } from './character-references.ts'
import { parseHtml } from './parse-html.ts'
import { readableText } from './readable-text.ts'

const BASE = 'https://e.example/dir/page'
const read = (html: string): string => readableText(html, BASE).text
const FILLER = 'Enough words to be taken for the content of a page. '.repeat(6).trim()

describe('readableText', () => {
  it('keeps the forms that carry meaning', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['<h1>One</h1><h3>Two</h3>text', '# One\n\n### Two\n\ntext'],
      ['<p>a\n  b<b>c</b> d</p><p>e<br>f</p>', 'a bc d\n\ne\nf'],
      ['<ul><li>a<li>b<ol><li>c<li>d</ol><li>e</ul>f', '- a\n- b\n  1. c\n  2. d\n- e\n\nf'],
      ['<pre>  x\n\n\n   y &lt;</pre>z', '```\n  x\n\n   y <\n```\n\nz'],
      ['<table><tr><th>A<th>B<tr><td>1</td><td>2</td></tr></table>', '| A | B\n| 1 | 2'],
      ['<blockquote>said</blockquote>a<hr>b', '> said\n\na\n\n---\n\nb'],
      ['<dl><dt>a<dd>b<dt>c<dd>d</dl>', 'a\nb\nc\nd'],
      ['<img alt=" A cat "><img alt="">', '[image: A cat]'],
      ['a&nbsp;b', 'a\u00a0b'],
      ['<div>a</div><div>b</div>', 'a\nb'],
    ]
    for (const [html, expected] of cases) assert.equal(read(html), expected, html)
  })

  it('writes links in full, and not those that lead nowhere', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['<a href="../x?a=1&amp;b=2">t</a>', '[t](https://e.example/x?a=1&b=2)'],
      ['<a href="/x?a=1&copy=2">t</a>', '[t](https://e.example/x?a=1&copy=2)'],
      ['<a href="//o.example/(y)">t</a>', '[t](https://o.example/%28y%29)'],
      ['<a href="mailto:a@e.example">t</a>', '[t](mailto:a@e.example)'],
      ['<a href="#part">t</a>', 't'],
      ['<a href="javascript:alert(1)">t</a>', 't'],
      ['<a href="java\nscript:alert(1)">t</a>', 't'],
      ['<a href="data:text/html,x">t</a>', 't'],
      ['<a href="/x"></a>a<a href=/y><img></a>b', 'ab'],
      ['<a href=/x>one<a href=/y>two</a>', '[one](https://e.example/x)[two](https://e.example/y)'],
      ['<base href="https://b.example/q/"><a href=x>t</a>', '[t](https://b.example/q/x)'],
      ['<a>t</a>', 't'],
    ]
    for (const [html, expected] of cases) assert.equal(read(html), expected, html)
  })

  it('drops what is not shown', () => {
    const hidden = [
      '<script>secret("</p>")</script>',
      '<script>"<!-- <script>" secret</script>',
      '<style>p{content:"secret"}</style>',
      '<template><p>secret</p></template>',
      '<p hidden>secret</p>',
      '<div style="color:red; DISPLAY : none">secret<p>secret</div>',
      '<span style="visibility:hidden">secret</span>',
      '<div aria-hidden=true><div>secret</div></div>',
      '<!-- secret -->',
      '<!-- secret > -- > secret --!>',
      '<!-->',
      '<!--->',
      '<!-- secret ---->',
      '<!doctype secret>',
      '<?php secret ?>',
      '<svg><title>secret</title><text>secret</text></svg>',
      '<select><option>secret</select>',
      '<textarea>secret</textarea>',
      '<iframe><p>secret</p></iframe>',
      '<input value=secret><meta content=secret>',
      '<p title="secret>secret">',
    ]
    for (const html of hidden) assert.equal(read(`a ${html}<p>b`).replace(/\s+/g, ' '), 'a b', html)
  })

  it('takes the main content where there is one, and all where there is none', () => {
    const around = '<header>top</header><nav>menu</nav><aside>side</aside>'
    const cases: readonly (readonly [string, string, boolean])[] = [
      [`${around}<main><header><h1>T</h1></header>${FILLER}<nav>in</nav></main><footer>foot</footer>`, `# T\n\n${FILLER}`, true],
      [`${around}<div role=main>${FILLER}</div>rest`, FILLER, true],
      [`${around}<article>${FILLER}</article><div>rest</div>`, FILLER, true],
      [`${around}<div>${FILLER}</div><footer>foot</footer>`, FILLER, true],
      [`<main>short</main><p>${FILLER}</p>`, `short\n\n${FILLER}`, false],
      ['<nav>only</nav>', 'only', false],
      ['', '', false],
    ]
    for (const [html, expected, reduced] of cases)
      assert.deepEqual(readableText(html, BASE), { title: '', text: expected, reduced, cut: false }, html)
  })

  it('finds the title', () => {
    const titleOf = (html: string): string => readableText(html, BASE).title
    assert.equal(titleOf('<head><title> A &amp;\n <b>B </title></head><svg><title>no</title></svg>'), 'A & <b>B')
    assert.equal(titleOf('<svg><title>no</title></svg><title>yes</title>'), 'yes')
    assert.equal(titleOf(`<title>${'x'.repeat(1_000)}</title>`).length, 300)
    assert.equal(titleOf('<p>none'), '')
  })

  it('gives the text of any words in any tags, in order', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/)
    const tag = fc.constantFrom('p', 'div', 'b', 'li', 'ul', 'td', 'span', 'blockquote', 'h2', 'section')
    const node = fc.oneof(
      word,
      fc.tuple(tag, word).map(([name, text]) => `<${name}>${text}</${name}>`),
      fc.tuple(tag, word).map(([name, text]) => `<${name.toUpperCase()} x='>'>${text}`),
    )
    fc.assert(
      fc.property(fc.array(node, { maxLength: 20 }), (nodes) => {
        const words = nodes.flatMap((html) => html.replace(/<[^<]*?'>'>|<[^>]*>/g, ' ').match(/[a-z]+/g) ?? [])
        assert.equal((read(nodes.join(' ')).match(/[a-z]+/g) ?? []).join(' '), words.join(' '))
      }),
      { numRuns: 300 },
    )
  })
})

describe('hostile pages', () => {
  it('never throw', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.constantFrom(
        '<',
        '>',
        '</',
        '<!--',
        '-->',
        '"',
        "'",
        '=',
        '&#',
        '&#x110000;',
        '<a href=',
        '<script>',
        '</script',
        '<title>',
        '<svg/>',
        '<p hidden',
        '\0',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { text } = readableText(pieces.join(''), BASE)
        assert.ok(text.isWellFormed() || !pieces.join('').isWellFormed())
      }),
      { numRuns: 500 },
    )
  })

  it('take work in proportion to their length', () => {
    // Counted and not timed: what the parser is asked for grows with the page, whatever is in it.
    for (const unit of [
      '<div>',
      '<a b="',
      "<a b='",
      '<!--',
      '<',
      '</x>',
      '<p><b>',
      '<ul><li>',
      '<a href=x>y',
      '<title>',
      '&amp',
      '<div></b>',
      '<table><tr><td>',
    ]) {
      let events = 0
      const count = (): void => {
        events += 1
      }
      parseHtml(unit.repeat(20_000), { onopentag: count, ontext: count, onclosetag: count })
      assert.ok(events <= 20_000 * 4, unit)
      assert.ok(read(unit.repeat(20_000)).length <= unit.length * 20_000 * 2 + 200_000, unit)
    }
  })

  it('are read to a bounded depth and length', () => {
    const many = readableText(`${'<b>x</b>'.repeat(100_000)}end`, BASE)
    assert.ok(many.cut && many.text.length > 50_000 && !many.text.includes('end'))
    const long = readableText(`${'😀'.repeat(3_000_000)}end`, BASE)
    assert.ok(long.cut && long.text.isWellFormed() && !long.text.includes('end'))
  })

  it('cannot make many long addresses of short ones', () => {
    const html = `<base href="https://e.example/${'p'.repeat(1_900)}/">${'<a href=x>y</a>'.repeat(10_000)}`
    assert.ok(read(html).length < 2 * html.length + 200_000)
  })
})

describe('character references', () => {
  it('are read as browsers do', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['&lt;&gt;&amp;&quot;&apos;&nbsp;', '<>&"\'\u00a0'],
      ['&#65;&#x42;&#X43', 'ABC'],
      ['&#128;&#151;', '€—'],
      ['&#0;&#xD800;&#x110000;&#99999999;', '\ufffd\ufffd\ufffd\ufffd'],
      ['&alpha;&Omega;&hellip;&euro;&rarr;', 'αΩ…€→'],
      ['&amp;lt;', '&lt;'],
      ['&copy 2026 &unknown; &; &#; &#x; & &hellip', '© 2026 &unknown; &; &#; &#x; & &hellip'],
      ['&copyright; &notit; &AMPx', '©right; ¬it; &AMPx'],
      ['&eacute;&Eacute;&ouml;&szlig;&yuml;', 'éÉößÿ'],
    ]
    for (const [text, expected] of cases) assert.equal(decodeReferences(text), expected, text)
    assert.equal(decodeReferences('?a=1&copy=2&lt=3&amp;b', true), '?a=1&copy=2&lt=3&b')
  })
})
