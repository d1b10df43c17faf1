import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { AdjutantError, systemClock } from '@adjutant/core'
import { ManualClock, type StubAuthorisationServer, startStubAuthorisationServer, startStubMcpHttp } from '@adjutant/testkit'
import { callError, callText } from '../../../../test/fixtures/mcp/call-tool.ts'
import { until } from '../../../../test/fixtures/process/until.ts'
import { connectMcpServer, type McpConnection, type ShowSignIn } from './index.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adjutant-sign-in-'))
  folders.push(folder)
  return folder
}

/** A person who opens the address at once; the browser goes where it is sent. */
async function browser({ url }: { readonly url: string }): Promise<void> {
  const answer = await fetch(url, { redirect: 'manual' })
  const back = answer.headers.get('location')
  assert.ok(back, 'the authorisation server sends the browser back')
  const page = await fetch(back)
  assert.match(await page.text(), /Signed in/)
}

async function credentialsIn(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'mcp'))
  const name = names.find((each) => each.endsWith('.oauth.json'))
  assert.ok(name !== undefined)
  return join(folder, 'mcp', name)
}

function connect(url: string, folder: string, signIn?: ShowSignIn, name = 'far'): Promise<McpConnection> {
  return connectMcpServer(name, { url }, { clock: systemClock, stateFolder: folder, ...(signIn === undefined ? {} : { signIn }) })
}

async function refusal(connecting: Promise<unknown>): Promise<AdjutantError> {
  const error: unknown = await connecting.then(
    () => assert.fail('it connected'),
    (thrown: unknown) => thrown,
  )
  assert.ok(AdjutantError.isInstance(error), String(error))
  return error
}

async function protectedServer(authority: StubAuthorisationServer) {
  return startStubMcpHttp({ protectedBy: authority })
}

describe('a remote server that wants somebody to sign in', () => {
  it('shows the address, waits for the browser, and keeps what it got for this user only', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const folder = await stateFolder()
    const shown: string[] = []
    {
      await using far = await connect(server.url, folder, async (request) => {
        assert.equal(request.server, 'far')
        shown.push(request.url)
        await browser(request)
      })
      assert.equal(await callText(far, 'add'), '1')
    }
    assert.equal(shown.length, 1)
    const file = await credentialsIn(folder)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await stat(join(folder, 'mcp'))).mode & 0o777, 0o700)
    assert.match(authority.registered[0] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    // The next run needs nobody.
    await using again = await connect(server.url, folder)
    assert.equal(await callText(again, 'add'), '2')
    assert.deepEqual(authority.grants, ['authorization_code'])
  })

  it('refreshes in the middle of the work, without anybody', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const folder = await stateFolder()
    await using far = await connect(server.url, folder, browser)
    authority.expireTokens()
    assert.equal(await callText(far, 'add'), '1', 'the call was refused unread and sent again')
    assert.equal(server.executions, 1)
    assert.deepEqual(authority.grants, ['authorization_code', 'refresh_token'])
    // A refresh token is good for one use: calls that are refused together refresh once.
    authority.expireTokens()
    const said = await Promise.all(['add', 'add', 'add', 'add'].map((tool) => callText(far, tool)))
    assert.deepEqual([...said].sort(), ['2', '3', '4', '5'])
    assert.deepEqual(authority.grants.slice(2), ['refresh_token'])
  })

  it('says what to do when nobody is there', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const folder = await stateFolder()
    const error = await refusal(connect(server.url, folder))
    assert.deepEqual([error.code, error.outcome, error.grade], ['MCP_SERVER_UNAVAILABLE', 'not-run', 'final'])
    assert.match(error.message, /MCP server "far" could not be signed in to: it wants somebody to sign in/)
    assert.match(error.hint, /adjutant tools list/)
    assert.deepEqual(authority.registered, [], 'a client that nobody can use is not registered')
  })

  it('says so too when what it had is no longer good', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const folder = await stateFolder()
    await using far = await connect(server.url, folder, browser)
    await using alone = await connect(server.url, folder)
    authority.revokeAll()
    const error = await callError(alone, 'add')
    assert.deepEqual([error.code, error.outcome], ['MCP_SERVER_UNAVAILABLE', 'not-run'])
    assert.equal(server.executions, 0)
    assert.equal(await callText(far, 'add'), '1', 'where somebody is, they sign in again')
  })

  it('waits once for many calls that want it at the same time', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    let shown = 0
    await using far = await connect(server.url, await stateFolder(), async (request) => {
      shown++
      await browser(request)
    })
    authority.revokeAll()
    const said = await Promise.all(['add', 'add', 'add'].map((tool) => callText(far, tool)))
    assert.deepEqual([...said].sort(), ['1', '2', '3'])
    assert.equal(shown, 2, 'once to connect, once for all three')
  })

  it('takes no answer but the one that is waited for, and gives up in the end', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const clock = new ManualClock()
    let back: URL | undefined
    const connecting = refusal(
      connectMcpServer(
        'far',
        { url: server.url },
        {
          clock,
          stateFolder: await stateFolder(),
          signIn: ({ url }) => {
            back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '')
          },
        },
      ),
    )
    await until(() => back !== undefined, 'the address')
    assert.ok(back !== undefined)
    back.search = '?code=stolen&state=guessed'
    const page = await fetch(back)
    assert.equal(page.status, 400)
    // The time for connecting stands still meanwhile; the time for a person does not.
    await clock.advance(5 * 60_000)
    const error = await connecting
    assert.match(error.message, /nobody signed in within 5 minutes/)
    await assert.rejects(fetch(back), 'the address is closed again')
  })

  it('begins anew when the file is broken', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const folder = await stateFolder()
    await (await connect(server.url, folder, browser)).close()
    const file = await credentialsIn(folder)
    await writeFile(file, '{"tokens":{"access_token":5},"client":[]')
    await using far = await connect(server.url, folder, browser)
    assert.equal(await callText(far, 'add'), '1')
    assert.ok(JSON.parse(await readFile(file, 'utf8')))
  })

  it('is not signed in to when that is switched off, or credentials are given by hand', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await protectedServer(authority)
    const options = { clock: systemClock, stateFolder: await stateFolder(), signIn: browser }
    for (const config of [
      { url: server.url, oauth: false },
      { url: server.url, headers: { authorization: 'Bearer old' } },
    ]) {
      assert.match((await refusal(connectMcpServer('far', config, options))).message, /refuses access \(HTTP 401\)/)
    }
  })
})
