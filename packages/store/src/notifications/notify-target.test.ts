import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import { checkTargets, isTrustedHost, type NotifySettings } from './notify-target.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const webhook = { url: 'https://hooks.example.com/a?token=geheim', secrets: [SECRET] }
const smtp = { host: 'mail.example.com' }
const email = { smtp, from: 'adjutant@example.com', to: ['a@example.com'] }

describe('checkTargets', () => {
  it('gives each target an id that says nothing of its address, and stays the same', () => {
    const settings: readonly NotifySettings[] = [
      { webhook, on: ['job.ended', 'job.ended'] },
      { email: { ...email, to: ['a@example.com', 'b@example.com'] }, on: ['approval.waiting'], links: 'https://adjutant.example.com/app/' },
      { event: { name: 'bot' }, on: ['approval.waiting'] },
      { webhook, on: ['job.ended'], name: 'ops' },
    ]
    const targets = checkTargets(settings)
    assert.deepEqual(
      targets.map(({ kind }) => kind),
      ['webhook', 'email', 'email', 'event', 'webhook'],
    )
    assert.equal(new Set(targets.map(({ id }) => id)).size, 5)
    assert.ok(targets.every(({ id }) => /^[A-Za-z0-9._-]+$/.test(id) && !/geheim|example/.test(id)))
    assert.deepEqual(checkTargets(settings), targets)
    assert.deepEqual(targets[0]?.on, ['job.ended'])
    assert.equal(targets[1]?.links, 'https://adjutant.example.com/app')
    assert.equal(targets[4]?.id, 'ops')
  })

  it('says what is wrong and where, and shows no secret', () => {
    const on = ['job.ended'] as const
    const cases: readonly (readonly [NotifySettings, RegExp])[] = [
      [{ webhook, on: [] }, /notify\[0\]\.on names nothing/],
      [{ webhook: { ...webhook, url: 'http://hooks.example.com' }, on }, /notify\[0\]\.webhook\.url is not protected/],
      [{ webhook: { ...webhook, url: 'ftp://hooks.example.com' }, on }, /url is no address/],
      [{ webhook: { ...webhook, url: 'https://me:geheim@hooks.example.com' }, on }, /holds a user or a password/],
      [{ webhook: { ...webhook, secrets: [] }, on }, /secrets is empty/],
      [{ webhook: { ...webhook, secrets: [SECRET, 'whsec_geheim'] }, on }, /secrets\[1\] is no secret of 24 to 64 bytes/],
      [{ webhook: { ...webhook, secrets: ['geheim geheim geheim geheim geheim geheim geheim'] }, on }, /secrets\[0\] is no secret/],
      [{ webhook, on, name: 'a\r\nb' }, /name is no name/],
      [{ webhook, on, links: 'https://a.example/?x=1' }, /links is no address/],
      [{ webhook, on, links: 'javascript:alert(1)' }, /links is no address/],
      [{ email: { ...email, to: [] }, on }, /to is empty/],
      [{ email: { ...email, to: ['a@example.com, b@example.com'] }, on }, /to\[0\] is no bare e-mail address/],
      [{ email: { ...email, to: ['a@example.com\r\nBcc: b@example.com'] }, on }, /to\[0\] is no bare/],
      [{ email: { ...email, from: '"Ops" <ops@example.com>' }, on }, /from is no bare/],
      [{ email: { ...email, smtp: { host: 'smtp://mail' } }, on }, /host is no name/],
      [{ email: { ...email, smtp: { ...smtp, port: 70_000 } }, on }, /port is no port/],
      [{ email: { ...email, smtp: { ...smtp, user: 'u' } }, on }, /one of user and password/],
      [{ email: { ...email, smtp: { ...smtp, user: 'u', password: 'geheim', tls: 'off' } }, on }, /everybody can read/],
      [{ event: { name: '' }, on }, /event\.name is no name/],
    ]
    for (const [settings, message] of cases) {
      assert.throws(
        () => checkTargets([settings]),
        (error) =>
          AdjutantError.isInstance(error) &&
          error.code === 'CONFIG_INVALID' &&
          message.test(error.message) &&
          !/geheim/.test(error.message) &&
          error.hint !== '',
        String(message),
      )
    }
    assert.throws(
      () =>
        checkTargets([
          { webhook, on: [...on] },
          { webhook, on: ['approval.waiting'] },
        ]),
      /notify\[1\] is the same target as notify\[0\]/,
    )
    assert.throws(
      () => checkTargets([{ email: { ...email, to: ['a@example.com', 'a@example.com'] }, on }]),
      /notify\[0\] names one address twice/,
    )
  })
})

describe('isTrustedHost', () => {
  it('is a name with any port, or with the one that it names', () => {
    const url = new URL('https://Hooks.corp:8443/x')
    assert.equal(isTrustedHost(url, ['hooks.corp']), true)
    assert.equal(isTrustedHost(url, ['hooks.corp:8443']), true)
    assert.equal(isTrustedHost(url, ['hooks.corp:443', 'corp', 'evil-hooks.corp', '.corp', '']), false)
    assert.equal(isTrustedHost(new URL('http://hooks.corp'), ['hooks.corp:80']), true)
    assert.equal(isTrustedHost(new URL('http://hooks.corp:81'), ['hooks.corp:80']), false)
    assert.equal(isTrustedHost(new URL('http://[fd00::1]:81'), ['[fd00::1]']), true)
  })
})
