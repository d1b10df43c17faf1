import { hash, randomBytes } from 'node:crypto'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { AdjutantError } from '../../../../contract/errors.ts'
import type { Clock } from '../../../../contract/ports.ts'
import type { OAuthSettings } from '../server-settings.ts'
import { type Credentials, keepCredentials, readCredentials } from './credentials.ts'
import { Loopback } from './loopback.ts'

/** A server wants a person to sign in. */
export interface SignInRequest {
  /** The name of the server in the configuration. */
  readonly server: string
  /** What the person is to open in a browser. It carries no secret. */
  readonly url: string
}

/** Shows the address to a person; what comes of it comes back by itself. @throws when nobody is there */
export type ShowSignIn = (request: SignInRequest) => void | Promise<void>

export interface SignInOptions {
  readonly server: string
  readonly settings: OAuthSettings
  /** Where the credentials are kept. */
  readonly path: string
  readonly clock: Clock
  /** Absent: nobody is there to sign in. */
  readonly show?: ShowSignIn | undefined
}

/** So long a person is waited for. */
const WAIT_MS = 5 * 60_000
/** Sign-ins begun at once; only one of them is gone through with. */
const MAX_VERIFIERS = 100
const TERMINAL_HINT =
  'Run "adjutant tools list" in a terminal: it shows the address to sign in at. Or give the server "headers" with an Authorization.'

interface Flow {
  readonly state: string
  readonly url: URL
  readonly verifier: string
}

/**
 * Owns who this client is at one remote server: its registration, its tokens (in a file that only this user can read), and the one
 * sign-in that may be under way. Authorization code with PKCE; the browser comes back to a loopback address that is open only
 * meanwhile. Several requests that want it at the same time wait for the same sign-in.
 */
export class SignIn implements OAuthClientProvider {
  readonly clientMetadataUrl?: string
  readonly #options: SignInOptions
  #kept: Credentials
  #loopback: Promise<Loopback> | undefined
  #redirectUrl: string | undefined
  /** By their challenges: of several sign-ins that were begun at once, the one the person gets keeps its own. */
  readonly #verifiers = new Map<string, string>()
  #flow: Flow | undefined
  #discovery: OAuthDiscoveryState | undefined
  #finishing: Promise<void> | undefined

