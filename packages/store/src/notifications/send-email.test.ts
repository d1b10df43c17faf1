import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { type AskedApproval, callId } from '@adjutant/core/contract'
import fc from 'fast-check'
import { certificate, type MailServer, type MailServerOptions, mailServer, opensslMissing } from '../../test/notify-servers.ts'
import { WAITING } from '../../test/waiting-approval.ts'
import { DeliveryFailure } from './delivery-failure.ts'
import { emailText } from './email-text.ts'
import { approvalWaiting, type Notification, notificationFor } from './notification.ts'
import type { SmtpSettings } from './notify-target.ts'
import { sendEmail } from './send-email.ts'

const waiting = (over: Partial<AskedApproval> = {}): Notification =>
  notificationFor(approvalWaiting(WAITING.key, { ...WAITING.approval, ...over }), 'mail')
const never = new AbortController().signal
const TO = 'ops@example.com'

async function send(server: MailServer, smtp: Partial<SmtpSettings>, notification = waiting(), signal = never, to = TO): Promise<void> {
  const email = { smtp: { host: '127.0.0.1', port: server.port, ...smtp }, from: 'adjutant@example.com', to }
  await sendEmail(notification, email, { clock: systemClock, signal, link: 'https://a.example/approvals/approval_1' })
}

const failure =
  (message: RegExp, final = false) =>
  (error: unknown): boolean =>
    error instanceof DeliveryFailure && message.test(error.message) && error.final === final

/** Header lines as they came, folded ones joined, and the text with its transfer encoding undone. */
function read(raw: string): { readonly headers: readonly string[]; readonly text: string } {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const body = raw.slice(end + 4)
  const encoding = headers.find((line) => /^content-transfer-encoding:/i.test(line))?.split(': ')[1]
  if (encoding === 'base64') return { headers, text: Buffer.from(body, 'base64').toString('utf8') }
  if (encoding !== 'quoted-printable') return { headers, text: body }
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { headers, text: Buffer.from(bytes, 'latin1').toString('utf8') }
}

