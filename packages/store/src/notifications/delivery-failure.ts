/** That something could not be delivered: whether trying again can help, and what may be kept and shown of why. */
export class DeliveryFailure extends Error {
  /** Trying again does not help. */
  readonly final: boolean
  /** How long whoever refused it wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    options: { readonly final?: boolean; readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'DeliveryFailure'
    this.final = options.final ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}
