import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { openGate, RawClient, serveTcp } from '../../test/network-gate.ts'
import { startNetworkGate } from './start-network-gate.ts'

describe('the gate', () => {
  it('has a folder that nobody else can enter, and leaves nothing when it is closed', async () => {
    await using server = await serveTcp((socket) => void socket.resume())
    const authority = `a.example:${server.port}`
    const opened = await openGate({ allow: [authority] })
    const folder = dirname(opened.gate.socketPath)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    assert.ok(statSync(opened.gate.socketPath).isSocket())
    const tunnel = new RawClient(opened.gate).say(`CONNECT ${authority} HTTP/1.1\r\n\r\n`)
    await tunnel.hears('established')
    const half = new RawClient(opened.gate).say('GET http')
    await once(half.socket, 'connect')
    await Promise.all([opened.gate.close(), opened.gate.close()])
    await Promise.all([tunnel.all(), half.all()])
    assert.equal(existsSync(folder), false)
    while (opened.clock.pending > 0) await opened.clock.advance(0)
    await opened.gate[Symbol.asyncDispose]()
  })

  it('stops what is still being reached when it is closed', async () => {
    const asked = Promise.withResolvers<void>()
    const opened = await openGate({
      allow: ['slow.example'],
      resolve: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    })
    const client = new RawClient(opened.gate).say('CONNECT slow.example:443 HTTP/1.1\r\n\r\n')
    await asked.promise
    await opened.gate.close()
    await client.all()
    while (opened.clock.pending > 0) await opened.clock.advance(0)
  })

  it('says what is wrong with its options', async () => {
    const clock = new ManualClock()
    const wrong = [
      { allow: ['*'] },
      { allow: [], limits: { bytes: 0 } },
      { allow: [], limits: { idleMs: Number.NaN } },
      { allow: [], parent: `${tmpdir()}/${'a'.repeat(120)}` },
    ]
    for (const options of wrong) await assert.rejects(startNetworkGate({ clock, ...options }), AdjutantError)
    const parent = mkdtempSync(join(tmpdir(), 'adjutant-test-'))
    const long = join(parent, 'a'.repeat(90))
    mkdirSync(long)
    await assert.rejects(startNetworkGate({ clock, allow: [], parent: long }), /too long for a unix socket/)
    assert.deepEqual(readdirSync(long), [])
    rmSync(parent, { recursive: true })
  })

  it('goes on when whoever is told of attempts throws', async () => {
    await using opened = await openGate({
      allow: [],
      tried: () => {
        throw new Error('no')
      },
    })
    assert.match(await new RawClient(opened.gate).say('CONNECT evil.example:443 HTTP/1.1\r\n\r\n').all(), /^HTTP\/1\.1 403/)
    assert.deepEqual(opened.gate.refused, ['evil.example:443'])
  })

  it('notes what was refused once each, printable and bounded', async () => {
    await using opened = await openGate({ allow: [] })
    for (let index = 0; index < 210; index += 1)
      await new RawClient(opened.gate).say(`CONNECT h${index % 205}.example:1 HTTP/1.1\r\n\r\n`).all()
    await new RawClient(opened.gate).say(`CONNECT ${'\x7f'.repeat(5)}${'a'.repeat(1_000)} HTTP/1.1\r\n\r\n`).all()
    assert.equal(opened.gate.refused.length, 200)
    for (const { target } of opened.attempts) assert.match(target, /^[\x21-\x7e]{1,300}$/)
  })
})

describe('after a crash', () => {
  it('the next gate removes what the dead one left, and nothing else', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'adjutant-test-'))
    try {
      const program = `
        const { startNetworkGate } = await import(${JSON.stringify(new URL('./start-network-gate.ts', import.meta.url).href)})
        const clock = { now: () => 0, monotonic: () => 0, after: () => () => {} }
        await startNetworkGate({ allow: [], clock, parent: ${JSON.stringify(parent)} })
        console.log('open')
      `
      const child = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await once(child, 'close')
      const [left] = readdirSync(parent)
      assert.match(left ?? '', /^adjutant-gate-\d+-/)
      mkdirSync(join(parent, `adjutant-gate-${process.ppid}-abcdef`))
      mkdirSync(join(parent, 'adjutant-gate-other'))
      writeFileSync(join(parent, 'adjutant-gate-4194304-abcdef'), '')
      const alive = join(parent, 'adjutant-gate-4194303-abcdef')
      mkdirSync(alive)
      const elsewhere = createServer(() => {}).listen(join(alive, 'gate.sock'))
      await once(elsewhere, 'listening')
      const opened = await openGate({ allow: [], parent })
      await opened.gate.close()
      elsewhere.close()
      assert.deepEqual(
        readdirSync(parent).sort(),
        [
          'adjutant-gate-4194303-abcdef',
          'adjutant-gate-4194304-abcdef',
          `adjutant-gate-${process.ppid}-abcdef`,
          'adjutant-gate-other',
        ].sort(),
      )
    } finally {
      rmSync(parent, { recursive: true })
    }
  })
})
