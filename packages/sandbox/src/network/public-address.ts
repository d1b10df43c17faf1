/**
 * Owns which addresses are somebody else's on the public internet. All others are refused: this machine, its networks, services that hand
 * out credentials, groups, tunnels that lead to any of them. Asked about the very address that is connected to, never about a name.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Whether this address may be connected to. Must not throw. */
export type AddressPolicy = (address: string) => boolean

type Range = readonly [net: string, prefix: number]

/** What the IANA registry of special IPv4 addresses does not call globally reachable, and services of clouds that lie in public ranges. */
const REFUSED_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** Within 2000::/3, which is all that is public of IPv6: protocol assignments (Teredo among them), documentation, 6to4. */
const REFUSED_IPV6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const refused = new BlockList()
for (const [net, prefix] of REFUSED_IPV4) refused.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of REFUSED_IPV6) refused.addSubnet(net, prefix, 'ipv6')
const globalIpv6 = new BlockList()
globalIpv6.addSubnet('2000::', 3, 'ipv6')

/**
 * True for a public unicast address that is not one of this machine's own. IPv6 that carries an IPv4 address (mapped, compatible, NAT64, 6to4,
 * Teredo) is refused whatever it carries: it is outside of what is public, or a tunnel.
 *
 * @example
 * ```ts
 * isPublicAddress('1.1.1.1') // true
 * isPublicAddress('169.254.169.254') // false
 * ```
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4') && !isOwn(address)
  // A zone (`fe80::1%eth0`) belongs to link-local addresses only.
  if (!isIPv6(address) || address.includes('%')) return false
  return globalIpv6.check(address, 'ipv6') && !refused.check(address, 'ipv6') && !isOwn(address)
}

/** A public address of this machine leads past its firewall to what listens here. Asked each time: interfaces come and go. */
function isOwn(address: string): boolean {
  const own = new BlockList()
  for (const entries of Object.values(networkInterfaces())) {
    for (const entry of entries ?? []) own.addAddress(entry.address, entry.family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  return own.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
