// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configurations hold such references
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

/** `own` is a person's folder, `work` a workspace that came from somewhere. */
let root = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-boxes-')))
  await chmod(root, 0o755)
  for (const name of ['own', 'work', 'state']) await mkdir(join(root, name))
})
after(() => rm(root, { recursive: true, force: true }))

const env = (more: Record<string, string> = {}) => ({ HOME: join(root, 'home'), XDG_STATE_HOME: join(root, 'state'), ...more })

/** With a configuration of the person, which lies outside of the workspace. */
async function own(config: string, words: readonly string[], more?: Record<string, string>): Promise<CommandResult> {
  await writeFile(join(root, 'own', 'mine.yaml'), config)
  const [command = '', ...rest] = words
  return runMain([command, ...(rest.length === 0 ? [] : [rest[0] ?? '']), '--config', '../own/mine.yaml', ...rest.slice(1)], {
    cwd: join(root, 'work'),
    env: env(more),
  })
}

const js = ['sandbox', 'run', '--lang', 'js', '--json', '--']

describe('sandbox in a configuration', () => {
  it('says in which order backends are tried', { skip }, async () => {
    const usual = await own('', [...js, 'console.log(1)'])
    const other = await own('sandbox: { order: { js: [bubblewrap, quickjs] } }', [...js, 'console.log(1)'])
    assert.deepEqual([usual.lines[0]?.backend, other.lines[0]?.backend], ['quickjs', 'bubblewrap'])
    const typed = await own('sandbox: { order: { js: [bubblewrap] } }', [
      'sandbox',
      'run',
      '--lang',
      'js',
      '--backend',
      'quickjs',
      '--json',
      '--',
      '1',
    ])
    assert.equal(typed.lines[0]?.backend, 'quickjs')
  })

  it('says what every box of a language must enforce; what is weaker is refused', { skip }, async () => {
    const config = 'sandbox: { order: { js: [quickjs], bash: [bubblewrap] }, requires: { js: [kernel, disk], bash: [disk] } }'
    assert.equal((await own(config, [...js, 'console.log(1)'])).code, 0)
    // On a folder of the host the kernel does not hold what is written.
    const weak = await own(config, ['sandbox', 'run', '--lang', 'bash', '--workspace', '.', '--', 'echo ran'])
    assert.deepEqual([weak.code, weak.stdout], [3, ''])
    assert.match(weak.stderr, /SANDBOX_TOO_WEAK/)
    const host = await own(config, ['sandbox', 'run', '--lang', 'bash', '--backend', 'host', '--unsafe-host', '--', 'echo ran'])
    assert.deepEqual([host.code, host.stdout], [3, ''])
  })

  it('says the limits of a box; what is typed goes before it, what a tool says too', async () => {
    const config = 'sandbox: { limits: { wallMs: 300, outputBytes: 1000 } }\ntools: { code: { limits: { outputBytes: 400 } } }'
    const loop = await own(config, [...js, 'for (;;);'])
    assert.deepEqual([loop.lines[0]?.limit, loop.lines[0]?.timedOut], ['wall', true])
    const much = await own(config, [...js, 'console.log("x".repeat(2_000))'])
    assert.equal(much.lines[0]?.limit, 'output')
    const call = (code: string) => JSON.stringify({ action: 'call_tool', tool_name: 'javascript', parameters: { code } })
    const exec = await runMain(['exec', '--json', '--approve', 'allow', '--config', '../own/mine.yaml'], {
      cwd: join(root, 'work'),
      env: env(),
      stdin: call('console.log("x".repeat(600))'),
    })
    assert.match(exec.stdout, /it printed more than is kept/)
  })

  it('says how many workers there are, and which machine a service is', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.headers['x-api-key'] ?? ''} ${request.url ?? ''}`)
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":401,"message":"who are you"}')
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      const config = [
        'sandbox:',
        '  quickjs: { workers: 1 }',
        '  order: { python: [e2b] }',
        `  e2b: { url: 'http://127.0.0.1:${port}', apiKey: '\${MY_KEY}', validateApiKey: false }`,
        '  requires: { python: [filesystem] }',
      ].join('\n')
      const run = await own(config, ['sandbox', 'run', '--lang', 'python', '--', 'print(1)'], { MY_KEY: 'of-mine' })
      assert.equal(run.code, 1)
      assert.ok(asked.length > 0)
      assert.ok(
        asked.every((one) => one.startsWith('of-mine /')),
        asked.join(),
      )
      assert.ok(!`${run.stdout}${run.stderr}`.includes('of-mine'))
    } finally {
      server.close()
    }
  })

  it('says where containers are made, and of what', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"not today"}')
    })
    await new Promise<void>((resolve) => void server.listen(join(root, 'own', 'daemon.sock'), resolve))
    try {
      const config = 'sandbox: { order: { bash: [container] }, container: { socket: ./daemon.sock, image: mine } }'
      const { code, stderr } = await own(config, ['sandbox', 'run', '--lang', 'bash', '--', 'echo ran'])
      assert.equal(code, 1)
      assert.match(stderr, /SANDBOX_UNAVAILABLE: no box here can run bash\. container: /)
      assert.ok(asked.length > 0, stderr)
    } finally {
      server.close()
    }
  })

  it('is what the doctor looks at', async () => {
    const config = 'sandbox: { order: { bash: [quickjs], python: [quickjs], js: [quickjs], sql: [sqljs] } }'
    const { lines } = await own(config, ['sandbox', 'doctor', '--json'])
    assert.deepEqual(lines[0]?.chosen, { bash: null, python: null, js: 'quickjs', sql: 'sqljs' })
    const program = await own('sandbox: { bubblewrap: { path: /nowhere/bwrap } }', ['sandbox', 'doctor', '--json'])
    assert.match(program.stdout, /\/nowhere\/bwrap/)
    const whole = await own(config, ['doctor', '--json'])
    assert.match(whole.stdout, /bash[^{}]{0,40}none/)
  })

  it('is wrong at a place', async () => {
    const cases: readonly (readonly [config: string, said: RegExp])[] = [
      [
        'sandbox: { order: { js: [bubblerap] } }',
        /mine\.yaml:1:26: sandbox\.order\.js names "bubblerap", which is no backend[\s\S]*Did you mean bubblewrap/,
      ],
      [
        'sandbox:\n  order:\n    bash: [host]',
        /mine\.yaml:3:12: sandbox\.order\.bash names host, where code runs with nothing in between[\s\S]*--unsafe-host/,
      ],
      ['tools: { code: { order: [host] } }', /mine\.yaml:1:26: tools\.code\.order names host/],
      ['sandbox: { unsafeHost: true }', /mine\.yaml:1:12: sandbox has no key "unsafeHost"/],
      ['sandbox: { limits: { memory: 3 } }', /mine\.yaml:1:22: sandbox\.limits has no key "memory"; did you mean "memoryMB"/],
      ['sandbox: { requires: { js: [networks] } }', /mine\.yaml:1:29: sandbox\.requires\.js\.0 must be one of "filesystem", "network"/],
      ['sandbox: { pool: { size: -1 } }', /mine\.yaml:1:26: sandbox\.pool\.size must be >= 0/],
      ['sandbox: { e2b: { apiKey: "${NO_SUCH_KEY}" } }', /mine\.yaml:1:28: the environment variable NO_SUCH_KEY is not set/],
      ['audit: { snyc: always }', /mine\.yaml:1:10: audit has no key "snyc"; did you mean "sync"/],
      ['audit: 3', /mine\.yaml:1:8: audit must be true, false, a string or a mapping/],
      ['audit: { sync: often }', /mine\.yaml:1:16: audit\.sync must be one of "always", "changes", "never"/],
      ['hintLanguage: de', /mine\.yaml:1:15: hintLanguage must be one of "en", "zh"/],
      ['sessions: { keepDays: 0 }', /mine\.yaml:1:23: sessions\.keepDays must be >= 1/],
    ]
    for (const [config, said] of cases) {
      const { code, stderr } = await own(config, [...js, '1'])
      assert.equal(code, 2, config)
      assert.match(stderr, said)
      assert.equal(stderr.split('CONFIG_INVALID').length, 2, stderr)
    }
  })
})
