import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { isJsonObject } from '../../../../contract/json.ts'
import { readState, writeState } from '../state-file.ts'

/** What is kept of a sign-in: who this client is there, and what it was given. */
export interface Credentials {
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
  /** The port that the client was registered with. */
  readonly port?: number
}

/** Empty when there are none, or when the file is not readable as what it should be: then the person signs in again. */
export async function readCredentials(path: string): Promise<Credentials> {
  const kept = await readState(path).catch(() => undefined)
  if (!isJsonObject(kept)) return {}
  const { client, tokens, port }: Readonly<Record<string, unknown>> = kept
  return {
    ...(isClient(client) ? { client } : {}),
    ...(isTokens(tokens) ? { tokens } : {}),
    ...(typeof port === 'number' ? { port } : {}),
  }
}

export function keepCredentials(path: string, credentials: Credentials): Promise<void> {
  return writeState(path, { version: 1, ...credentials })
}

function isClient(value: unknown): value is StoredOAuthClientInformation {
  return isJsonObject(value) && typeof value.client_id === 'string' && areTexts(value.client_secret, value.issuer)
}

function isTokens(value: unknown): value is StoredOAuthTokens {
  return (
    isJsonObject(value) &&
    typeof value.access_token === 'string' &&
    typeof value.token_type === 'string' &&
    areTexts(value.refresh_token, value.scope, value.issuer, value.id_token) &&
    (value.expires_in === undefined || typeof value.expires_in === 'number')
  )
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => value === undefined || typeof value === 'string')
}
