/** Owns who is told of what: the shape of the settings, and their check. A target has an id of its own that says nothing of its address or its secrets. */
import { createHash } from 'node:crypto'
import { AdjutantError } from '@adjutant/core/contract'
import { Webhook } from 'standardwebhooks'
import { NOTIFICATION_TYPES, type NotificationType } from './notification.ts'

/** Signed by Standard Webhooks, https://www.standardwebhooks.com. */
export interface WebhookSettings {
  /** https; http only to one of `trustedHosts`. */
  readonly url: string
  /** Each `whsec_` and 24 to 64 bytes in base64. Every one signs: to change one, add the new one first and take the old one away once the receiver knows the new one. */
  readonly secrets: readonly string[]
  /** Hosts (`name` or `name:port`) of a network of one's own: they are reached wherever they are. Default: public addresses only. */
  readonly trustedHosts?: readonly string[]
  /** Certificates in PEM that are trusted instead of those of the system. */
  readonly ca?: string
}

export interface SmtpSettings {
  readonly host: string
  /** Default 465 with `tls: 'implicit'`, else 587. */
  readonly port?: number
  /** `starttls` (default): the connection is protected before anything is said. `implicit`: from its first byte. `off`: never. */
  readonly tls?: 'starttls' | 'implicit' | 'off'
  readonly user?: string
  readonly password?: string
  /** Certificates in PEM that are trusted instead of those of the system. */
  readonly ca?: string
}

export interface EmailSettings {
  readonly smtp: SmtpSettings
  /** One address, bare: `adjutant@example.com`. */
  readonly from: string
  readonly to: readonly string[]
}

interface TargetSettings {
  readonly on: readonly NotificationType[]
  /** What it is called in lists and messages, and by which it is found again when its address changes. Default: made of the address. */
  readonly name?: string
  /** Where people look at things: `https://adjutant.example.com` gives links to `…/approvals/ID`, `…/jobs/ID`. Default: no links. */
  readonly links?: string
}

/** `event`: told to a function of this process, by its name. */
export type NotifySettings = TargetSettings &
  ({ readonly webhook: WebhookSettings } | { readonly email: EmailSettings } | { readonly event: { readonly name: string } })

export type TargetKind = 'webhook' | 'email' | 'event'

export type NotifyTarget = TargetSettings & { readonly id: string } & (
    | { readonly kind: 'webhook'; readonly webhook: WebhookSettings }
    | { readonly kind: 'email'; readonly email: Omit<EmailSettings, 'to'> & { readonly to: string } }
    | { readonly kind: 'event'; readonly event: { readonly name: string } }
  )

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
/** Bare addresses only: no names, comments, quotes or lists, so that none says something else than it shows. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/
const SECRET_BYTES = { least: 24, most: 64 }

/** @throws AdjutantError CONFIG_INVALID naming the entry, without showing secrets */
export function checkTargets(settings: readonly NotifySettings[]): readonly NotifyTarget[] {
  const places = new Map<string, number>()
  return settings.flatMap((given, index) => {
    const targets = checkTarget(given, index)
    for (const { id } of targets) {
      const before = places.get(id)
      if (before !== undefined) {
        const said = before === index ? 'names one address twice' : `is the same target as notify[${before}]`
        throw wrong(`notify[${index}]`, said, 'Join what they are told of in one entry, or give each a name.')
      }
      places.set(id, index)
    }
    return targets
  })
}

/** Each address of an e-mail is a target of its own: that one is refused, or slow, is nothing to the others, and none sees whom else is written to. */
function checkTarget(given: NotifySettings, index: number): readonly NotifyTarget[] {
  const at = `notify[${index}]`
  const { on, name, links } = given
  if (on.length === 0) throw wrong(`${at}.on`, 'names nothing', `Name some of ${NOTIFICATION_TYPES.join(', ')}.`)
  const unknown = on.find((type) => !NOTIFICATION_TYPES.includes(type))
  if (unknown !== undefined) {
    throw wrong(`${at}.on`, `names ${JSON.stringify(String(unknown).slice(0, 60))}`, `There are ${NOTIFICATION_TYPES.join(', ')}.`)
  }
  if (name !== undefined && !NAME.test(name)) throw wrong(`${at}.name`, 'is no name', 'Use letters, digits, dot, - and _, at most 63.')
  const base = links === undefined ? undefined : checkLinks(links, `${at}.links`)
  const common = { on: [...new Set(on)], ...(name === undefined ? {} : { name }), ...(base === undefined ? {} : { links: base }) }
  if ('webhook' in given) {
    const { webhook } = given
    checkWebhook(webhook, `${at}.webhook`)
    return [{ ...common, kind: 'webhook', webhook, id: name ?? idOf('webhook', webhook.url) }]
  }
  if ('email' in given) {
    const { email } = given
    checkEmail(email, `${at}.email`)
    const { smtp, from, to } = email
    return to.map((address) => ({ ...common, kind: 'email', email: { smtp, from, to: address }, id: idOf(name ?? 'email', address) }))
  }
  const { event } = given
  if (!NAME.test(event.name)) throw wrong(`${at}.event.name`, 'is no name', 'Use letters, digits, dot, - and _, at most 63.')
  return [{ ...common, kind: 'event', event, id: name ?? `event-${event.name}` }]
}

