/**
 * Owns the list of hosts that may be reached, and what a host's name is: as the URL standard reads it, so that every way to write a name is
 * one name. Exact names, and `*.` for all names below one. Pure; never throws but for a wrong list.
 */
import { isIPv4 } from 'node:net'
import { AdjutantError } from '@adjutant/core/contract'

export interface HostTarget {
  /** Lower case ASCII without a dot at the end; an IPv6 address in brackets. */
  readonly host: string
  /** 1 … 65 535. */
  readonly port: number
}

interface HostRule {
  /** The name, or the part behind `*`, with its dot. */
  readonly name: string
  readonly below: boolean
  readonly port: number | undefined
}

/** Longer is no name of the DNS. */
const MAX_NAME = 253
const MAX_LABEL = 63
const MAX_RULES = 1_000
const DEFAULT_PORTS: ReadonlySet<number> = new Set([80, 443])
/** Signs that end or change the host when a URL is read. */
const NO_HOST = /[\s/?#@\\:%[\]<>^|\p{Cc}\p{Cf}]/u
const HOST_PORT = /^(.*?)(?::(\d{1,5}))?$/su

export class HostRules {
  readonly #exact = new Map<string, HostRule[]>()
  readonly #below: readonly HostRule[]

  /**
   * @param allow `example.com`, `*.example.com`, an address, each with `:port` or for 80 and 443
   * @throws AdjutantError CONFIG_INVALID naming the entry
   */
  constructor(allow: readonly string[]) {
    if (allow.length > MAX_RULES) throw wrong(`${allow.length} entries`, `at most ${MAX_RULES} hosts can be allowed`)
    const rules = allow.map(readRule)
    for (const rule of rules) if (!rule.below) this.#exact.set(rule.name, [...(this.#exact.get(rule.name) ?? []), rule])
    this.#below = rules.filter((rule) => rule.below)
  }

  allows(target: HostTarget): boolean {
    const opens = (rule: HostRule): boolean => (rule.port === undefined ? DEFAULT_PORTS.has(target.port) : rule.port === target.port)
    if (this.#exact.get(target.host)?.some(opens) === true) return true
    return this.#below.some((rule) => target.host.length > rule.name.length && target.host.endsWith(rule.name) && opens(rule))
  }
}

/**
 * The one way to write a host's name, or undefined where it is none.
 *
 * @example
 * ```ts
 * canonicalHost('EXAMPLE.com.') // 'example.com'
 * canonicalHost('0x7f.1') // '127.0.0.1'
 * canonicalHost('user@example.com') // undefined
 * ```
 */
export function canonicalHost(text: string): string | undefined {
  if (text.length === 0 || text.length > 4 * MAX_NAME) return undefined
  const bracketed = text.startsWith('[') && text.endsWith(']')
  if (NO_HOST.test(bracketed ? text.slice(1, -1).replaceAll(':', '') : text)) return undefined
  const url = `http://${text}/`
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  if (bracketed) return hostname
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (name.length === 0 || name.length > MAX_NAME) return undefined
  return name.split('.').every((label) => label.length > 0 && label.length <= MAX_LABEL) ? name : undefined
}

/** `host:port` as it stands in CONNECT; the port is needed. Undefined where it is none. */
export function readAuthority(text: string): HostTarget | undefined {
  const [, name = '', digits] = HOST_PORT.exec(text) ?? []
  const host = canonicalHost(name)
  const port = readPort(digits)
  return host === undefined || port === undefined ? undefined : { host, port }
}

/** What a person reads, and what is written into `Host`. */
export function writeTarget(target: HostTarget, scheme?: 'http'): string {
  return scheme === 'http' && target.port === 80 ? target.host : `${target.host}:${target.port}`
}

/** The host is an address, not a name. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || isIPv4(host)
}

function readRule(entry: string): HostRule {
  const [, name = '', digits] = HOST_PORT.exec(entry.trim()) ?? []
  const port = readPort(digits)
  if (digits !== undefined && port === undefined) throw wrong(entry, 'its port is none')
  const below = name.startsWith('*.')
  const host = canonicalHost(below ? name.slice(2) : name)
  if (host === undefined || host.includes('*')) throw wrong(entry, 'it is no host')
  if (!below) return { name: host, below, port }
  if (isAddress(host)) throw wrong(entry, 'there is nothing below an address')
  // `*.com` is everybody who buys a name.
  if (!host.includes('.')) throw wrong(entry, 'it allows every name below a top-level domain')
  return { name: `.${host}`, below, port }
}

function readPort(digits: string | undefined): number | undefined {
  const port = Number(digits)
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined
}

function wrong(entry: string, why: string): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `the network allow-list: ${JSON.stringify(entry.slice(0, 200))}: ${why}`, {
    hint: 'Write hosts as example.com, *.example.com or example.com:8443, without a scheme or a path.',
  })
}
