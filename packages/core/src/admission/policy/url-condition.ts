import { BlockList, isIP } from 'node:net'
import type { Answer, ValueTest } from './answer.ts'

/**
 * Owns which host a URL leads to. Read by the WHATWG URL Standard, as fetch and browsers do: case, punycode, odd IPv4 notations and
 * full-width letters become one form. What other readers take for another host (user names before `@`, backslashes, control characters,
 * blanks) has no answer.
 */

/** One kind of thing that a URL must have. */
export interface UrlCondition {
  readonly hosts?: readonly string[] | undefined
  readonly schemes?: readonly string[] | undefined
  readonly ports?: readonly number[] | undefined
}

const MAX_URL = 32_768
const PRIVATE_WORD = '@private'

/** Addresses that mean this machine or a network behind it: RFC 1918, 6890, 4193, and the link-local ones of cloud metadata services. */
const PRIVATE = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6')
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

export function urlTest({ hosts, schemes, ports }: UrlCondition): ValueTest {
  const fitsHost = hosts === undefined ? undefined : compileHosts(hosts)
  const knownSchemes = schemes === undefined ? undefined : new Set(schemes.map((scheme) => scheme.toLowerCase().replace(/:(?:\/\/)?$/, '')))
  const knownPorts = ports === undefined ? undefined : new Set(ports)
  return (value): Answer => {
    const found = typeof value === 'string' ? readUrl(value) : undefined
    if (found === undefined) return undefined
    if (fitsHost !== undefined && !fitsHost(found.host)) return false
    if (knownSchemes !== undefined) {
      if (found.scheme === undefined) return undefined
      if (!knownSchemes.has(found.scheme)) return false
    }
    if (knownPorts !== undefined) {
      if (found.port === undefined) return undefined
      if (!knownPorts.has(found.port)) return false
    }
    return true
  }
}

interface ReadUrl {
  readonly host: string
  /** Undefined where the text is a host alone. */
  readonly scheme: string | undefined
  readonly port: number | undefined
}

const USUAL_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443, 'ftp:': 21 }
const CONFUSING = /[\u0000-\u0020\u007f\\]/

/** @returns undefined where readers of URLs do not agree, or there is no host */
export function readUrl(text: string): ReadUrl | undefined {
  if (text.length > MAX_URL || CONFUSING.test(text)) return undefined
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  // A text without a scheme may be a host, with a port or a path behind it; whoever calls puts a scheme before it.
  if (!hasScheme && /^[^/?#]*:(?!\d+(?:[/?#]|$))/.test(text) && !text.startsWith('[')) return undefined
  if (!hasScheme && text.startsWith('/')) return undefined
  const url = URL.parse(hasScheme ? text : `https://${text}`)
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return undefined
  if (authorityOf(hasScheme ? text.slice(text.indexOf('://') + 3) : text).includes('@')) return undefined
  if (!Object.hasOwn(USUAL_PORTS, url.protocol)) return undefined
  const host = canonicalHost(url.hostname)
  // Resolvers do not agree on empty names between dots.
  if (host === '' || host.startsWith('.') || host.endsWith('.') || host.includes('..')) return undefined
  return {
    host,
    scheme: hasScheme ? url.protocol.slice(0, -1) : undefined,
    port: url.port !== '' ? Number(url.port) : hasScheme ? USUAL_PORTS[url.protocol] : undefined,
  }
}

function authorityOf(rest: string): string {
  return /^[^/?#]*/.exec(rest)?.[0] ?? ''
}

/** Without the dot of the root, IPv6 without brackets, an IPv4 address written as IPv6 as the IPv4 address. */
function canonicalHost(hostname: string): string {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (!name.startsWith('[')) return name
  const address = name.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (mapped === null) return address
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** The canonical form of a host pattern; undefined: it is none. */
function patternOf(pattern: string): { readonly below: boolean; readonly host: string } | undefined {
  const below = pattern.startsWith('*.')
  const name = below ? pattern.slice(2) : pattern
  const bare = isIP(name) === 6 ? `[${name}]` : name
  if (/[*/?#@:\s\\]/.test(isIP(name) === 6 || name.startsWith('[') ? '' : name)) return undefined
  const url = URL.parse(`https://${bare}`)
  return url === null || url.hostname === '' ? undefined : { below, host: canonicalHost(url.hostname) }
}

/** What is wrong with a pattern; undefined: nothing. */
export function hostPatternProblem(pattern: string): string | undefined {
  if (pattern === '*' || pattern === PRIVATE_WORD || patternOf(pattern) !== undefined) return undefined
  return `is no host; write example.com, *.example.com, an address, *, or ${PRIVATE_WORD}, without scheme, port and path`
}

function compileHosts(patterns: readonly string[]): (host: string) => boolean {
  const exact = new Set<string>()
  const below: string[] = []
  for (const pattern of patterns) {
    const known = patternOf(pattern)
    if (known === undefined) continue
    if (known.below) below.push(`.${known.host}`)
    else exact.add(known.host)
  }
  const all = patterns.includes('*')
  const inner = patterns.includes(PRIVATE_WORD)
  return (host) => all || exact.has(host) || below.some((end) => host.endsWith(end)) || (inner && isPrivate(host))
}

function isPrivate(host: string): boolean {
  const family = isIP(host)
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6')
  // A name without a dot is looked up in the networks nearby.
  return !host.includes('.') || PRIVATE_NAMES.test(host)
}
