/**
 * Owns which addresses are not on the public internet, as a table that every part which connects is held to, and arithmetic on addresses that
 * shares nothing with theirs. The IANA IPv4 and IPv6 special-purpose address registries, the multicast registries, and what of IPv6 nobody was
 * given; `anycast` are those entries that the registries call globally reachable: whoever connects may take them or leave them.
 */

export interface SpecialRange {
  readonly family: 4 | 6
  readonly net: string
  readonly prefix: number
  readonly name: string
  /** `inside`: must be refused. `anycast`: may be. */
  readonly kind: 'inside' | 'anycast'
}

const inside = (family: 4 | 6, net: string, prefix: number, name: string): SpecialRange => ({ family, net, prefix, name, kind: 'inside' })
const anycast = (family: 4 | 6, net: string, prefix: number, name: string): SpecialRange => ({ family, net, prefix, name, kind: 'anycast' })

export const SPECIAL_RANGES: readonly SpecialRange[] = [
  inside(4, '0.0.0.0', 8, 'this network'),
  inside(4, '10.0.0.0', 8, 'private use'),
  inside(4, '100.64.0.0', 10, 'shared address space'),
  inside(4, '127.0.0.0', 8, 'loopback'),
  inside(4, '169.254.0.0', 16, 'link-local'),
  inside(4, '172.16.0.0', 12, 'private use'),
  inside(4, '192.0.0.0', 24, 'protocol assignments'),
  inside(4, '192.0.2.0', 24, 'documentation'),
  anycast(4, '192.31.196.0', 24, 'AS112'),
  anycast(4, '192.52.193.0', 24, 'AMT relays'),
  inside(4, '192.88.99.0', 24, '6to4 relays'),
  inside(4, '192.168.0.0', 16, 'private use'),
  anycast(4, '192.175.48.0', 24, 'AS112'),
  inside(4, '198.18.0.0', 15, 'benchmarking'),
  inside(4, '198.51.100.0', 24, 'documentation'),
  inside(4, '203.0.113.0', 24, 'documentation'),
  inside(4, '224.0.0.0', 4, 'multicast'),
  inside(4, '240.0.0.0', 4, 'reserved, and broadcast'),
  inside(6, '::', 8, 'unspecified, loopback, IPv4 in several forms, translation'),
  inside(6, '100::', 8, 'discard, dummy'),
  inside(6, '200::', 7, 'nobody was given'),
  inside(6, '400::', 6, 'nobody was given'),
  inside(6, '800::', 5, 'nobody was given'),
  inside(6, '1000::', 4, 'nobody was given'),
  inside(6, '2001::', 32, 'Teredo'),
  inside(6, '2001::', 23, 'protocol assignments'),
  inside(6, '2001:db8::', 32, 'documentation'),
  inside(6, '2002::', 16, '6to4'),
  anycast(6, '2620:4f:8000::', 48, 'AS112'),
  inside(6, '3fff::', 20, 'documentation'),
  inside(6, '4000::', 2, 'nobody was given; segment routing'),
  inside(6, '8000::', 2, 'nobody was given'),
  inside(6, 'c000::', 3, 'nobody was given'),
  inside(6, 'e000::', 4, 'nobody was given'),
  inside(6, 'f000::', 5, 'nobody was given'),
  inside(6, 'f800::', 6, 'nobody was given'),
  inside(6, 'fc00::', 7, 'unique local'),
  inside(6, 'fe00::', 9, 'nobody was given'),
  inside(6, 'fe80::', 10, 'link-local'),
  inside(6, 'fec0::', 10, 'site-local'),
  inside(6, 'ff00::', 8, 'multicast'),
]

/** The address with this number, in its plain form. */
export function addressOf(family: 4 | 6, number: bigint): string {
  const bits = family === 4 ? 8 : 16
  const count = family === 4 ? 4 : 8
  const parts = Array.from({ length: count }, (_, index) =>
    Number((number >> BigInt((count - 1 - index) * bits)) & BigInt((1 << bits) - 1)),
  )
  return family === 4 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':')
}

/** One address of the range: the first with `offset` 0, round and round beyond the last. */
export function addressIn(range: SpecialRange, offset: bigint): string {
  const free = BigInt((range.family === 4 ? 32 : 128) - range.prefix)
  return addressOf(range.family, numberOf(range.family, range.net) + (offset & ((1n << free) - 1n)))
}

/** The narrowest range that an address is in; undefined for one of the public internet. */
export function specialRangeOf(family: 4 | 6, number: bigint): SpecialRange | undefined {
  return SPECIAL_RANGES.filter((range) => {
    const free = BigInt((family === 4 ? 32 : 128) - range.prefix)
    return range.family === family && number >> free === numberOf(family, range.net) >> free
  }).toSorted((a, b) => b.prefix - a.prefix)[0]
}

/** Of the nets above only: those of IPv6 end with `::`. */
function numberOf(family: 4 | 6, net: string): bigint {
  if (family === 4) return net.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const groups = net
    .replace(/::$/, '')
    .split(':')
    .filter((group) => group !== '')
  return Array.from({ length: 8 }, (_, index) => groups[index] ?? '0').reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}
