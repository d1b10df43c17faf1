import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { policyOf, requestOf } from '../../../test/policy-words.ts'
import { hostPatternProblem, readUrl } from './url-condition.ts'

function holds(effect: 'allow' | 'deny', condition: string, url: string): boolean {
  return policyOf({ user: `rules: [{id: r, effect: ${effect}, when: {url: ${condition}}}]` }).decide(requestOf({ url })).rule === 'user/r'
}

describe('hosts of a rule that gives', () => {
  const good = '{hosts: [good.com, "*.sub.org", "müller.de", 10.0.0.1, "::1"]}'
  for (const url of [
    'https://good.com/a?b#c',
    'HTTPS://GOOD.COM:8443/',
    'https://good.com./x',
    'good.com/path',
    'good.com:8080',
    'https://a.b.sub.org',
    'https://xn--mller-kva.de',
    'https://MÜLLER.de',
    'https://ｇｏｏｄ．ｃｏｍ/',
    'https://good。com/',
    'http://0x0a000001/',
    'http://012.0.0.1/',
    'http://167772161/',
    'http://[::ffff:10.0.0.1]/',
    'http://[0:0:0:0:0:0:0:1]/',
  ]) {
    it(`are these: ${url}`, () => assert.ok(holds('allow', good, url)))
  }
  for (const url of [
    'https://good.com@evil.com/',
    'https://good.com:x@evil.com/',
    'https://user@good.com/',
    'https://@good.com/',
    'https://good.com.evil.com/',
    'https://evil.com/good.com',
    'https://evil.com?good.com',
    'https://evil.com#@good.com',
    'https://evil.com\\@good.com',
    'https://good.com\\.evil.com',
    'https:\\\\good.com',
    'https://evilgood.com',
    'https://sub.org',
    'https://evilsub.org',
    'https://good.com\t.evil.com',
    ' https://good.com',
    'https://good.com\n',
    'https://good.com..',
    'https://.good.com',
    '//good.com/x',
    '/good.com',
    'javascript:alert(1)//good.com',
    'data:text/html,good.com',
    'file://good.com/etc/passwd',
    'gopher://good.com/',
    'mailto:a@good.com',
    'https:good.com',
    '',
    'https://',
    'http://010.0.0.1/',
    'http://10.0.0.1.evil.com',
    'http://[::ffff:10.0.0.2]/',
  ]) {
    it(`are not these: ${JSON.stringify(url)}`, () => assert.ok(!holds('allow', good, url)))
  }

  it('may be limited to schemes and ports', () => {
    assert.ok(holds('allow', '{hosts: a.com, schemes: https, ports: 443}', 'https://a.com/'))
    assert.ok(!holds('allow', '{hosts: a.com, schemes: https}', 'http://a.com/'))
    assert.ok(!holds('allow', '{hosts: a.com, schemes: https}', 'a.com'))
    assert.ok(!holds('allow', '{hosts: a.com, ports: [443]}', 'https://a.com:22/'))
  })
})

describe('hosts of a rule that takes', () => {
  it('are found in every notation', () => {
    for (const url of ['http://evil.com', 'http://EVIL.com.', 'evil.com', 'http://x@evil.com', 'http://a\\evil.com', 'http://ｅvil.com']) {
      assert.ok(holds('deny', '{hosts: evil.com}', url), url)
    }
    assert.ok(!holds('deny', '{hosts: evil.com}', 'http://evil.com.good.org'))
  })

  it('may be this machine and the networks behind it', () => {
    for (const url of [
      'http://localhost:8080',
      'http://127.1/',
      'http://0177.0.0.1',
      'http://2130706433',
      'http://[::1]/',
      'http://[::ffff:7f00:1]',
      'http://169.254.169.254/latest/meta-data',
      'http://metadata.google.internal',
      'http://192.168.1.1',
      'http://[fd00::1]',
      'http://printer/',
      'http://0/',
    ]) {
      assert.ok(holds('deny', '{hosts: "@private"}', url), url)
    }
    for (const url of ['http://example.com', 'http://8.8.8.8', 'http://[2606:4700::1]', 'http://172.32.0.1']) {
      assert.ok(!holds('deny', '{hosts: "@private"}', url), url)
    }
  })
})

describe('patterns of hosts', () => {
  it('are hosts and nothing else', () => {
    for (const pattern of ['example.com', '*.example.com', '*', '@private', '10.0.0.1', '::1', '[::1]', 'bücher.example']) {
      assert.equal(hostPatternProblem(pattern), undefined, pattern)
    }
    for (const pattern of ['https://a.com', 'a.com/x', 'a.com:80', '*.*.com', 'a*.com', '@public', 'a b', '*.', 'u@a.com']) {
      assert.ok(hostPatternProblem(pattern), pattern)
    }
  })
})

describe('reading URLs', () => {
  it('never throws, and never finds another host than fetch would', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => `http://${text}`),
        ),
        (text) => {
          const read = readUrl(text)
          if (read === undefined || !text.includes('://')) return
          const host = new URL(text).hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '')
          assert.ok(host === read.host || host.startsWith('::ffff:'))
        },
      ),
      { numRuns: 500 },
    )
  })
})
