/**
 * Every kind of secret, made up when the test runs, so that no file of the project holds anything that looks like one. The rule set is asked
 * itself as well: what it finds must be gone, so that the cheap look before it never hides a hit.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRedactor, createStreamRedactor } from './create-redactor.ts'
import { findByRules } from './rule-set.ts'

const HEX = '0123456789abcdef'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const LETTERS = `${LOWER}${LOWER.toUpperCase()}`
const WORD = `${LETTERS}0123456789`
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

const run = (alphabet: string, length: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((letters) => letters.join(''))
const after = (head: string, alphabet: string, length: number, tail = '') => run(alphabet, length).map((body) => `${head}${body}${tail}`)
const base64 = (text: string) => Buffer.from(text).toString('base64url')

/** What is hidden, and the text it is hidden in where that matters. */
const KINDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  npm: after('npm' + '_', WORD, 36),
  slackBot: fc.tuple(run('0123456789', 11), run(WORD, 24)).map(([a, b]) => `xox${'b'}-${a}-${a}-${b}`),
  slackApp: fc.tuple(run('0123456789', 11), run(WORD, 24)).map(([a, b]) => `xapp${'-'}1-A${a}-${a}-${b}`),
  slackHook: fc.tuple(run(UPPER, 9), run(WORD, 24)).map(([a, b]) => `https://hooks.slack${'.com'}/services/T${a}/B${a}/${b}`),
  sendgrid: fc.tuple(run(WORD, 22), run(WORD, 43)).map(([a, b]) => `SG${'.'}${a}.${b}`),
  shopify: after('shp' + 'at_', HEX, 32),
  stripe: after('sk_' + 'live_', WORD, 24),
  stripeRestricted: after('rk_' + 'test_', WORD, 40),
  github: after('gh' + 'p_', WORD, 36),
  githubServer: after('gh' + 's_', WORD, 36),
  githubFine: after('github' + '_pat_', WORD, 82),
  gitlab: after('glp' + 'at-', `${WORD}_-`, 20).filter((token) => !token.endsWith('-')),
  grafana: fc.tuple(run(WORD, 32), run(HEX, 8)).map(([a, b]) => `gl${'sa_'}${a}_${b}`),
  grafanaCloud: after('gl' + 'c_', WORD, 60),
  onePassword: run(WORD, 90).map((key) => `ops${'_'}${Buffer.from(`{"secretKey":"${key}"}`).toString('base64')}`),
  githubApp: fc
    .tuple(run('0123456789', 6), run(WORD, 300), run(WORD, 43))
    .map(([id, body, sign]) => `gh${'s_'}${id}_${base64('{"alg":"x"}')}.${body}.${sign}`),
  openai: fc.tuple(run(WORD, 20), run(WORD, 20)).map(([a, b]) => `sk${'-'}${a}T3Blbk${'FJ'}${b}`),
  openaiProject: fc.tuple(run(WORD, 74), run(WORD, 74)).map(([a, b]) => `sk-${'proj-'}${a}T3Blbk${'FJ'}${b}`),
  anthropic: after('sk-' + 'ant-api03-', WORD, 93, 'AA'),
  groq: after('gs' + 'k_', WORD, 52),
  huggingface: after('h' + 'f_', LETTERS, 34),
  linear: after('lin_' + 'api_', WORD, 40),
  notion: fc.tuple(run('0123456789', 11), run(WORD, 35)).map(([a, b]) => `nt${'n_'}${a}${b}`),
  vaultService: after('hv' + 's.', WORD, 95),
  vaultBatch: after('hv' + 'b.', WORD, 150),
  vercel: after('vc' + 'p_', WORD, 24),
  databricks: after('da' + 'pi', HEX, 32),
  docker: after('dckr' + '_pat_', WORD, 27),
  figma: after('fi' + 'gd_', WORD, 40),
  cloudflare: fc.tuple(run(WORD, 40), run(HEX, 8)).map(([a, b]) => `cf${'ut_'}${a}${b}`),
  tailscale: fc.tuple(run(WORD, 12), run(WORD, 32)).map(([a, b]) => `ts${'key-auth-'}${a}-${b}`),
  awsId: after('AK' + 'IA', UPPER, 16),
  google: after('AI' + 'za', WORD, 35),
  pypi: after('pypi' + '-AgE', WORD, 80),
  jwt: fc.tuple(run(WORD, 20), run(WORD, 43)).map(([sub, sign]) => `${base64('{"alg":"HS256"}')}.${base64(`{"sub":"${sub}"}`)}.${sign}`),
}

