import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { describe, it, mock } from 'node:test'
import { AdjutantError, systemClock } from '@adjutant/core'
import { ManualClock, type StubMcpBehaviour, stubMcpServer } from '@adjutant/testkit'
import packageJson from '../../../../package.json' with { type: 'json' }
import { readProcessTable, readTreeMarker } from '../../../util/process-table.ts'
import { connectMcpServer, readServerConfig } from './index.ts'
import { CLIENT_INFO } from './link.ts'

const options = { clock: systemClock }

async function failureOf(connecting: Promise<unknown>): Promise<AdjutantError> {
  const error: unknown = await connecting.then(
    () => assert.fail('it connected'),
    (thrown: unknown) => thrown,
  )
  assert.ok(AdjutantError.isInstance(error))
  return error
}

/** Lets a manual clock run until something that waits for it and for other processes is settled. */
async function drive<Value>(clock: ManualClock, work: Promise<Value>, step: number): Promise<Value> {
  let settled = false
  const done = work.finally(() => {
    settled = true
  })
  done.catch(() => {})
  while (!settled) await clock.advance(step)
  return done
}

/** Children of this process that were started as servers. */
function servers(): readonly number[] {
  return readProcessTable()
    .filter((entry) => !entry.dead && entry.parent === process.pid && readTreeMarker(entry.pid) !== undefined)
    .map((entry) => entry.pid)
}

function refused(behaviour: StubMcpBehaviour): Promise<AdjutantError> {
  return failureOf(connectMcpServer('broken', stubMcpServer(behaviour), options))
}

describe('connecting to a server that does not start', () => {
  it('names a command that is not there', async () => {
    const error = await failureOf(connectMcpServer('broken', { command: 'no-such-command-here' }, options))
    assert.equal(error.code, 'MCP_SERVER_UNAVAILABLE')
    assert.match(error.message, /MCP server "broken".*no-such-command-here was not found/)
    assert.match(error.hint, /Install it/)
  })

  it('names a file that may not be run, and a folder that is not there', async () => {
    const noProgram = await failureOf(connectMcpServer('broken', { command: tmpdir() }, options))
    assert.match(noProgram.message, /may not be run/)
    const noFolder = await failureOf(connectMcpServer('broken', { command: 'node', cwd: '/no/such/folder' }, options))
    assert.match(noFolder.message, /its folder \/no\/such\/folder does not exist/)
  })

  it('tells the exit code and the last lines of stderr, without terminal control', async () => {
    const complain = ['one', '\u001b[31mError:\u001b[0m API_KEY is \u001b]0;evil\u0007missing', 'x'.repeat(10_000)]
    const error = await refused({ exit: 3, complain })
    assert.equal(error.code, 'MCP_SERVER_UNAVAILABLE')
    assert.match(error.message, /MCP server "broken".*ended with exit code 3/)
    assert.match(error.message, /\n {2}one\n {2}Error: API_KEY is missing\n {2}x{500}…$/)
    assert.deepEqual(servers(), [])
  })

  it('does not tell the secrets of a command line', async () => {
    const args = ['-c', 'exit 1', '--api-key', 'sk-1234', '--token=t-5678', 'postgres://user:pw-9@host/db']
    const error = await failureOf(connectMcpServer('broken', { command: 'sh', args }, options))
    assert.match(error.message, /sh -c exit 1 --api-key \*\*\* --token=\*\*\* postgres:\/\/\*\*\*@host\/db ended with exit code 1/)
    for (const secret of ['sk-1234', 't-5678', 'pw-9']) assert.ok(!error.message.includes(secret))
  })

  it('tells what a program prints that speaks something else', async () => {
    const error = await failureOf(connectMcpServer('broken', { command: 'sh', args: ['-c', 'echo hello; echo world; exit 0'] }, options))
    assert.match(error.message, /exit code 0.*printed 2 lines on stdout that are no MCP messages, the last: "world"/)
  })

  it('passes on what a server says that refuses the handshake', async () => {
    const error = await refused({ initialize: 'refuse' })
    assert.equal(error.code, 'MCP_PROTOCOL')
    assert.match(error.message, /MCP server "broken".*this server wants more than it was given/)
    assert.deepEqual(servers(), [])
  })

  it('gives up on one that never answers, and leaves nothing running', async () => {
    const clock = new ManualClock()
    const server = stubMcpServer({ discover: 'silent', initialize: 'silent', print: ['Listening …'], complain: ['still warming up'] })
    const connecting = failureOf(connectMcpServer('broken', server, { clock }))
    while (servers().length === 0) await clock.advance(0)
    const error = await drive(clock, connecting, 30_000)
    assert.equal(error.code, 'MCP_SERVER_UNAVAILABLE')
    assert.match(error.message, /did not answer as an MCP server within 30000 ms/)
    assert.deepEqual(servers(), [])
  })

  it('gives up when told to', async () => {
    const controller = new AbortController()
    const connecting = failureOf(
      connectMcpServer('broken', stubMcpServer({ discover: 'silent' }), { ...options, signal: controller.signal }),
    )
    controller.abort()
    assert.equal((await connecting).code, 'CANCELLED')
    assert.deepEqual(servers(), [])
    const late = await failureOf(connectMcpServer('broken', stubMcpServer(), { ...options, signal: controller.signal }))
    assert.equal(late.code, 'CANCELLED')
    assert.deepEqual(servers(), [])
  })

  it('does not wait for one that closed its stdout, or that writes a line without an end', async () => {
    const mute = await failureOf(connectMcpServer('broken', { command: 'sh', args: ['-c', 'exec 1>&-; exec sleep 600'] }, options))
    assert.match(mute.message, /MCP server "broken".*it closed its stdout/)
    const script = 'head -c 70000000 /dev/zero | tr "\\0" x; exec sleep 600'
    const endless = await failureOf(connectMcpServer('broken', { command: 'sh', args: ['-c', script] }, options))
    assert.match(endless.message, /MCP server "broken".*a line is longer than 67108864 bytes/)
    assert.deepEqual(servers(), [])
  })

  it('ends a server that lists its tools wrongly', async () => {
    const error = await refused({ list: 'wrong' })
    assert.equal(error.code, 'MCP_PROTOCOL')
    assert.deepEqual(servers(), [])
  })
})

