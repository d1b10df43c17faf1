import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { Webhook } from 'standardwebhooks'
import { certificate, hookServer, opensslMissing } from '../../test/notify-servers.ts'
import { WAITING } from '../../test/waiting-approval.ts'
import { DeliveryFailure } from './delivery-failure.ts'
import { approvalWaiting, notificationFor } from './notification.ts'
import { type SendWebhookOptions, sendWebhook } from './send-webhook.ts'

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const notification = notificationFor(approvalWaiting(WAITING.key, WAITING.approval), 'ops')
const never = new AbortController().signal

async function send(
  url: string,
  over: Partial<Parameters<typeof sendWebhook>[1]> = {},
  options: Partial<SendWebhookOptions> = {},
): Promise<void> {
  await sendWebhook(
    notification,
    { url, secrets: [OLD], trustedHosts: ['127.0.0.1', 'hooks.test'], ...over },
    { clock: systemClock, signal: never, ...options },
  )
}

const failure =
  (message: RegExp, final = false) =>
  (error: unknown): boolean =>
    error instanceof DeliveryFailure && message.test(error.message) && error.final === final

describe('a webhook', () => {
  it('gets what happened, signed with each secret, under the id of what happened', async () => {
    await using server = await hookServer()
    await send(`http://127.0.0.1:${server.port}/hook?a=1`, { secrets: [NEW, OLD] }, { link: 'https://a.example/approvals/approval_1' })
    const { headers, body, path } = await server.nth(1)
    const signed = {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    }
    for (const secret of [OLD, NEW]) {
      assert.deepEqual(new Webhook(secret).verify(body, signed), { ...notification, link: 'https://a.example/approvals/approval_1' })
    }
    const other = new Webhook(`whsec_${Buffer.alloc(32, 3).toString('base64')}`)
    assert.throws(() => other.verify(body, signed))
    assert.throws(() => new Webhook(OLD).verify(`${body} `, signed))
    assert.equal(path, '/hook?a=1')
    assert.equal(signed['webhook-id'], notification.id)
    assert.equal(headers['content-type'], 'application/json')
  })

  it('is told the time of the attempt, so that it can refuse old ones', async () => {
    await using server = await hookServer()
    await send(`http://127.0.0.1:${server.port}`, {}, { clock: new ManualClock(1_700_000_000_999) })
    assert.equal((await server.nth(1)).headers['webhook-timestamp'], '1700000000')
  })

  it('is reached over https with a certificate that is trusted, and with no other', { skip: opensslMissing() ?? false }, async () => {
    const { key, cert } = certificate(['hooks.test'])
    await using server = await hookServer(undefined, { key, cert })
    const resolve = async (): Promise<readonly string[]> => ['127.0.0.1']
    await send(`https://hooks.test:${server.port}`, { ca: cert }, { resolve })
    assert.equal(server.received.length, 1)
    await assert.rejects(
      send(`https://hooks.test:${server.port}`, {}, { resolve }),
      failure(/could not be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
    )
    await assert.rejects(
      send(`https://other.test:${server.port}`, { ca: cert, trustedHosts: ['other.test'] }, { resolve }),
      failure(/ERR_TLS_CERT_ALTNAME_INVALID/),
    )
    assert.equal(server.received.length, 1)
  })

  it('is never reached at an address inside, by whatever name', async () => {
    await using server = await hookServer()
    const { port } = server
    const inside = failure(/leads to an address that is not public/, true)
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254', '[fd00::1]']) {
      await assert.rejects(send(`https://${host}:${port}`, { trustedHosts: [] }), inside, host)
    }
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::1'], ['10.0.0.1'], ['169.254.169.254'], ['::ffff:127.0.0.1']]) {
      await assert.rejects(
        send(`https://rebind.test:${port}`, { trustedHosts: [] }, { resolve: async () => addresses }),
        inside,
        addresses.join(),
      )
    }
    // Another port of a host that is trusted with one is not.
    await assert.rejects(send(`https://127.0.0.1:${port}`, { trustedHosts: ['127.0.0.1:1'] }), inside)
    assert.equal(server.connections, 0)
  })

  it('is looked up once, and the address that was checked is the one that is connected to', async () => {
    await using server = await hookServer()
    let asked = 0
    const resolve = async (): Promise<readonly string[]> => {
      asked += 1
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    await send(`http://hooks.test:${server.port}`, {}, { resolve })
    assert.equal(asked, 1)
    assert.equal(server.received.length, 1)
  })

  it('is not followed to where it points', async () => {
    await using target = await hookServer()
    for (const status of [301, 302, 303, 307, 308]) {
      await using server = await hookServer((_received, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end(),
      )
      await assert.rejects(send(`http://127.0.0.1:${server.port}`), failure(new RegExp(`points elsewhere \\(${status}\\)`)))
    }
    assert.equal(target.connections, 0)
  })

  it('may answer without end: only the head is read', async () => {
    await using server = await hookServer((_received, response) => {
      response.writeHead(200)
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) {}
      }
      response.on('drain', pour)
      pour()
    })
    await send(`http://127.0.0.1:${server.port}`)
    assert.equal(server.received.length, 1)
  })

  it('says when it wants to be asked again, or never', async () => {
    await using busy = await hookServer((_received, response) => response.writeHead(429, { 'retry-after': '120' }).end())
    await assert.rejects(
      send(`http://127.0.0.1:${busy.port}`),
      (error) => error instanceof DeliveryFailure && error.retryAfterMs === 120_000 && !error.final,
    )
    await using gone = await hookServer((_received, response) => response.writeHead(410).end())
    await assert.rejects(send(`http://127.0.0.1:${gone.port}`), failure(/wants nothing more/, true))
    await using broken = await hookServer((_received, response) => response.writeHead(500).end('secret of the receiver'))
    await assert.rejects(send(`http://127.0.0.1:${broken.port}`), failure(/^it answered 500$/))
  })

  it('fails where it does not answer, breaks off, speaks something else or sends a head without end', async () => {
    const abort = new AbortController()
    await using silent = await hookServer(() => abort.abort(new DeliveryFailure('it took longer than 5 ms')))
    await assert.rejects(send(`http://127.0.0.1:${silent.port}`, {}, { signal: abort.signal }), failure(/took longer/))
    await using broken = await hookServer((_received, response) => response.socket?.destroy())
    await assert.rejects(send(`http://127.0.0.1:${broken.port}`), failure(/could not be reached \(ECONNRESET\)/))
    await using long = await hookServer((_received, response) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`),
    )
    await assert.rejects(send(`http://127.0.0.1:${long.port}`), failure(/could not be reached \(HPE_HEADER_OVERFLOW\)/))
    await using upgrade = await hookServer((_received, response) =>
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    )
    await assert.rejects(send(`http://127.0.0.1:${upgrade.port}`), failure(/it gave no answer|could not be reached/))
    const closed = await hookServer()
    await closed[Symbol.asyncDispose]()
    await assert.rejects(send(`http://127.0.0.1:${closed.port}`), failure(/ECONNREFUSED/))
    await assert.rejects(send('http://hooks.test', {}, { resolve: async () => [] }), failure(/has no address/))
  })
})
