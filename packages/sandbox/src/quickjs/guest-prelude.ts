/**
 * Owns the globals of a box beyond the language: console, timers, files, granted functions, input. Runs inside of the engine, before the
 * code: it must not use anything of this module or of the host, its text is what is taken there. The one way out is `out`, which takes and
 * gives text, numbers and bytes only; it stays in this closure. What code does to the globals afterwards harms that code alone.
 */

/** What the engine's side calls on the host's side. Failures come back as text that starts with `!`. */
export type GuestOut = (operation: string, a?: unknown, b?: unknown, c?: unknown) => unknown

/** What the host's side calls on the engine's side. */
export interface GuestFace {
  /** @param setup JSON of {@link GuestSetup} */
  readonly begin: (setup: string) => void
  /** Milliseconds until the next timer is due; -1 when there is none. */
  readonly untilTimer: () => number
  readonly fireTimers: () => void
  /** How many granted functions have not answered. */
  readonly pendingCalls: () => number
  readonly settle: (call: number, ok: boolean, text: string) => void
  /** What a value that was thrown says, as JSON text. */
  readonly describe: (error: unknown) => string
}

/** Gives back the functions of {@link GuestFace} in their order. */
export function guestPrelude(
  out: GuestOut,
  inspect: (value: unknown) => string,
  makeConsole: (put: (stream: string, text: string) => void, inspect: (value: unknown) => string, now: () => number) => unknown,
  extras: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const MAX_TIMERS = 1_000
  const CHUNK = 65_536
  const { parse, stringify } = JSON
  const { defineProperty, create, freeze, entries } = Object
  const scope = globalThis

  const define = (name: string, value: unknown): void => {
    // Configurable, so that code may declare a variable of the same name.
    defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true })
  }

  // --- console
  const now = (): number => Number(out('now'))
  const put = (stream: string, text: string): void => {
    for (let at = 0; at < text.length; ) {
      let end = Math.min(text.length, at + CHUNK)
      const last = text.charCodeAt(end - 1)
      if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1
      const part = text.slice(at, end).toWellFormed()
      at = end
      // A NUL ends a text on its way out, so it goes by itself.
      const pieces = part.includes('\0') ? part.split('\0') : [part]
      for (let index = 0; index < pieces.length; index += 1) {
        if (index > 0) out('nul', stream)
        if (pieces[index] !== '') out('put', stream, pieces[index])
      }
    }
  }
  define('console', makeConsole(put, inspect, now))

  // --- timers
  interface Timer {
    readonly id: number
    due: number
    readonly every: number | undefined
    readonly callback: (...values: unknown[]) => unknown
    readonly values: readonly unknown[]
  }
  const timers = new Map<number, Timer>()
  let lastTimer = 0
  const start = (callback: unknown, delay: unknown, values: readonly unknown[], repeats: boolean): number => {
    if (typeof callback !== 'function') throw new TypeError('a timer needs a function')
    if (timers.size >= MAX_TIMERS) throw new RangeError(`more than ${MAX_TIMERS} timers at once`)
    const asked = Number(delay)
    const ms = asked >= 1 && asked <= 2_147_483_647 ? asked : 1
    lastTimer += 1
    const run = callback
    timers.set(lastTimer, {
      id: lastTimer,
      due: now() + ms,
      every: repeats ? ms : undefined,
      callback: (...given) => run(...given),
      values,
    })
    return lastTimer
  }
  const clear = (id: unknown): void => void timers.delete(Number(id))
  define('setTimeout', (callback: unknown, delay?: unknown, ...values: unknown[]) => start(callback, delay, values, false))
  define('setInterval', (callback: unknown, delay?: unknown, ...values: unknown[]) => start(callback, delay, values, true))
  define('setImmediate', (callback: unknown, ...values: unknown[]) => start(callback, 0, values, false))
  define('clearTimeout', clear)
  define('clearInterval', clear)
  define('clearImmediate', clear)
  define('queueMicrotask', (callback: unknown) => {
    if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function')
    void Promise.resolve().then(() => callback())
  })
  define('performance', freeze({ now }))
  const first = (): Timer | undefined => {
    let best: Timer | undefined
    for (const timer of timers.values()) if (best === undefined || timer.due < best.due) best = timer
    return best
  }
  const untilTimer = (): number => {
    const next = first()
    return next === undefined ? -1 : Math.max(0, next.due - now())
  }
  /** One timer, so that promises settle before the next. */
  const fireTimers = (): void => {
    const timer = first()
    if (timer === undefined || timer.due > now()) return
    if (timer.every === undefined) timers.delete(timer.id)
    else timer.due = now() + timer.every
    timer.callback(...timer.values)
  }

  // --- files
  const failed = (said: unknown): Error | undefined => {
    if (typeof said !== 'string' || !said.startsWith('!')) return undefined
    const at = said.indexOf(' ')
    const error = new Error(said.slice(at + 1))
    defineProperty(error, 'code', { value: said.slice(1, at), enumerable: true })
    return error
  }
  const told = (said: unknown): unknown => {
    const error = failed(said)
    if (error !== undefined) throw error
    return said
  }
  const asked = (path: unknown): string => {
    if (typeof path !== 'string') throw new TypeError('a path is text')
    return stringify(path)
  }
  define(
    'files',
    freeze({
      read: (path: unknown) => parse(String(told(out('read', asked(path))))),
      readBytes: (path: unknown) => {
        const bytes = told(out('readBytes', asked(path)))
        return bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array()
      },
      write: (path: unknown, content: unknown) => {
        const bytes = ArrayBuffer.isView(content)
          ? content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength)
          : content instanceof ArrayBuffer
            ? content
            : undefined
        if (bytes === undefined && typeof content !== 'string') throw new TypeError('files.write takes text or bytes')
        told(bytes === undefined ? out('write', asked(path), stringify(content)) : out('writeBytes', asked(path), bytes))
      },
      list: (path: unknown = '') => parse(String(told(out('list', asked(path))))),
      remove: (path: unknown) => {
        told(out('remove', asked(path)))
      },
    }),
  )

  // --- granted functions
  interface Call {
    readonly resolve: (value: unknown) => void
    readonly reject: (error: Error) => void
  }
  const calls = new Map<number, Call>()
  let lastCall = 0
  const grant =
    (name: string) =>
    (...values: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const text = stringify(values.map((value) => (value === undefined ? null : value)))
        lastCall += 1
        const said = failed(out('call', lastCall, name, text))
        if (said === undefined) calls.set(lastCall, { resolve, reject })
        else reject(said)
      })
  const settle = (call: number, ok: boolean, text: string): void => {
    const waiting = calls.get(call)
    calls.delete(call)
    if (ok) waiting?.resolve(parse(text))
    else waiting?.reject(new Error(parse(text)))
  }

  for (const [name, value] of entries(extras)) define(name, value)

  /** Input that is no JSON stays the text that it is. */
  const inputOf = (text: string): unknown => {
    try {
      return parse(text)
    } catch {
      return text
    }
  }
  const begin = (setup: string): void => {
    const { stdin, env, grants } = parse(setup)
    // What an earlier run of a session left waiting when it failed is not the next one's.
    timers.clear()
    calls.clear()
    define('input', stdin === null ? undefined : inputOf(stdin))
    define('stdin', stdin === null ? '' : stdin)
    define('env', freeze(env))
    const granted: Record<string, unknown> = create(null)
    for (const name of grants) granted[name] = grant(name)
    define('host', freeze(granted))
  }
  const describe = (error: unknown): string => {
    try {
      return stringify(`Uncaught ${inspect(error)}`)
    } catch {
      return stringify('Uncaught value that cannot be shown')
    }
  }
  return [begin, untilTimer, fireTimers, () => calls.size, settle, describe]
}
