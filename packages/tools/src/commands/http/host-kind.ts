/**
 * Owns what kind of host a URL leads to, by its canonical name: hosts that only this machine or this network reaches are what a planted
 * address aims at. Names are not resolved: a public name can still lead inside, so whoever connects has to look at the address as well.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

export type HostKind = 'public' | 'loopback' | 'link-local' | 'metadata' | 'private' | 'reserved'

/** Services that hand out credentials of the machine. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254', // most clouds
  '169.254.170.2', // tasks of Amazon ECS
  '169.254.170.23', // pods of Amazon EKS
  '100.100.100.200', // Alibaba Cloud
  '192.0.0.192', // Oracle Cloud
  '168.63.129.16', // Azure
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
])
const METADATA_NAMES =
  /^(?:metadata|metadata\.google\.internal|metadata\.goog|instance-data(?:\.ec2\.internal)?|metadata\.(?:azure|oraclecloud|tencentyun|packet)\..{1,60})$/
const PRIVATE_NAMES = /(?:^|\.)(?:local|internal|intranet|lan|home|corp|private|home\.arpa|localdomain|svc|onion|test|invalid)$/
/** Public names that lead to the address in them, or to this machine. */
const MIRROR_NAMES =
  /(?:^|\.)(?:nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|traefik\.me|1u\.ms|rbndr\.us|readme\.localtest\.me)$/

/** Each in the order in which it is asked. IANA special-purpose registries, RFC 6890 and its successors. */
const RANGES: readonly (readonly [HostKind, readonly (readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6'])[]])[] = [
  [
    'loopback',
    [
      ['127.0.0.0', 8, 'ipv4'],
      ['0.0.0.0', 8, 'ipv4'],
      ['::1', 128, 'ipv6'],
      ['::', 128, 'ipv6'],
    ],
  ],
  [
    'link-local',
    [
      ['169.254.0.0', 16, 'ipv4'],
      ['fe80::', 10, 'ipv6'],
    ],
  ],
  [
    'private',
    [
      ['10.0.0.0', 8, 'ipv4'],
      ['172.16.0.0', 12, 'ipv4'],
      ['192.168.0.0', 16, 'ipv4'],
      ['100.64.0.0', 10, 'ipv4'],
      ['fc00::', 7, 'ipv6'],
      ['fec0::', 10, 'ipv6'],
    ],
  ],
  [
    'reserved',
    [
      ['192.0.0.0', 24, 'ipv4'],
      ['192.0.2.0', 24, 'ipv4'],
      ['192.88.99.0', 24, 'ipv4'],
      ['198.18.0.0', 15, 'ipv4'],
      ['198.51.100.0', 24, 'ipv4'],
      ['203.0.113.0', 24, 'ipv4'],
      ['224.0.0.0', 4, 'ipv4'],
      ['240.0.0.0', 4, 'ipv4'],
      // Teredo and other protocols, documentation, 6to4. What lies outside of 2000::/3 nobody was given.
      ['2001::', 23, 'ipv6'],
      ['2001:db8::', 32, 'ipv6'],
      ['2002::', 16, 'ipv6'],
      ['3fff::', 20, 'ipv6'],
    ],
  ],
]

const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

const LISTS: readonly (readonly [HostKind, BlockList])[] = RANGES.map(([kind, ranges]) => {
  const list = new BlockList()
  for (const [net, prefix, family] of ranges) list.addSubnet(net, prefix, family)
  return [kind, list]
})

/** @param hostname as `URL` gives it: lower case, every notation of an IPv4 address made into four decimal numbers */
export function hostKindOf(hostname: string): HostKind {
  const name = hostname.replace(/\.$/, '').toLowerCase()
  if (name.startsWith('[')) return kindOfIpv6(name.slice(1, -1))
  if (isIPv4(name)) return kindOfAddress(name, 'ipv4')
  if (METADATA_NAMES.test(name)) return 'metadata'
  if (name === 'localhost' || name.endsWith('.localhost') || name === 'ip6-localhost' || name === 'ip6-loopback') return 'loopback'
  // A name of one word is looked up in the own network first.
  if (!name.includes('.') || PRIVATE_NAMES.test(name) || MIRROR_NAMES.test(name)) return 'private'
  return 'public'
}

function kindOfIpv6(address: string): HostKind {
  if (!isIPv6(address)) return 'reserved'
  const carried = ipv4Within(address)
  if (carried === undefined) return kindOfAddress(address, 'ipv6')
  const kind = kindOfAddress(carried.address, 'ipv4')
  // A tunnel to a public address is still one that somebody here, or anybody, ends.
  return kind === 'public' ? carried.otherwise : kind
}

function kindOfAddress(address: string, family: 'ipv4' | 'ipv6'): HostKind {
  if (METADATA_ADDRESSES.has(address)) return 'metadata'
  for (const [kind, list] of LISTS) if (list.check(address, family)) return kind
  return family === 'ipv4' || GLOBAL_IPV6.check(address, 'ipv6') ? 'public' : 'reserved'
}

interface Carried {
  readonly address: string
  /** The kind, where the carried address is public. */
  readonly otherwise: HostKind
}

/** The IPv4 address in a mapped, compatible, translated (of the public prefix or of a network's own), 6to4 or Teredo address. */
function ipv4Within(address: string): Carried | undefined {
  const groups = groupsOf(address)
  const zeros = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0)
  const last: Carried = { address: dotted(groups[6], groups[7]), otherwise: 'public' }
  if (zeros(0, 5) && groups[5] === 0xffff) return last
  if (zeros(0, 4) && groups[4] === 0xffff && groups[5] === 0) return last
  if (zeros(0, 6) && (groups[6] !== 0 || (groups[7] ?? 0) > 1)) return last
  if (groups[0] === 0x64 && groups[1] === 0xff9b)
    return zeros(2, 6) ? last : { ...last, otherwise: groups[2] === 1 ? 'private' : 'reserved' }
  if (groups[0] === 0x2002) return { address: dotted(groups[1], groups[2]), otherwise: 'reserved' }
  // Every bit of it turned.
  if (groups[0] === 0x2001 && groups[1] === 0)
    return { address: dotted((groups[6] ?? 0) ^ 0xffff, (groups[7] ?? 0) ^ 0xffff), otherwise: 'reserved' }
  return undefined
}

/** `URL` writes IPv6 addresses with hexadecimal groups only. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::')
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const first = groups(head)
  const last = tail === undefined ? [] : groups(tail)
  return [...first, ...Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last]
}

function dotted(high = 0, low = 0): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}
