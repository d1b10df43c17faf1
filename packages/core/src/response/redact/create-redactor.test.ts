import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { JsonValue } from '../../contract/json.ts'
import { createRedactor, createStreamRedactor } from './create-redactor.ts'
import { redactJson } from './redact-json.ts'
import { MAX_HELD } from './redaction-engine.ts'
import { findByRules } from './rule-set.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('redact: ADJUTANT_MATERIAL is not set; natural texts from outside were not tried\n')

const VALUE = 'p4ss/w+rd "of" mine & ö'

describe('exact values', () => {
  it('are found in every form', async () => {
    const bytes = Buffer.from(VALUE)
    const forms = [
      VALUE,
      JSON.stringify({ a: VALUE }),
      JSON.stringify(JSON.stringify({ a: VALUE })),
      encodeURIComponent(VALUE),
      encodeURIComponent(VALUE).replaceAll('%20', '+'),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      Buffer.from(`ann:${VALUE}`).toString('base64'),
      Buffer.from(`ab${VALUE}!`).toString('base64'),
      Buffer.from(`abc${VALUE}`).toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ]
    const redactor = createRedactor({ values: [VALUE] })
    for (const form of forms) {
      const { text, count } = await redactor.redact(`before ${form} behind`)
      assert.equal(count, 1, form)
      assert.match(text, /^before .*\[secret removed: configured value #1\].* behind$/)
    }
  })

  it('are taken from the environment by name, but not paths, numbers and common words', async () => {
    const env = {
      GITHUB_TOKEN: 'correct-horse-1',
      DB_PASSWORD: 'onlylowerletters',
      AWS_SECRET_ACCESS_KEY: 'wJalr/XUtnFEMI1K7MDENG',
      OPENAI_API_KEY: 'not-a-known-shape-77',
      PGPASSWORD: 'another-one-of-them',
      SSH_AUTH_SOCK: '/tmp/ssh-abc/agent.1',
      PWD: '/home/ann/project',
      API_KEY_FILE: 'secrets-folder-name',
      PASSWORD_STORE: './store/of/passwords',
      SESSION_SECRET: 'changeme',
      TOKEN_LIMIT: '12345678',
      GIT_AUTHOR_NAME: 'Ann Example Person',
      HOME: '/home/ann',
      LANG: 'en_GB.UTF-8',
      ACCESS_TOKEN: undefined,
    }
    const redactor = createRedactor({ env })
    const shown = Object.entries(env)
      .map(([name, value]) => `${name} is ${value}`)
      .join('\n')
    const { text, count } = await redactor.redact(shown)
    assert.equal(count, 5)
    for (const name of ['GITHUB_TOKEN', 'DB_PASSWORD', 'AWS_SECRET_ACCESS_KEY', 'OPENAI_API_KEY', 'PGPASSWORD']) {
      assert.match(text, new RegExp(`${name} is \\[secret removed: env ${name} #\\d\\]`))
    }
    for (const kept of ['/tmp/ssh-abc/agent.1', 'secrets-folder-name', 'changeme', '12345678', 'Ann Example Person'])
      assert.ok(text.includes(kept))
  })

  it('of any characters and any length are found whole or in pieces, in any text', async () => {
    const secrets = fc.string({ unit: 'binary', minLength: 6, maxLength: 1_500 }).filter((value) => value.trim().length > 5)
    await fc.assert(
      fc.asyncProperty(secrets, fc.string(), fc.integer({ min: 1, max: 900 }), async (secret, around, size) => {
        const redactor = createRedactor({ values: [secret], rules: 'off' })
        const text = `${around}|${secret}|${around}`
        const whole = await redactor.redact(text)
        assert.ok(!whole.text.includes(secret))
        assert.ok(whole.count >= 1)
        const stream = createStreamRedactor(redactor)
        let given = ''
        for (let at = 0; at < text.length; at += size) given += await stream.push(text.slice(at, at + size))
        given += await stream.end()
        assert.equal(given, whole.text)
      }),
      { numRuns: 100 },
    )
  })

  it('have one number each, the same every time', async () => {
    const redactor = createRedactor({ values: ['first-secret', 'other-secret'] })
    const { text } = await redactor.redact('other-secret first-secret other-secret')
    assert.equal(text, '[secret removed: configured value #1] [secret removed: configured value #2] [secret removed: configured value #1]')
    assert.equal((await redactor.redact('first-secret')).text, '[secret removed: configured value #2]')
  })

  it('too short are refused; allowed ones stay', async () => {
    assert.throws(() => createRedactor({ values: ['abc'] }), { code: 'CONFIG_INVALID', message: /values\[0\]/ })
    const redactor = createRedactor({ values: ['public-value'], allow: ['public-value', 'hunter2-hunter2'] })
    const text = `public-value pass${'word'}=hunter2-hunter2`
    assert.deepEqual(await redactor.redact(text), { text, count: 0 })
  })
})

describe('what is no secret', () => {
  const harmless = [
    '',
    'done',
    '550e8400-e29b-41d4-a716-446655440000',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main)',
    'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    `data:image/png;base64,${Buffer.from(Uint8Array.from({ length: 600 }, (_, index) => (index * 97 + (index >> 3)) & 255)).toString('base64')}`,
    'password: string',
    'const password = getPassword(user)',
    'password=$DB_PASSWORD token=$' + '{TOKEN} secret=<your-secret> api_key={{ api_key }} password=********',
    'token = process.env.GITHUB_TOKEN_FOR_TESTS1',
    '"nextPageToken": "CAUQAA1bc2def3ghi4jkl5"',
    'max_tokens: 4096, total_tokens=123456789',
    'Authorization: Bearer $TOKEN',
    'Authorization: Bearer <token>',
    'https://user:password@example.org/ and https://example.org:8080/a@b',
    'ssh://git@github.com/a/b.git',
    'secret: /run/secrets/db_password1',
    'the key: value pairs of the token: a word',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYD\n-----END CERTIFICATE-----',
    'sk-learn-style-names-and-other-words-with-dashes-in-them',
    'lorem ipsum '.repeat(500),
  ]
  it('stays, as the very same string', async () => {
    const redactor = createRedactor()
    for (const text of harmless) assert.deepEqual(await redactor.redact(text), { text, count: 0 }, text.slice(0, 80))
  })

  it('a text redacted once stays as it is', async () => {
    const redactor = createRedactor({ values: ['my-own-secret'] })
    const once = await redactor.redact(
      `pass${'word'}="hunter2-hunter2" https${'://'}ann:xY7-xY7@example.org my-own-secret gh${'p_'}${'a1B2'.repeat(9)}`,
    )
    assert.equal(once.count, 4)
    assert.deepEqual(await redactor.redact(once.text), { text: once.text, count: 0 })
  })

  it('is answered at once, without a promise', () => {
    for (const text of harmless) assert.ok(!(createRedactor().redact(text) instanceof Promise))
  })
})

describe('hostile text', () => {
  it('of any kind ends soon, never throws, and is the same in pieces', async () => {
    const bits = [
      '=',
      ':',
      '://',
      'password=',
      'a:b@',
      '-----BEGIN ',
      'sk-',
      'SG.a.',
      'xoxb-',
      'eyJ',
      '.eyJ',
      'Bearer ',
      'ghp_',
      'A',
      '_authToken=',
      '\u0000',
      '\ud800',
      '"',
      '\\',
    ]
    for (const bit of [...bits, 'https://a:b', `gh${'p_'}${'a'.repeat(36)} `, `-----BEGIN PRIV${'ATE'} KEY-----\nAAAAAAAAAAAAAAAAAAAA\n`]) {
      const text = bit.repeat(Math.ceil(60_000 / bit.length))
      const redactor = createRedactor({ values: ['aaaaaaab', 'a:b@a:b@c'] })
      const whole = await redactor.redact(text)
      const stream = createStreamRedactor(createRedactor({ values: ['aaaaaaab', 'a:b@a:b@c'] }))
      let given = ''
      let taken = 0
      for (let at = 0; at < text.length; at += 1_000) {
        given += await stream.push(text.slice(at, at + 1_000))
        taken += 1_000
        if (whole.count === 0) assert.ok(taken - given.length <= MAX_HELD + 1_000, `${bit} holds back ${taken - given.length}`)
      }
      given += await stream.end()
      assert.equal(given, whole.text, bit)
    }
  })

  it('cannot switch the rules off', async () => {
    const { count } = await createRedactor().redact(`/* secretlint-disable */ gh${'p_'}${'a1B2'.repeat(9)} // secretlint-disable-line`)
    assert.equal(count, 1)
  })
})

describe('values of JSON', () => {
  it('are walked, names of members too', async () => {
    const redactor = createRedactor({ values: ['my-own-secret'] })
    const given = {
      list: ['a', { deep: 'x my-own-secret y' }],
      'my-own-secret': 1,
      ['pass' + 'word']: 'hunter2-hunter3',
      token: `gh${'p_'}${'a1B2'.repeat(9)}`,
      fine: true,
      none: null,
    }
    const { value, count } = await redactJson(redactor, given)
    assert.equal(count, 4)
    const text = JSON.stringify(value)
    for (const secret of ['my-own-secret', 'hunter2', 'a1B2']) assert.ok(!text.includes(secret), text)
    assert.match(text, /"fine":true,"none":null/)
  })

  it('without a secret are the very same value, at once', () => {
    const given = { a: ['b', { c: 'd' }], __proto__: 1, n: 4 }
    const redacted = redactJson(createRedactor(), given)
    assert.ok(!(redacted instanceof Promise))
    assert.equal(redacted.value, given)
  })

  it('nested without end are cut', async () => {
    const nested: JsonValue = JSON.parse(`${'{"a":'.repeat(3_000)}"x"${'}'.repeat(3_000)}`)
    const { value } = await redactJson(createRedactor({ values: ['my-own-secret'] }), { nested, b: 'my-own-secret' })
    assert.match(JSON.stringify(value), /nested too deeply/)
  })
})

describe('natural text from outside', { skip: material === undefined }, () => {
  it('hardly anything is removed, and nothing is left that the rule set finds', async () => {
    const counts = { files: 0, characters: 0, removed: 0, missed: 0 }
    for (const folder of ['logs', 'skills']) {
      for (const entry of readdirSync(join(material ?? '', folder), { withFileTypes: true, recursive: true })) {
        if (!entry.isFile()) continue
        const text = readFileSync(join(entry.parentPath, entry.name), 'utf8').slice(0, 400_000)
        const { count, text: redacted } = await createRedactor().redact(text)
        counts.files += 1
        counts.characters += text.length
        counts.removed += count
        if (process.env.ADJUTANT_SHOW_REMOVED !== undefined && count > 0) {
          for (const line of redacted.split('\n'))
            if (line.includes('[secret removed')) process.stderr.write(`${entry.name}: ${line.slice(0, 200)}\n`)
        }
        for (let at = 0; at < Math.min(redacted.length, 20_000); at += 5_000) {
          const left = await findByRules(redacted.slice(at, at + 5_000))
          // A key block cut by the slice is seen by its beginning only; there is none in what was redacted.
          counts.missed += left?.length ?? 1
        }
      }
    }
    process.stderr.write(`redact: ${JSON.stringify(counts)}\n`)
    assert.equal(counts.missed, 0)
    assert.ok(counts.files > 100)
    assert.ok(counts.removed / (counts.characters / 1_000_000) < 10, JSON.stringify(counts))
  })
})
