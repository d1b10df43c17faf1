import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import { ENVD_PORT, e2bConnection, INTERPRETER_PORT } from './connection.ts'

const box = { id: 'i123', envdVersion: '0.6.2' }

function refused(why: RegExp): (error: unknown) => boolean {
  return (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && why.test(error.message)
}

describe('where the service is', () => {
  it('is the service itself when nothing is said, and needs a key', () => {
    const connection = e2bConnection({ env: { E2B_API_KEY: 'e2b_0a' } })
    assert.equal(connection.apiUrl, 'https://api.e2b.app')
    assert.equal(connection.apiKey, 'e2b_0a')
    assert.equal(connection.boxUrl(box, ENVD_PORT), 'https://sandbox.e2b.app')
    assert.equal(connection.boxUrl(box, INTERPRETER_PORT), 'https://49999-i123.e2b.app')
    assert.equal(connection.missing, undefined)
    assert.match(e2bConnection({}).missing ?? '', /no key/)
    assert.match(e2bConnection({ apiKey: 'sk-other' }).missing ?? '', /e2b_/)
    assert.equal(e2bConnection({ apiKey: 'sk-other', env: { E2B_VALIDATE_API_KEY: 'false' } }).missing, undefined)
  })

  it('is where the variables say, and options win over them', () => {
    const env = { E2B_DOMAIN: 'cube.example', E2B_API_URL: 'http://10.0.0.5:3000/', E2B_API_KEY: 'e2b_env' }
    const own = e2bConnection({ env })
    assert.deepEqual([own.apiUrl, own.hosted, own.missing], ['http://10.0.0.5:3000', false, undefined])
    assert.equal(own.boxUrl(box, ENVD_PORT), 'https://49983-i123.cube.example')
    assert.equal(own.boxUrl({ ...box, domain: 'other.example' }, ENVD_PORT), 'https://49983-i123.other.example')
    const options = e2bConnection({
      env,
      apiKey: 'mine',
      apiUrl: 'https://api.mine',
      domain: 'mine',
      sandboxUrl: 'http://proxy.mine:8080/x/',
    })
    assert.deepEqual([options.apiKey, options.apiUrl], ['mine', 'https://api.mine'])
    assert.equal(options.boxUrl(box, INTERPRETER_PORT), 'http://proxy.mine:8080/x')
    const debug = e2bConnection({ env: { E2B_DEBUG: 'True' } })
    assert.deepEqual([debug.apiUrl, debug.boxUrl(box, ENVD_PORT)], ['http://localhost:3000', 'http://localhost:49983'])
  })

  it('is refused where it cannot be, and a key is never shown', () => {
    const secret = 'e2b_very\nsecret'
    assert.throws(
      () => e2bConnection({ apiKey: secret }),
      (error) => refused(/apiKey/)(error) && error instanceof Error && !error.message.includes('very'),
    )
    assert.throws(() => e2bConnection({ apiUrl: 'ftp://x' }), refused(/apiUrl.*http/))
    assert.throws(() => e2bConnection({ apiUrl: 'not an address' }), refused(/apiUrl/))
    assert.throws(
      () => e2bConnection({ sandboxUrl: 'https://name:hunter2@x' }),
      (error) => refused(/password/)(error) && error instanceof Error && !error.message.includes('hunter2'),
    )
    assert.throws(() => e2bConnection({ domain: 'a/b@c' }), refused(/domain/))
    assert.throws(() => e2bConnection({ apiUrl: 'https://x/?y' }), refused(/\?/))
  })
})
