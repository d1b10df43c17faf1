/** One message: more than any honest result, less than would endanger the host. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** The longest time a timer takes: the client's own timeouts are out of the way, as time is kept by the injected clock. */
export const NEVER_MS = 2 ** 31 - 1
