import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { addressIn, addressOf, SPECIAL_RANGES, specialRangeOf } from '@adjutant/testkit'
import fc from 'fast-check'
import { isPublicAddress } from './public-address.ts'

const own = new Set(Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address)))

describe('isPublicAddress', () => {
  it('is as the registries say, within each of their ranges and outside of them', () => {
    const some = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
    fc.assert(
      fc.property(fc.constantFrom(...SPECIAL_RANGES), fc.oneof(some, fc.constantFrom(0n, -1n)), (range, offset) => {
        if (range.kind === 'inside') assert.equal(isPublicAddress(addressIn(range, offset)), false, range.name)
      }),
      { numRuns: 1_000 },
    )
    const check = (family: 4 | 6, number: bigint): void => {
      const range = specialRangeOf(family, number)
      const address = addressOf(family, number)
      if (range?.kind === 'anycast' || address === '168.63.129.16' || own.has(address)) return
      assert.equal(isPublicAddress(address), range === undefined, `${address} ${range?.name ?? ''}`)
    }
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), some, (four, six) => {
        check(4, four)
        check(6, six)
        // What is public of IPv6 is an eighth: more of it.
        check(6, (six >> 3n) | (1n << 125n))
      }),
      { numRuns: 1_000 },
    )
  })

  it('refuses what clouds keep for themselves, addresses of this machine, other forms, and what is none', () => {
    const refused = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '::ffff:8.8.8.8', 'fe80::1%lo', '2130706433', 'localhost', '']
    for (const address of [...refused, ...own]) assert.equal(isPublicAddress(address), false, address)
    for (const address of ['1.1.1.1', '2606:4700:4700::1111']) assert.equal(isPublicAddress(address), true, address)
  })
})
