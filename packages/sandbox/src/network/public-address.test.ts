import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { addressIn, addressOf, SPECIAL_RANGES, specialRangeOf } from '@adjutant/testkit'
import fc from 'fast-check'
import { isPublicAddress } from './public-address.ts'

describe('isPublicAddress', () => {
  it('takes addresses of the public internet', () => {
    for (const address of [
      '1.1.1.1',
      '8.8.8.8',
      '172.15.0.1',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700:4700::1111',
      '2a00:1450:4001::200e',
    ]) {
      assert.equal(isPublicAddress(address), true, address)
    }
  })

  it('refuses everything else', () => {
    const inside = [
      '127.0.0.1 127.255.255.255 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 169.254.0.1 100.64.0.1',
      '100.100.100.200 168.63.129.16 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255',
      ':: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::8.8.8.8 64:ff9b::808:808 64:ff9b::a9fe:a9fe 64:ff9b:1::1 fe80::1 fe80::1%eth0',
      'fec0::1 fc00::1 fd00:ec2::254 ff02::1 2001::1 2001:0:53aa:64c::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe:: 3fff::1 100::1 5f00::1 2001:20::1',
    ]
    for (const address of inside.join(' ').split(' ')) assert.equal(isPublicAddress(address), false, address)
    for (const odd of ['', 'localhost', 'example.com', '1.2.3', '0x7f.1', '[2606:4700::1]', '1.1.1.1:80', ' 1.1.1.1', '2606:4700::1%1'])
      assert.equal(isPublicAddress(odd), false, odd)
  })

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

  it('refuses all addresses of this machine', () => {
    const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
    assert.ok(own.length > 0)
    for (const { address } of own) assert.equal(isPublicAddress(address), false, address)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => typeof isPublicAddress(text) === 'boolean'),
      { numRuns: 300 },
    )
  })
})

function numberOf(address: string): bigint {
  const parts = address.split(/[.:]/)
  return address.includes('.')
    ? parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n)
    : parts.reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
}