describe('connecting to a server of either protocol', () => {
  it('asks one the older way that ends at a question it does not know', async () => {
    await using stub = await connectMcpServer('old', stubMcpServer({ discover: 'exit' }), options)
    assert.ok(stub.tools.length > 0)
  })

  it('asks one the older way that does not answer the newer', async () => {
    // The client keeps this time itself; the connection's own clock stands still.
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      let connected = false
      const connecting = connectMcpServer('old', stubMcpServer({ discover: 'silent' }), { clock: new ManualClock() })
      connecting.then(
        () => (connected = true),
        () => (connected = true),
      )
      while (!connected) {
        mock.timers.tick(1_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await using stub = await connecting
      assert.ok(stub.tools.length > 0)
    } finally {
      mock.timers.reset()
    }
  })

  it('skips what a server prints before its first message', async () => {
    await using stub = await connectMcpServer('chatty', stubMcpServer({ print: ['Welcome!', '{"a":1}', '[]', ''] }), options)
    assert.ok(stub.tools.length > 0)
  })

  it('says who it is', () => {
    assert.equal(CLIENT_INFO.version, packageJson.version)
  })
})

describe('connecting over HTTP', () => {
  async function answering(status: number): Promise<{ readonly url: string } & AsyncDisposable> {
    const server = createServer((_, response) => response.writeHead(status).end('{}'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return {
      url: `http://127.0.0.1:${port}/mcp?key=secret-9`,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      },
    }
  }

  for (const [status, pattern] of [
    [401, /refuses access \(HTTP 401\)/],
    [403, /refuses access \(HTTP 403\)/],
    [404, /answered with HTTP 404/],
    [500, /answered with HTTP 500/],
  ] as const) {
    it(`names the address that answered with ${status}, without its query`, async () => {
      await using server = await answering(status)
      const error = await failureOf(connectMcpServer('far', { url: server.url }, options))
      assert.equal(error.code, 'MCP_SERVER_UNAVAILABLE')
      assert.match(error.message, pattern)
      assert.match(error.message, /MCP server "far"/)
      assert.ok(!error.message.includes('secret-9'))
    })
  }

  it('names an address where nothing speaks MCP, and one where nothing is', async () => {
    let url = ''
    {
      await using server = await answering(200)
      url = server.url
      assert.match((await failureOf(connectMcpServer('far', { url }, options))).message, /MCP server "far".*127\.0\.0\.1/)
    }
    assert.match((await failureOf(connectMcpServer('far', { url }, options))).message, /cannot be reached \(ECONNREFUSED\)/)
  })
})

describe('the configuration of a server', () => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [null, /is not an object/],
    [{}, /neither command nor url/],
    [{ command: '' }, /neither command nor url/],
    [{ command: 'a', url: 'http://b' }, /both command and url/],
    [{ command: 'a', args: 'b' }, /args is not a list of strings/],
    [{ command: 'a', args: [1] }, /args is not a list of strings/],
    [{ command: 'a', env: { B: 1 } }, /env has a value that is not a string/],
    [{ command: 'a', cwd: 1 }, /cwd is not a string/],
    [{ command: 'a', args: ['\0'] }, /NUL/],
    [{ url: 'nowhere' }, /url is not an address/],
    [{ url: 'file:///etc/passwd' }, /neither http nor https/],
    [{ url: 'http://a', headers: { b: 1 } }, /headers has a value that is not a string/],
    [{ url: 'http://a', headers: { b: 'secret\n1' } }, /headers holds a name or a value that HTTP does not take/],
    [{ command: 'a', timeoutMs: -1 }, /timeoutMs is not a number above 0/],
  ]
  for (const [config, pattern] of wrong) {
    it(`is refused: ${JSON.stringify(config)}`, async () => {
      const error = await failureOf((async () => readServerConfig('mine', config))())
      assert.equal(error.code, 'CONFIG_INVALID')
      assert.match(error.message, /MCP server "mine"/)
      assert.match(error.message, pattern)
      assert.ok(!error.message.includes('secret'))
    })
  }

  it('is looked at before anything is started', async () => {
    assert.equal((await failureOf(connectMcpServer(' ', { command: 'node' }, options))).code, 'CONFIG_INVALID')
    assert.equal((await failureOf(connectMcpServer('mine', { command: 'node', timeoutMs: Number.NaN }, options))).code, 'CONFIG_INVALID')
  })

  it('does not hand the host environment to the server', async () => {
    process.env.ADJUTANT_TEST_SECRET = 'host-secret'
    try {
      const script = 'echo "secret=$ADJUTANT_TEST_SECRET own=$OWN" >&2; exit 1'
      const error = await failureOf(connectMcpServer('mine', { command: 'sh', args: ['-c', script], env: { OWN: 'given' } }, options))
      assert.match(error.message, /secret= own=given/)
    } finally {
      delete process.env.ADJUTANT_TEST_SECRET
    }
  })
})
