import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { canonicalHost, HostRules, readAuthority } from './host-rules.ts'

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !text.startsWith('xn-') && !/^\d+$|^0x/.test(text))
const name = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom('example', 'test', 'de', 'io'))
  .map(([labels, top]) => [...labels, top].join('.'))

const allows = (allow: readonly string[], authority: string): boolean => {
  const target = readAuthority(authority)
  return target !== undefined && new HostRules(allow).allows(target)
}

describe('an exact host', () => {
  it('opens itself on 80 and 443, or on its own port alone', () => {
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        assert.equal(allows([host], `${host}:${port}`), port === 80 || port === 443)
        assert.equal(allows([`${host}:${port}`], `${host}:${port}`), true)
        assert.equal(allows([`${host}:${port}`], `${host}:${port === 65_535 ? 1 : port + 1}`), false)
      }),
      { numRuns: 200 },
    )
  })

  it('is the same in every way of writing it', () => {
    const fullWidth = (text: string): string =>
      text.replace(/[a-z0-9]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0))
    fc.assert(
      fc.property(name, (host) => {
        for (const written of [host.toUpperCase(), `${host}.`, fullWidth(host), host.replaceAll('.', '。')]) {
          assert.equal(canonicalHost(written), host, written)
          assert.equal(allows([host], `${written}:443`), true, written)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('opens no other name, however near', () => {
    fc.assert(
      fc.property(name, label, (host, other) => {
        const near = [
          `${other}.${host}`,
          `${other}${host}`,
          `${host}.${other}`,
          `${host}${other}`,
          `${host}..`,
          `.${host}`,
          `${host}@${other}.example`,
          `${other}.example@${host}`,
          `${host}/${other}`,
          `${host}#`,
          `${host}?`,
          `${host}\\@${other}`,
          `${host} `,
          `${host}\0`,
          `${host}\u00ad`,
          `${host}%2e`,
          `${host}:80`,
          `[${host}]`,
        ]
        for (const text of near) assert.equal(allows([host], `${text}:443`), false, JSON.stringify(text))
      }),
      { numRuns: 200 },
    )
  })

  it('tells letters that look alike apart', () => {
    assert.equal(allows(['apple.com'], 'аpple.com:443'), false)
    assert.equal(allows(['bücher.example'], 'xn--bcher-kva.example:443'), true)
    assert.equal(allows(['bücher.example'], 'BÜCHER.example:443'), true)
    assert.equal(allows(['faß.de'], 'fass.de:443'), false)
  })
})

describe('a star', () => {
  it('opens all names below and not the name itself', () => {
    fc.assert(
      fc.property(name, fc.array(label, { minLength: 1, maxLength: 4 }), label, (host, below, other) => {
        assert.equal(allows([`*.${host}`], `${below.join('.')}.${host}:443`), true)
        assert.equal(allows([`*.${host}`], `${host}:443`), false)
        assert.equal(allows([`*.${host}`], `${other}${host}:443`), false)
        assert.equal(allows([`*.${host}`], `${below.join('.')}.${host}.${other}:443`), false)
        assert.equal(allows([`*.${host}:8443`], `${other}.${host}:443`), false)
      }),
      { numRuns: 200 },
    )
  })
})

describe('addresses', () => {
  it('are one address in every notation', () => {
    for (const text of ['1.2.3.4', '0x1.2.3.4', '16909060', '1.2.772', '①.2.3.4', '1.2.3.4.'])
      assert.equal(canonicalHost(text), '1.2.3.4', text)
    assert.equal(allows(['[2606:4700:0::1111]'], '[2606:4700::1111]:443'), true)
    assert.equal(allows(['1.2.3.4:22'], '16909060:22'), true)
    for (const text of ['2606:4700::1111', '[::1', '::1]', '[::1%25eth0]', '[1.2.3.4]', '1.2.3.999', '256.1.1.1'])
      assert.equal(canonicalHost(text), undefined, text)
  })
})

describe('what is no host', () => {
  it('never throws and is never allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const host = canonicalHost(text)
        if (host !== undefined) assert.match(host, /^(\[[0-9a-f:]+\]|[^\s:/?#@\\[\]]+)$/)
        if (allows(['example.com'], text)) assert.equal(readAuthority(text)?.host, 'example.com')
      }),
      { numRuns: 500 },
    )
    for (const text of ['', '.', '..', 'a..b', `${'a'.repeat(64)}.example`, `${'a.'.repeat(130)}example`, 'a'.repeat(100_000)])
      assert.equal(canonicalHost(text), undefined)
    for (const text of [
      'example.com',
      'example.com:',
      'example.com:0',
      'example.com:65536',
      'example.com:443:443',
      'example.com:+443',
      'example.com:4e2',
      ':443',
    ])
      assert.equal(readAuthority(text), undefined, text)
  })

  it('is named when it stands in the list', () => {
    const wrong = [
      '',
      '*',
      '*.',
      '*.com',
      '*.1.2.3.4',
      'a.*.example',
      'https://example.com',
      'example.com/path',
      'user@example.com',
      'example.com:99999',
      '*.[::1]',
      'exa mple.com',
      '**.example.com',
    ]
    for (const entry of wrong) {
      assert.throws(
        () => new HostRules(['fine.example', entry]),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && error.message.includes(JSON.stringify(entry)),
        entry,
      )
    }
    assert.throws(() => new HostRules(Array.from({ length: 1_001 }, (_, index) => `h${index}.example`)), /at most 1000 hosts/)
    assert.equal(new HostRules([]).allows({ host: 'example.com', port: 443 }), false)
  })
})
