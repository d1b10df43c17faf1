import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
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