/** Secrets that are known by what stands around them. */
const AROUND: Readonly<Record<string, (secret: string) => string>> = {
  aws: (secret) => `aws_secret_access${'_key'} = ${secret}`,
  npmrc: (secret) => `//registry.example.org/:_auth${'Token'}=${secret}`,
  password: (secret) => `{"user":"ann","pass${'word'}":"${secret}"}`,
  env: (secret) => `export DB_PASS${'WORD'}='${secret}'`,
  yaml: (secret) => `client_sec${'ret'}: ${secret}`,
  bearer: (secret) => `curl -H 'Authoriz${'ation'}: Bearer ${secret}' https://example.org`,
  bearerAlone: (secret) => `send Bear${'er'} ${secret} with it`,
  basic: (secret) => `authoriz${'ation'}: Basic ${secret}`,
  apiKey: (secret) => `X-Api-${'Key'}: ${secret}`,
  database: (secret) => `postgres${'://'}ann:${secret}@db.example.org/shop`,
  web: (secret) => `https${'://'}ann:${secret}@example.org/path`,
  git: (secret) => `https${'://'}${secret}:x-oauth-basic@github.com/a/b.git`,
  escaped: (secret) => JSON.stringify(JSON.stringify({ ['api_' + 'key']: secret })),
}

const padding = fc.constantFrom('', ' ', 'the key is ', '"', '{"a":"', '\n', 'x=', '(', 'é ')
const PEM_BODY = run(`${WORD}+/`, 64 * 12).map((body) => (body.match(/.{64}/g) ?? []).join('\n'))
const pem = fc
  .tuple(fc.constantFrom('', 'RSA ', 'EC ', 'OPENSSH '), PEM_BODY)
  .map(([kind, body]) => ({ body, text: `-----BEGIN ${kind}PRIV${'ATE'} KEY-----\n${body}\nAbc1=\n-----END ${kind}PRIV${'ATE'} KEY-----` }))

async function inPieces(text: string, sizes: readonly number[]): Promise<{ text: string; count: number; held: number }> {
  const stream = createStreamRedactor(createRedactor())
  let given = ''
  let held = 0
  let taken = 0
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const piece = text.slice(at, at + (sizes[turn % sizes.length] ?? 1))
    at += piece.length
    const safe = await stream.push(piece)
    given += safe
    taken += piece.length
    held = Math.max(held, taken - given.length)
  }
  given += await stream.end()
  return { text: given, count: stream.count, held }
}

