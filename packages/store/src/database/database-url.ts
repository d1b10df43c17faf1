/**
 * Owns what the address of a database may look like. Pure. A password is never part of what it says about an address.
 */
import { AdjutantError } from '@adjutant/core/contract'

export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly file: string; readonly memory: boolean; readonly shown: string }
  | { readonly kind: 'postgres'; readonly connectionString: string; readonly schema: string; readonly shown: string }

const FORMS = 'Write sqlite:/path/to/file.db, sqlite::memory:, a path that ends in .db or .sqlite, or postgres://user@host/database.'
/** What needs no quotes in SQL, so that it can be read back as it was written. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/

/**
 * @throws AdjutantError CONFIG_INVALID for anything else than the forms of docs/reference/store.md
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  if (/^postgres(ql)?:\/\//.test(url)) return postgres(url)
  if (url.startsWith('sqlite:')) return sqlite(url.slice('sqlite:'.length))
  if (/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(url)) {
    const scheme = url.slice(0, url.indexOf(':'))
    throw new AdjutantError('CONFIG_INVALID', `the store has an address of an unknown kind: ${scheme}:`, { hint: FORMS })
  }
  if (/\.(db|sqlite|sqlite3)$/.test(url)) return sqlite(url)
  throw new AdjutantError('CONFIG_INVALID', `the store's address is none: ${JSON.stringify(url.slice(0, 80))}`, { hint: FORMS })
}

function sqlite(rest: string): DatabaseAddress {
  const file = rest.startsWith('///') ? rest.slice(2) : rest
  if (file === ':memory:') return { kind: 'sqlite', file, memory: true, shown: 'sqlite::memory:' }
  if (file === '' || file.includes('\0') || file.startsWith('//')) {
    throw new AdjutantError('CONFIG_INVALID', 'the store names no file', { hint: FORMS })
  }
  return { kind: 'sqlite', file, memory: false, shown: `sqlite:${file}` }
}

function postgres(url: string): DatabaseAddress {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new AdjutantError('CONFIG_INVALID', "the store's PostgreSQL address cannot be read", {
      hint: 'Write postgres://user:password@host:5432/database; signs such as @ : / # in a password as %40 %3A %2F %23.',
    })
  }
  const schema = parsed.searchParams.get('schema') ?? 'adjutant'
  if (!SCHEMA.test(schema) || schema.startsWith('pg_')) {
    throw new AdjutantError('CONFIG_INVALID', `the store's schema is no name that can be used: ${JSON.stringify(schema.slice(0, 80))}`, {
      hint: 'Use small letters, digits and _, at most 48, not beginning with a digit or pg_.',
    })
  }
  parsed.searchParams.delete('schema')
  const place = parsed.host === '' ? (parsed.searchParams.get('host') ?? 'localhost') : parsed.host
  const shown = `postgres://${parsed.username === '' ? '' : `${parsed.username}@`}${place}${parsed.pathname}?schema=${schema}`
  return { kind: 'postgres', connectionString: parsed.href, schema, shown }
}