describe('an e-mail', { skip: opensslMissing() ?? false }, () => {
  let tls: { readonly key: string; readonly cert: string }
  const password = { user: 'adjutant', password: 'geheim-und-lang' }
  const open = (options: MailServerOptions = {}): Promise<MailServer> => mailServer({ tls, password, ...options })
  const login = (): Partial<SmtpSettings> => ({ ...password, ca: tls.cert })
  before(() => {
    tls = certificate(['localhost'])
  })

  it('says in plain text what waits and where, protected and logged in', async () => {
    for (const [kind, secure] of [
      ['starttls', false],
      ['implicit', true],
    ] as const) {
      await using server = await open({ secure })
      await send(server, { ...login(), tls: kind })
      const [letter] = server.letters
      assert.deepEqual({ ...letter, raw: '' }, { from: 'adjutant@example.com', to: [TO], raw: '', protectedBy: 'tls', user: 'adjutant' })
      const { headers, text } = read(letter?.raw ?? '')
      assert.ok(headers.includes('Subject: delete_file waits for a person'))
      assert.ok(headers.includes(`Message-ID: <${waiting().id}@example.com>`))
      assert.ok(headers.includes('Auto-Submitted: auto-generated'))
      assert.ok(headers.some((line) => /^content-type: text\/plain; charset=utf-8/i.test(line)))
      assert.match(text, /Tool: {5}delete_file \(dangerous\)/)
      assert.match(text, /"key": "\[REDACTED\]"/)
      assert.match(text, /Look at it: https:\/\/a\.example\/approvals\/approval_1/)
      assert.match(text, /adjutant approvals show approval_1/)
    }
  })

  it('is not sent where it would not be protected, or to a server that nobody vouches for', async () => {
    await using bare = await mailServer()
    await assert.rejects(send(bare, {}), failure(/ETLS/))
    await using server = await open()
    await assert.rejects(send(server, { ...password }), failure(/ESOCKET|ETLS|ECONNECTION/))
    assert.deepEqual([bare.letters.length, server.letters.length], [0, 0])
    await send(bare, { tls: 'off' })
    assert.equal(bare.letters.length, 1)
  })

  it('says without the password that it was refused, and may be tried again', async () => {
    await using server = await open()
    await assert.rejects(
      send(server, { ...login(), password: 'falsches-geheimnis' }),
      (error) => failure(/535 EAUTH/)(error) && !/geheim/.test(String(error)),
    )
    assert.equal(server.letters.length, 0)
  })

  it('is given up for an address that is refused for good, and tried again for one that is refused for now', async () => {
    await using server = await open({
      refuse: (address) => (address.startsWith('gone') ? 550 : address.startsWith('full') ? 452 : undefined),
    })
    await assert.rejects(send(server, login(), waiting(), never, 'gone@example.com'), failure(/refuses it \(550 EENVELOPE\)/, true))
    await assert.rejects(send(server, login(), waiting(), never, 'full@example.com'), failure(/did not take it \(452 EENVELOPE\)/))
    assert.equal(server.letters.length, 0)
  })

  it('is stopped with its attempt', async () => {
    await using server = await open({ silent: true })
    const abort = new AbortController()
    const sending = send(server, login(), waiting(), abort.signal)
    const looked = (): void => {
      if (server.letters.length === 0) setImmediate(looked)
      else abort.abort(new DeliveryFailure('it took longer than 5 ms'))
    }
    looked()
    await assert.rejects(sending, failure(/took longer/))
  })

  describe('of what is hostile', () => {
    let server: MailServer
    before(async () => {
      server = await mailServer()
    })
    after(() => server[Symbol.asyncDispose]())

    it('has the headers it would have, one line each, and no sign that moves a cursor', async () => {
      const nasty = fc.oneof(
        fc.constantFrom(
          'a\r\nBcc: evil@example.com',
          'a\nSubject: other\n\nbody',
          '\r\n.\r\nMAIL FROM:<x>',
          '\u202egnp.exe',
          'a\u0085b\u2028c',
          '=?utf-8?q?=0d=0aBcc:x?=',
        ),
        fc.string({ unit: 'binary', maxLength: 200 }),
      )
      await fc.assert(
        fc.asyncProperty(nasty, nasty, nasty, async (tool, reason, value) => {
          const before = server.letters.length
          await send(server, { tls: 'off' }, waiting({ tool, reason, callId: callId('c'), shown: { value } }))
          const letter = server.letters[before]
          assert.equal(server.letters.length, before + 1)
          assert.deepEqual([letter?.from, letter?.to], ['adjutant@example.com', [TO]])
          const { headers, text } = read(letter?.raw ?? '')
          const names = headers.map((line) => line.split(':')[0]?.toLowerCase())
          assert.deepEqual(names.toSorted(), [
            'auto-submitted',
            'content-transfer-encoding',
            'content-type',
            'date',
            'from',
            'message-id',
            'mime-version',
            'subject',
            'to',
            'x-auto-response-suppress',
          ])
          assert.doesNotMatch(text.replace(/\r\n|\n/g, ''), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
        }),
        { numRuns: 40 },
      )
    })
  })

  it('has a subject of one line for every kind of notification', () => {
    const { subject, text } = emailText(waiting({ tool: 'x'.repeat(5_000), shown: { a: 'y'.repeat(10_000) } }), undefined)
    assert.ok(subject.length <= 120)
    assert.match(text, /arguments are too long for a letter/)
    assert.doesNotMatch(text, /yyy/)
    const job: Notification = {
      ...waiting(),
      type: 'job.ended',
      data: { jobId: 'job_1', kind: 'tool', tool: 'build', state: 'dead', code: 'TOOL_FAILED' },
    }
    assert.equal(emailText(job, undefined).subject, 'The job build is dead')
  })
})
