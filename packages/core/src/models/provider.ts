/** What the transport and its errors must know of the provider that it talks to. */
export interface Provider {
  /** For people, e.g. `openai:gpt-5`. */
  readonly label: string
  readonly modelName: string
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** The environment variable that people set the key with. */
  readonly keyVariable: string
  readonly apiKey: string | undefined
}