describe('made-up secrets of every kind', () => {
  for (const [kind, secrets] of Object.entries(KINDS)) {
    it(`${kind}: gone wherever it stands, and nothing else with it`, async () => {
      await fc.assert(
        fc.asyncProperty(secrets, padding, padding, async (secret, before, behind) => {
          const { text, count } = await createRedactor().redact(`${before}${secret} ${behind}end`)
          assert.ok(!text.includes(secret) && !text.includes(secret.slice(6, -6)), text)
          assert.match(text, /\[secret removed: [a-z-]+ #1\]/)
          assert.ok(text.endsWith(`${behind}end`) && text.startsWith(before), text)
          assert.equal(count, 1)
        }),
        { numRuns: 12 },
      )
    })
    it(`${kind}: whatever the rule set finds is looked at`, async () => {
      await fc.assert(
        fc.asyncProperty(secrets, padding, padding, async (secret, before, behind) => {
          const text = `${before}${secret} ${behind}end`
          const found = await findByRules(text)
          assert.ok(found !== undefined)
          if (found.length > 0) assert.ok((await createRedactor().redact(text)).count > 0, `${JSON.stringify(found)} ${text}`)
        }),
        { numRuns: 6 },
      )
    })
  }

  for (const [kind, around] of Object.entries(AROUND)) {
    it(`${kind}: only the secret goes`, async () => {
      await fc.assert(
        fc.asyncProperty(run(WORD, 38), async (body) => {
          const secret = `q7R${body.slice(1)}9z`.slice(0, 40)
          const { text, count } = await createRedactor().redact(around(secret))
          const label = /\[secret removed: [a-z-]+ #1\]/.exec(text)?.[0] ?? 'nothing'
          assert.equal(text, around(label))
          assert.equal(count, 1)
        }),
        { numRuns: 12 },
      )
    })
  }

  it('a connection string that the rule set takes for one loses its password, however it is written', async () => {
    const scheme = fc.constantFrom(
      'postgres',
      'postgresql',
      'mysql',
      'jdbc:mysql',
      'mysqlx',
      'mongodb',
      'mongodb+srv',
      'MongoDB',
      'http',
      'https',
      'ftp',
    )
    const part = fc.oneof(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
      fc.constantFrom(
        'test',
        'admin',
        'root',
        'guest',
        'password',
        'postgres',
        'a#b?c"d',
        '<x>',
        'xxxx',
        '$PW',
        'p:w:d',
        'ex.ample',
        'your-pw1',
      ),
    )
    await fc.assert(
      fc.asyncProperty(scheme, part, part, fc.constantFrom('db.example.net', 'h/x?y=z', 'local:1'), async (name, user, password, host) => {
        const text = `url ${name}://${user}:${password}@${host} end`
        const found = await findByRules(text)
        assert.ok(found !== undefined)
        if (found.length === 0) return
        const redacted = await createRedactor().redact(text)
        assert.ok(redacted.count > 0, text)
        assert.deepEqual(await findByRules(redacted.text), [], redacted.text)
      }),
      { numRuns: 300 },
    )
  })

  it('takes a private key of many lines as one, also indented, numbered, in JSON, and cut off', async () => {
    await fc.assert(
      fc.asyncProperty(pem, async ({ text, body }) => {
        const lines = text.split('\n')
        const shapes = [
          text,
          text.replaceAll('\n', '\r\n'),
          lines.map((line) => `    ${line}`).join('\n'),
          lines.map((line, index) => `${index + 1}\t${line}`).join('\n'),
          lines.map((line) => `+${line}`).join('\n'),
          JSON.stringify({ private_key: text, after: 1 }),
          text.slice(0, text.length - 50),
          text.slice(0, 300),
        ]
        for (const shape of shapes) {
          const redacted = await createRedactor().redact(`before ${shape} behind it. More`)
          for (const line of body.split('\n')) assert.ok(!redacted.text.includes(line.slice(0, 20)), redacted.text)
          assert.equal(redacted.count, 1, redacted.text)
          assert.ok(redacted.text.startsWith('before ') && redacted.text.endsWith('it. More'), redacted.text)
        }
      }),
      { numRuns: 10 },
    )
  })

  it('gives the same however a text is cut, and holds back little', async () => {
    const words = fc.constantFrom(
      'lorem ipsum ',
      'dolor\n',
      'a=b ',
      'https://example.org/x ',
      '{"k":"v"} ',
      'x'.repeat(300),
      ' é ',
      '-----BEGIN',
      '=',
    )
    const any = fc.oneof(
      { weight: 4, arbitrary: words },
      { weight: 2, arbitrary: fc.oneof(...Object.values(KINDS)) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom(...Object.values(AROUND)), run(WORD, 40)).map(([around, secret]) => around(secret)),
      },
      { weight: 1, arbitrary: pem.map(({ text }) => text) },
    )
    const texts = fc.array(any, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(' '))
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 8 }), async (text, sizes) => {
        const whole = await createRedactor().redact(text)
        const streamed = await inPieces(text, sizes)
        assert.equal(streamed.text, whole.text)
        assert.equal(streamed.count, whole.count)
      }),
      { numRuns: 60 },
    )
  })

  it('gives the same at every single cut of a short text', async () => {
    const secret = `gh${'p_'}${'a1B2'.repeat(9)}`
    const text = `${'lorem '.repeat(700)}token ${secret} and ${'ipsum '.repeat(700)}`
    const whole = await createRedactor().redact(text)
    assert.equal(whole.count, 1)
    for (let at = 4_190; at < 4_260; at += 1) {
      const stream = createStreamRedactor(createRedactor())
      assert.equal((await stream.push(text.slice(0, at))) + (await stream.push(text.slice(at))) + (await stream.end()), whole.text)
    }
  })

  it('never gives half of a surrogate pair', async () => {
    const text = `x${'\u{1f600}'.repeat(9_000)}`
    for (const size of [511, 512, 1_023, 3_001]) {
      const stream = createStreamRedactor(createRedactor())
      let given = ''
      for (let at = 0; at < text.length; at += size) {
        const piece = await stream.push(text.slice(at, at + size))
        assert.ok(piece.isWellFormed())
        given += piece
      }
      assert.equal(given + (await stream.end()), text)
    }
  })

  it('lets a key of any length pass without keeping it', async () => {
    const key = `-----BEGIN PRIV${'ATE'} KEY-----\n${`${'Ab1/'.repeat(16)}\n`.repeat(5_000)}-----END PRIV${'ATE'} KEY-----`
    const stream = createStreamRedactor(createRedactor())
    let given = ''
    for (let at = 0; at < key.length; at += 4_096) given += await stream.push(key.slice(at, at + 4_096))
    given += await stream.push(` behind${' it'.repeat(3)}`)
    given += await stream.end()
    assert.equal(given, `[secret removed: private-key #1] behind it it it`)
  })
})
