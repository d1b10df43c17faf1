/** What became of a text whose secrets were taken out. */
export interface Redacted {
  readonly text: string
  /** Secrets that were taken out. */
  readonly count: number
}

/** Takes secrets out of text: of results before the model sees them, of logs, traces, audit records and questions. */
export interface Redactor {
  /** The very same text where there is none. Never throws or rejects. Synchronous for the usual text that has nothing like a secret in it. */
  redact(text: string): Redacted | Promise<Redacted>
}