  private constructor(options: SignInOptions, kept: Credentials) {
    this.#options = options
    this.#kept = kept
    if (options.settings.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.settings.clientMetadataUrl
    this.#redirectUrl = kept.port === undefined ? undefined : `http://127.0.0.1:${kept.port}/callback`
  }

  static async open(options: SignInOptions): Promise<SignIn> {
    return new SignIn(options, await readCredentials(options.path))
  }

  /**
   * To be called before a refusal of the server is looked at: makes ready what a sign-in needs.
   * @throws AdjutantError MCP_SERVER_UNAVAILABLE when there is nobody to sign in, and nothing from an earlier time to do it with
   */
  async prepare(): Promise<void> {
    const { show, settings } = this.#options
    if (show === undefined) {
      if (this.#kept.tokens?.refresh_token === undefined) throw this.#nobody()
      this.#redirectUrl ??= 'http://127.0.0.1/callback'
      return
    }
    this.#loopback ??= Loopback.open(settings.port ?? this.#kept.port, settings.port !== undefined)
    const { port, url } = await this.#loopback
    this.#redirectUrl = url
    if (port === this.#kept.port) return
    // Registered with another address: whoever compares them refuses this one.
    const { client: _, ...rest } = this.#kept
    await this.#keep({ ...rest, port })
  }

  /** Waits for the person and trades in what the browser brings back. @throws AdjutantError when that comes to nothing */
  finish(trade: (answer: URLSearchParams) => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#finishing ??= this.#finish(trade, signal).finally(() => {
      this.#finishing = undefined
      this.#flow = undefined
    })
    return this.#finishing
  }

  /** Closes the loopback address. */
  async close(): Promise<void> {
    const loopback = this.#loopback
    this.#loopback = undefined
    await (await loopback?.catch(() => undefined))?.[Symbol.asyncDispose]()
  }

  async #finish(trade: (answer: URLSearchParams) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { server, clock, show } = this.#options
    const flow = this.#flow
    const loopback = await this.#loopback
    if (flow === undefined || loopback === undefined || show === undefined) throw this.#nobody()
    const late = new AbortController()
    const takeBack = clock.after(WAIT_MS, () => late.abort(this.#failed('nobody signed in within 5 minutes')))
    try {
      const answered = loopback.answer(flow.state, AbortSignal.any([signal, late.signal]))
      answered.catch(() => {})
      await show({ server, url: flow.url.href })
      await trade(await answered)
    } catch (error) {
      if (AdjutantError.isInstance(error)) throw error
      throw this.#failed(error instanceof Error ? error.message.slice(0, 500) : String(error), error)
    } finally {
      takeBack()
      await this.close()
    }
  }

  // What the client asks of its provider.

  get redirectUrl(): string {
    return this.#redirectUrl ?? 'http://127.0.0.1/callback'
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.#options.settings
    return {
      client_name: 'Adjutant',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scope === undefined ? {} : { scope }),
    }
  }

  state(): string {
    return randomBytes(24).toString('base64url')
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#options.settings
    if (clientId === undefined) return this.#kept.client
    // The stamp of the authorisation server is kept, so that the secret is shown to no other one.
    const issuer = this.#kept.client?.client_id === clientId ? this.#kept.client.issuer : undefined
    return {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      ...(issuer === undefined ? {} : { issuer }),
    }
  }

  saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    const { clientId } = this.#options.settings
    if (clientId === undefined) return this.#keep({ ...this.#kept, client })
    return this.#keep({ ...this.#kept, client: { client_id: clientId, ...(client.issuer === undefined ? {} : { issuer: client.issuer }) } })
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#kept.tokens
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.#keep({ ...this.#kept, tokens })
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifiers.set(hash('sha256', verifier, 'base64url'), verifier)
    const [oldest] = this.#verifiers.keys()
    if (oldest !== undefined && this.#verifiers.size > MAX_VERIFIERS) this.#verifiers.delete(oldest)
  }

  codeVerifier(): string {
    return this.#flow?.verifier ?? ''
  }

  /** The first address of a sign-in is the one the person gets; who else wants one meanwhile waits for it. */
  redirectToAuthorization(url: URL): void {
    if (this.#options.show === undefined) throw this.#nobody()
    if (!/^https?:$/.test(url.protocol)) throw this.#failed('its sign-in address is neither http nor https')
    const { state = '', code_challenge: challenge = '' } = Object.fromEntries(url.searchParams)
    this.#flow ??= { state, url, verifier: this.#verifiers.get(challenge) ?? '' }
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#flow === undefined ? undefined : this.#discovery
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { client, tokens, ...rest } = this.#kept
    if (scope === 'discovery') this.#discovery = undefined
    else if (scope === 'all') await this.#keep(rest)
    else if (scope === 'client') await this.#keep({ ...rest, ...(tokens === undefined ? {} : { tokens }) })
    else if (scope === 'tokens') await this.#keep({ ...rest, ...(client === undefined ? {} : { client }) })
  }

  async #keep(credentials: Credentials): Promise<void> {
    this.#kept = credentials
    await keepCredentials(this.#options.path, credentials)
  }

  #nobody(): AdjutantError {
    return this.#failed('it wants somebody to sign in, and nobody is here to do it')
  }

  #failed(what: string, cause?: unknown): AdjutantError {
    const message = `MCP server "${this.#options.server}" could not be signed in to: ${what}`
    return new AdjutantError('MCP_SERVER_UNAVAILABLE', message, { grade: 'final', outcome: 'not-run', hint: TERMINAL_HINT, cause })
  }
}
