/** Owns which addresses may be connected to when nobody said more: those of the public internet that are not this machine's own. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { hostKindOf } from '../commands/http/host-kind.ts'

/** Whether this very address may be connected to. Must not throw. */
export type AddressPolicy = (address: string) => boolean

/** What is public of IPv6: forms of an IPv4 address lie outside of it, and are refused whatever they lead to. */
const globalIpv6 = new BlockList()
globalIpv6.addSubnet('2000::', 3, 'ipv6')
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return hostKindOf(address) === 'public' && !isOwn(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const inBrackets = URL.parse(`http://[${address}]/`)?.hostname ?? ''
  return hostKindOf(inBrackets) === 'public' && globalIpv6.check(address, 'ipv6') && !isOwn(address, 'ipv6')
}

/** A public address of this machine leads past its firewall to what listens here. Asked each time: interfaces come and go. */
function isOwn(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList()
  for (const entries of Object.values(networkInterfaces())) {
    for (const entry of entries ?? []) own.addAddress(entry.address, entry.family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  return own.check(address, family)
}