/** Addresses of webhooks are often secrets themselves. */
function idOf(kind: string, address: string): string {
  return `${kind}-${createHash('sha256').update(address).digest('hex').slice(0, 16)}`
}

function checkLinks(links: string, at: string): string {
  const url = URL.parse(links)
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw wrong(at, 'is no address that links can begin with', 'Give an address such as https://adjutant.example.com, without ? and #.')
  }
  return url.href.replace(/\/+$/, '')
}

function checkWebhook({ url, secrets, trustedHosts = [] }: WebhookSettings, at: string): void {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw wrong(`${at}.url`, 'is no address', 'Give an address that begins with https://.')
  if (parsed.username !== '' || parsed.password !== '') {
    throw wrong(`${at}.url`, 'holds a user or a password', 'The signature says who sends it; leave them out.')
  }
  if (parsed.protocol === 'http:' && !isTrustedHost(parsed, trustedHosts)) {
    throw wrong(`${at}.url`, 'is not protected', 'Use https, or name the host in trustedHosts where it is in a network of your own.')
  }
  if (secrets.length === 0)
    throw wrong(`${at}.secrets`, 'is empty', 'Give at least one; make one with: echo "whsec_$(openssl rand -base64 32)"')
  for (const [index, secret] of secrets.entries()) checkSecret(secret, `${at}.secrets[${index}]`)
}

function checkSecret(secret: string, at: string): void {
  const encoded = secret.replace(/^whsec_/, '')
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64').length : 0
  try {
    if (bytes >= SECRET_BYTES.least && bytes <= SECRET_BYTES.most) {
      new Webhook(secret)
      return
    }
  } catch {
    // Said below: why it could not be read might hold some of it.
  }
  throw wrong(
    at,
    `is no secret of ${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes in base64`,
    'Make one with: echo "whsec_$(openssl rand -base64 32)"',
  )
}

function checkEmail({ smtp, from, to }: EmailSettings, at: string): void {
  if (smtp.host.trim() === '' || /[\s/@]/.test(smtp.host))
    throw wrong(`${at}.smtp.host`, 'is no name of a host', 'Give a name or an address.')
  const { port, user, password, tls } = smtp
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535)) {
    throw wrong(`${at}.smtp.port`, 'is no port', 'Give 1 to 65 535.')
  }
  if ((user === undefined) !== (password === undefined)) {
    throw wrong(`${at}.smtp`, 'has one of user and password', 'Give both, or none where the server asks for none.')
  }
  if (tls === 'off' && password !== undefined) {
    throw wrong(`${at}.smtp`, 'would send its password where everybody can read it', 'Use tls: starttls or implicit.')
  }
  if (to.length === 0) throw wrong(`${at}.to`, 'is empty', 'Name whom to write to.')
  for (const [index, address] of to.entries()) checkAddress(address, `${at}.to[${index}]`)
  checkAddress(from, `${at}.from`)
}

function checkAddress(address: string, at: string): void {
  if (!ADDRESS.test(address)) throw wrong(at, 'is no bare e-mail address', 'Write it as name@example.com.')
}

/** Whether whoever wrote the settings knows the host as one of its own. */
export function isTrustedHost(url: URL, trusted: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  return trusted.some((entry) => {
    const named = URL.parse(`http://${entry}`)
    if (named === null || named.hostname !== url.hostname) return false
    return named.port === '' ? !/:80$/.test(entry) || port === '80' : named.port === port
  })
}

function wrong(at: string, said: string, hint: string): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `${at} ${said}`, { hint })
}
