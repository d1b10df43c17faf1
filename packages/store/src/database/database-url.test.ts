import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import fc from 'fast-check'
import { parseDatabaseUrl } from './database-url.ts'

describe('parseDatabaseUrl', () => {
  it('reads every form of an address', () => {
    assert.deepEqual(parseDatabaseUrl('sqlite::memory:'), { kind: 'sqlite', file: ':memory:', memory: true, shown: 'sqlite::memory:' })
    for (const [url, file] of [
      ['sqlite:/var/x.db', '/var/x.db'],
      ['sqlite:///var/x', '/var/x'],
      ['sqlite:rel/x', 'rel/x'],
      ['./x.sqlite', './x.sqlite'],
      ['/a b/ü.db', '/a b/ü.db'],
    ] as const) {
      assert.deepEqual(parseDatabaseUrl(url), { kind: 'sqlite', file, memory: false, shown: `sqlite:${file}` })
    }
    const address = parseDatabaseUrl('postgresql://me:s%40cret@db:5433/app?sslmode=require&schema=team_1')
    assert.ok(address.kind === 'postgres')
    assert.equal(address.schema, 'team_1')
    assert.equal(address.connectionString, 'postgresql://me:s%40cret@db:5433/app?sslmode=require')
    assert.equal(address.shown, 'postgres://me@db:5433/app?schema=team_1')
    const other = parseDatabaseUrl('postgres:///app?host=/run/postgresql')
    assert.ok(other.kind === 'postgres' && other.schema === 'adjutant' && other.shown.includes('/run/postgresql'))
  })

  it('refuses everything else with the forms that there are, and never says a password', () => {
    for (const url of [
      '',
      'x',
      'sqlite:',
      'sqlite://host/x',
      'sqlite:a\0b',
      'mysql://me:s3cret@h/x',
      'postgres://me:s3cret@h:port/x',
      'postgres://me:s3cret@h/x?schema=Big',
      'postgres://me:s3cret@h/x?schema=pg_x',
      `postgres://me:s3cret@h/x?schema=${'x'.repeat(49)}`,
      'postgres://me:s3cret@h/x?schema=a"; drop',
    ]) {
      assert.throws(
        () => parseDatabaseUrl(url),
        (error: unknown) =>
          AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && error.hint !== '' && !error.message.includes('s3cret'),
        url,
      )
    }
  })

  it('throws nothing else, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `postgres://${rest}`),
          fc.string().map((rest) => `sqlite:${rest}`),
        ),
        (url) => {
          try {
            parseDatabaseUrl(url)
          } catch (error) {
            assert.ok(AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID')
          }
        },
      ),
    )
  })
})
