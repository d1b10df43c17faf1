/** Owns how what the configuration says of notifications becomes what a store takes: certificates are files there and text here. */
import { readFile } from 'node:fs/promises'
import { AdjutantError } from '@adjutant/core'
import type { NotifySettings } from '@adjutant/store'
import type { NotifyConfig } from './config.ts'

/** Its files made absolute. */
export function absoluteNotify(entry: NotifyConfig, from: (path: string) => string): NotifyConfig {
  if ('webhook' in entry) return { ...entry, webhook: withCa(entry.webhook, from) }
  return { ...entry, email: { ...entry.email, smtp: withCa(entry.email.smtp, from) } }
}

/** Its files read. @throws AdjutantError CONFIG_INVALID naming the file that cannot be */
export async function readNotify(entries: readonly NotifyConfig[]): Promise<readonly NotifySettings[]> {
  const texts = new Map<string, string>()
  const places = entries.flatMap((entry) => ('webhook' in entry ? entry.webhook.ca : entry.email.smtp.ca) ?? [])
  for (const place of places) texts.set(place, await pem(place))
  const read = (path: string): string => texts.get(path) ?? path
  return entries.map((entry) => absoluteNotify(entry, read))
}

function withCa<T extends { readonly ca?: string }>(settings: T, from: (path: string) => string): T {
  return settings.ca === undefined ? settings : { ...settings, ca: from(settings.ca) }
}

async function pem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new AdjutantError('CONFIG_INVALID', `${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'Correct "ca" under "notify", or leave it out to trust what the system trusts.',
      cause,
    })
  }
}
