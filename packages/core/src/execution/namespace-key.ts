/**
 * Owns whose a namespace is, as a word and as folder names. Tenants and users are free text of whoever signs people in; no two of them ever
 * become the same folder, also where the file system takes `A` for `a` or one form of `é` for the other.
 */
import { hash } from 'node:crypto'
import type { SessionId } from '../contract/ids.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../contract/principal.ts'

/** Whose sessions. */
export type NamespaceOwner = Pick<Principal, 'tenantId' | 'userId'>

/** As they are a name on every file system; no capitals, for some take them for small ones. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,39}$/

/**
 * `session:<tenant>:<user>:<id>`, each part so that no other text gives it: for keys of caches, facts and jobs.
 *
 * @example
 * ```ts
 * namespaceKey({ tenantId: 'acme', userId: 'a:b' }, sessionId('s1')) // 'session:acme:a%3Ab:s1'
 * ```
 */
export function namespaceKey(owner: NamespaceOwner, id: SessionId): string {
  return `session:${part(owner.tenantId)}:${part(owner.userId)}:${id}`
}

/** Broken text cannot be written in a URL: it is written in hex behind a sign that no URL has. */
function part(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : `~${Buffer.from(text, 'utf16le').toString('hex')}`
}

/**
 * The folders below the root that lead to a session. The person at this terminal has none in between: `<root>/<id>`. Names of tenants and
 * users hold a dot, which no session id does.
 */
export function namespaceFolders(owner: NamespaceOwner, id: SessionId): readonly string[] {
  if (owner.tenantId === LOCAL_PRINCIPAL.tenantId && owner.userId === LOCAL_PRINCIPAL.userId) return [id]
  return [`${TENANT}${folderName(owner.tenantId)}`, `${USER}${folderName(owner.userId)}`, id]
}

export const TENANT = 'tenant.'
export const USER = 'user.'

function folderName(text: string): string {
  if (PLAIN.test(text)) return text
  const readable = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 24)
  // 128 bits: whoever chooses tenants' names must not find two that meet. A dot, so that no plain name looks like it.
  return `${readable}.${hash('sha256', Buffer.from(text, 'utf16le'), 'hex').slice(0, 32)}`
}
