/**
 * Owns the names under which things of a session leave the house: to the model, to a client, to another machine. A handle says what it names and
 * proves whose it is; who has one of another session, or guesses, gets nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { AdjutantError } from '../contract/errors.ts'

/** What a handle names, e.g. `spill`, `job`, `approval`: a handle of one kind is none of another. */
const KIND = /^[a-z][a-z0-9-]{0,31}$/
const MAX_VALUE = 512
/** 128 bits. */
const PROOF_BYTES = 16

/**
 * @param key of the namespace
 * @param value text of at most 512 UTF-16 units; it can be read from the handle
 * @returns `<kind>_<value>.<proof>` in letters, digits, `_`, `-` and one dot
 */
export function issueHandle(secret: Uint8Array, key: string, kind: string, value: string): string {
  if (!KIND.test(kind)) throw new TypeError(`not a kind of handle (small letters, digits and -): ${JSON.stringify(kind.slice(0, 40))}`)
  if (value.length === 0 || value.length > MAX_VALUE || !value.isWellFormed())
    throw new TypeError('a handle names a text of 1 to 512 characters')
  return `${kind}_${Buffer.from(value).toString('base64url')}.${proof(secret, key, kind, value).toString('base64url')}`
}

/** What it names. @throws AdjutantError NAMESPACE_ESCAPE for a handle of another session or kind, or none at all */
export function readHandle(secret: Uint8Array, key: string, kind: string, handle: string): string {
  const given = handle.length <= MAX_VALUE * 5 ? /^([a-z][a-z0-9-]{0,31})_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{22})$/.exec(handle) : null
  const value = given?.[1] === kind ? Buffer.from(given[2] ?? '', 'base64url').toString() : ''
  const said = Buffer.from(given?.[3] ?? '', 'base64url')
  const known = proof(secret, key, kind, value)
  // One spelling for each handle: base64 has several for the same bytes.
  const same = said.length === known.length && timingSafeEqual(said, known)
  if (!same || value === '' || issueHandle(secret, key, kind, value) !== handle) {
    throw new AdjutantError('NAMESPACE_ESCAPE', `${JSON.stringify(handle.slice(0, 80))} is no ${kind} of this session`)
  }
  return value
}

function proof(secret: Uint8Array, key: string, kind: string, value: string): Buffer {
  // Lengths before the parts: no two divisions of the same text are alike.
  const text = [key, kind, value].map((one) => `${Buffer.byteLength(one)}:${one}`).join('')
  return createHmac('sha256', secret).update(text).digest().subarray(0, PROOF_BYTES)
}
