import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { isPublicAddress as boxMayReach } from '@adjutant/sandbox'
import { addressIn, addressOf, SPECIAL_RANGES, specialRangeOf } from '@adjutant/testkit'
import fc from 'fast-check'
import { hostKindOf } from '../commands/http/host-kind.ts'
import { isPublicAddress } from './public-address.ts'

const kindOf = (address: string): string => hostKindOf(address.includes(':') ? `[${address}]` : address)
/** Forms of an IPv4 address: what they lead to is what that is. */
const CARRIES = /^(?:0:0:0:0:0:(?:ffff|0)|0:0:0:0:ffff:0|64:ff9b:0:0:0:0):/

describe('isPublicAddress', () => {
  it('is as the registries say for every address: all of their ranges, their first and last ones, and any other', () => {
    const some = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
    fc.assert(
      fc.property(fc.constantFrom(...SPECIAL_RANGES), fc.oneof(some, fc.constantFrom(0n, -1n)), (range, offset) => {
        if (range.kind === 'inside') assert.equal(isPublicAddress(addressIn(range, offset)), false, range.name)
      }),
      { numRuns: 2_000 },
    )
    const own = new Set(Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address)))
    const check = (family: 4 | 6, number: bigint): void => {
      const range = specialRangeOf(family, number)
      const address = addressOf(family, number)
      if (range?.kind === 'anycast' || address === '168.63.129.16' || own.has(address)) return
      assert.equal(isPublicAddress(address), range === undefined, `${address} ${range?.name ?? ''}`)
    }
    // The neighbours of each range.
    for (const range of SPECIAL_RANGES) {
      const size = 1n << BigInt((range.family === 4 ? 32 : 128) - range.prefix)
      const first = numberOf(addressIn(range, 0n))
      for (const number of [first - 1n, first, first + size - 1n, first + size]) {
        if (number >= 0n && number < 1n << BigInt(range.family === 4 ? 32 : 128)) check(range.family, number)
      }
    }
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), some, fc.constantFrom(0n, 1n, 2n), (four, six, top) => {
        check(4, four)
        check(6, six)
        // What is public of IPv6 is an eighth: more of it.
        check(6, (six >> 3n) | (1n << 125n))
        check(6, (((0x2001n << 16n) | (six >> 112n)) << 96n) | (top << 80n))
      }),
      { numRuns: 2_000 },
    )
  })

  it('says the same as what boxes may reach', () => {
    const some = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
    fc.assert(
      fc.property(fc.constantFrom(...SPECIAL_RANGES), some, (range, number) => {
        for (const address of [
          addressIn(range, number),
          addressOf(6, number),
          addressOf(6, (number >> 3n) | (1n << 125n)),
          addressOf(4, number >> 96n),
        ])
          assert.equal(isPublicAddress(address), boxMayReach(address), address)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('hostKindOf', () => {
  it('calls no address public that is not on the public internet, whatever way leads into it', () => {
    const some = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
    fc.assert(
      fc.property(
        fc.constantFrom(...SPECIAL_RANGES),
        fc.oneof(some, fc.constantFrom(0n, -1n), fc.bigInt({ min: 0n, max: (1n << 40n) - 1n })),
        (range, offset) => {
          const address = addressIn(range, offset)
          if (range.kind === 'inside' && !CARRIES.test(address)) assert.notEqual(kindOf(address), 'public', address)
        },
      ),
      { numRuns: 3_000 },
    )
    // The tunnels and translations, each with an address inside and one outside.
    for (const [hidden, kind] of [
      ['7f00:1', 'loopback'],
      ['a9fe:a9fe', 'metadata'],
      ['a00:1', 'private'],
      ['e000:1', 'reserved'],
    ] as const) {
      const [high = '', low = ''] = hidden.split(':')
      const turned = [high, low].map((group) => (Number.parseInt(group, 16) ^ 0xffff).toString(16)).join(':')
      for (const address of [
        `::ffff:${hidden}`,
        `::${hidden}`,
        `64:ff9b::${hidden}`,
        `2002:${hidden}::`,
        `2001:0:0808:808:0:0:${turned}`,
        `64:ff9b:1::${hidden}`,
      ])
        assert.equal(kindOf(new URL(`http://[${address}]`).hostname.slice(1, -1)), kind, address)
    }
    for (const address of [
      '2001:0:808:808::f7f7:f7f7',
      '2002:808:808::',
      '64:ff9b:1::808:808',
      '2001:2::1',
      '3fff::1',
      '5f00::1',
      '4000::1',
      '100:0:0:1::1',
    ])
      assert.notEqual(kindOf(address), 'public', address)
    for (const address of ['::ffff:808:808', '64:ff9b::808:808', '2606:4700::1111', '8.8.8.8'])
      assert.equal(kindOf(address), 'public', address)
  })

  it('calls every other address public, but those of clouds that hand out credentials', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), fc.bigInt({ min: 0n, max: (1n << 125n) - 1n }), (four, six) => {
        const eighth = six | (1n << 125n)
        if (specialRangeOf(4, four) === undefined) assert.match(kindOf(addressOf(4, four)), /^(?:public|metadata)$/)
        if (specialRangeOf(6, eighth) === undefined) assert.equal(kindOf(addressOf(6, eighth)), 'public', addressOf(6, eighth))
      }),
      { numRuns: 2_000 },
    )
  })
})

function numberOf(address: string): bigint {
  const parts = address.split(/[.:]/)
  return address.includes('.')
    ? parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n)
    : parts.reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
}
