/**
 * Owns which addresses are somebody else's on the public internet: the only ones that a webhook is sent to when nobody said more. Asked about the very
 * address that is connected to, never about a name.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** What the IANA registry of special IPv4 addresses does not call globally reachable, and services of clouds that lie in public ranges. */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]
/** Within 2000::/3, which is all that is public of IPv6: protocol assignments (Teredo among them), documentation, 6to4. */
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const refused = new BlockList()
const globalIpv6 = new BlockList()
for (const range of REFUSED_IPV4) addRange(refused, range, 'ipv4')
for (const range of REFUSED_IPV6) addRange(refused, range, 'ipv6')
addRange(globalIpv6, '2000::/3', 'ipv6')

function addRange(list: BlockList, range: string, family: 'ipv4' | 'ipv6'): void {
  const [net = '', prefix] = range.split('/')
  list.addSubnet(net, Number(prefix), family)
}

/**
 * True for a public unicast address that is not one of this machine's own. IPv6 that carries an IPv4 address is refused whatever it carries. Never throws.
 *
 * @example
 * ```ts
 * isPublicAddress('1.1.1.1') // true
 * isPublicAddress('169.254.169.254') // false
 * ```
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4') && !isOwn(address, 'ipv4')
  // A zone (`fe80::1%eth0`) belongs to link-local addresses only.
  if (!isIPv6(address) || address.includes('%')) return false
  return globalIpv6.check(address, 'ipv6') && !refused.check(address, 'ipv6') && !isOwn(address, 'ipv6')
}

/** A public address of this machine leads past its firewall to what listens here. Asked each time: interfaces come and go. */
function isOwn(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList()
  for (const entries of Object.values(networkInterfaces())) {
    for (const entry of entries ?? []) own.addAddress(entry.address, entry.family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  return own.check(address, family)
}
