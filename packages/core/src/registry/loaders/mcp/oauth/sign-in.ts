import { randomBytes } from 'node:crypto'
import {
  auth,
  computeScopeUnion,
  type FetchLike,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
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
const TERMINAL_HINT =
  'Run "adjutant tools list" in a terminal: it shows the address to sign in at. Or give the server "headers" with an Authorization.'

/** An authorisation server that does not answer is not waited for longer. */
const ANSWER_MS = 30_000

/** What a server said when it refused a request. */
export interface Refusal {
  /** The token it was sent, if any. */
  readonly refused: string | undefined
  /** The token is good, and gives too little. */
  readonly more?: boolean
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
}

/** Where it was refused. */
export interface SignInSite {
  readonly serverUrl: URL
  readonly fetchFn: FetchLike
  /** Lets other time limits stand still while a person is waited for. */
  readonly patient: <T>(work: () => Promise<T>) => Promise<T>
  readonly signal: AbortSignal
}

/**
 * Owns who this client is at one remote server: its registration, its tokens (in a file that only this user can read), and the one
 * sign-in that may be under way. Authorization code with PKCE; the browser comes back to a loopback address that is open only
 * meanwhile. Several requests that are refused at the same time wait for the same renewal: a refresh token is good for one use.
 */
export class SignIn implements OAuthClientProvider {
  readonly clientMetadataUrl?: string
  readonly #options: SignInOptions
  #kept: Credentials
  #loopback: Promise<Loopback> | undefined
  #redirectUrl: string | undefined
  #verifier = ''
  #address: URL | undefined
  #discovery: OAuthDiscoveryState | undefined
  #scope: string | undefined
  #resourceMetadataUrl: URL | undefined
  #renewing: Promise<void> | undefined

  private constructor(options: SignInOptions, kept: Credentials) {
    this.#options = options
    this.#kept = kept
    if (options.settings.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.settings.clientMetadataUrl
    this.#redirectUrl = kept.port === undefined ? undefined : `http://127.0.0.1:${kept.port}/callback`
  }

  static async open(options: SignInOptions): Promise<SignIn> {
    return new SignIn(options, await readCredentials(options.path))
  }

  get accessToken(): string | undefined {
    return this.#kept.tokens?.access_token
  }

  /**
   * Gets another token: by the refresh token, else by a person. Resolves when the request can be sent again.
   * @throws AdjutantError MCP_SERVER_UNAVAILABLE when there is nobody to sign in, or it came to nothing
   */
  renew(refusal: Refusal, site: SignInSite): Promise<void> {
    if (this.#renewing !== undefined) return site.patient(async () => this.#renewing)
    // Somebody else renewed it while this request was on its way.
    if (this.accessToken !== undefined && this.accessToken !== refusal.refused) return Promise.resolve()
    this.#renewing = this.#renew(refusal, site).finally(() => {
      this.#renewing = undefined
      this.#address = undefined
    })
    return this.#renewing
  }

  /** Closes the loopback address. */
  async close(): Promise<void> {
    const loopback = this.#loopback
    this.#loopback = undefined
    await (await loopback?.catch(() => undefined))?.[Symbol.asyncDispose]()
  }

  async #renew({ more = false, scope, resourceMetadataUrl }: Refusal, site: SignInSite): Promise<void> {
    await this.#prepare()
    this.#resourceMetadataUrl = resourceMetadataUrl ?? this.#resourceMetadataUrl
    this.#scope = more ? computeScopeUnion(this.#scope, this.#kept.tokens?.scope, scope) : (scope ?? this.#scope)
    const options = {
      serverUrl: site.serverUrl,
      fetchFn: this.#bounded(site.fetchFn),
      ...(this.#scope === undefined ? {} : { scope: this.#scope }),
      ...(this.#resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: this.#resourceMetadataUrl }),
    }
    try {
      if ((await auth(this, { ...options, forceReauthorization: more })) === 'AUTHORIZED') return
      const answer = await site.patient(() => this.#answer(site.signal))
      const code = answer.get('code')
      // What an answer without a code says is not known to be the server's: only its kind is told.
      if (code === null) throw this.#failed(`it was refused (${(answer.get('error') ?? 'no reason given').slice(0, 100)})`)
      const iss = answer.get('iss')
      await auth(this, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) })
    } catch (error) {
      if (AdjutantError.isInstance(error)) throw error
      throw this.#failed(error instanceof Error ? error.message.slice(0, 500) : String(error), error)
    } finally {
      await this.close()
    }
  }

  /** @throws AdjutantError when there is nobody to sign in, and nothing from an earlier time to do it with */
  async #prepare(): Promise<void> {
    const { show, settings } = this.#options
    if (show === undefined) {
      if (this.#kept.tokens?.refresh_token === undefined) throw this.#nobody()
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

  /** Shows the person where to go, and waits for what the browser brings back. */
  async #answer(signal: AbortSignal): Promise<URLSearchParams> {
    const { server, clock, show } = this.#options
    const address = this.#address
    const loopback = await this.#loopback
    if (address === undefined || loopback === undefined || show === undefined) throw this.#nobody()
    const late = new AbortController()
    const takeBack = clock.after(WAIT_MS, () => late.abort(this.#failed('nobody signed in within 5 minutes')))
    try {
      const answered = loopback.answer(address.searchParams.get('state') ?? '', AbortSignal.any([signal, late.signal]))
      answered.catch(() => {})
      await show({ server, url: address.href })
      return await answered
    } finally {
      takeBack()
    }
  }

  #bounded(fetchFn: FetchLike): FetchLike {
    return async (url, init) => {
      const late = new AbortController()
      const takeBack = this.#options.clock.after(ANSWER_MS, () => late.abort(new Error(`${new URL(url).host} does not answer`)))
      try {
        return await fetchFn(url, { ...init, signal: late.signal })
      } finally {
        takeBack()
      }
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
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  redirectToAuthorization(url: URL): void {
    if (this.#options.show === undefined) throw this.#nobody()
    if (!/^https?:$/.test(url.protocol)) throw this.#failed('its sign-in address is neither http nor https')
    this.#address = url
  }

  /** Of the sign-in under way only: a new one finds out anew. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#address === undefined ? undefined : this.#discovery
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
