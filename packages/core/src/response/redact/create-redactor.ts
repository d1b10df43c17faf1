import type { Redacted, Redactor } from '../../contract/redact.ts'
import { LabelBook } from './finding.ts'
import { RedactionEngine, type RedactionRules } from './redaction-engine.ts'
import { scan } from './scan.ts'
import { configuredValues, environmentValues, ValueSearch } from './secret-values.ts'

/**
 * Owns the redactor of a session. Refuses nothing: what is no text with a secret comes back as the very same string. Safe for calls at
 * the same time; keeps digests of what it has removed, so that one secret has one label for as long as the redactor lives.
 */

export interface RedactorOptions {
  /** Exact secrets, each of at least 4 characters, found also in base64, hex, JSON and URL form. */
  readonly values?: readonly string[]
  /** The environment: values of variables whose names say that they are secret (`…_TOKEN`, `…_PASSWORD`), of at least 8 characters. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** `recommended` (default): also tokens by their form, passwords in URLs and assignments, private keys. `off`: exact values only. */
  readonly rules?: 'recommended' | 'off'
  /** Exact texts that are never removed. */
  readonly allow?: readonly string[]
}

/** What {@link createRedactor} was told, for the stream form. */
const RULES = new WeakMap<Redactor, RedactionRules>()

/**
 * @throws AdjutantError CONFIG_INVALID for a value that is too short
 *
 * @example
 * ```ts
 * const redactor = createRedactor({ values: ['s3cr3t-of-mine'] })
 * await redactor.redact('the key is s3cr3t-of-mine')
 * // { text: 'the key is [secret removed: configured value #1]', count: 1 }
 * ```
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const allow = new Set(options.allow)
  const rules: RedactionRules = {
    values: ValueSearch.of([...configuredValues(options.values ?? []), ...environmentValues(options.env ?? {})], allow),
    rules: options.rules !== 'off',
    allow,
    labels: new LabelBook(),
  }
  const redactor: Redactor = { redact: (text) => redactWhole(text, rules) }
  RULES.set(redactor, rules)
  return redactor
}

function redactWhole(text: string, rules: RedactionRules): Redacted | Promise<Redacted> {
  if (typeof text !== 'string' || scan(text, 0, text.length, rules.values, rules.rules) === undefined) return { text, count: 0 }
  const engine = new RedactionEngine(rules)
  const given = engine.push(text, true)
  if (typeof given === 'string') return { text: engine.count === 0 ? text : given, count: engine.count }
  return given.then((redacted) => ({ text: engine.count === 0 ? text : redacted, count: engine.count }))
}

/** A text that comes in pieces, e.g. the output of a running command on its way to disk. */
export interface StreamRedactor {
  /** Secrets taken out so far. */
  readonly count: number
  /** What can be said for certain by now. The next piece may come when this is there. */
  push(piece: string): string | Promise<string>
  /** The rest. */
  end(): string | Promise<string>
}

/**
 * The same outcome as `redact` of the whole, however it is cut; holds back about 9 000 characters at most, beside the newest piece.
 *
 * @param redactor of {@link createRedactor}; any other one gets the text as a whole at the end
 */
export function createStreamRedactor(redactor: Redactor): StreamRedactor {
  const rules = RULES.get(redactor)
  if (rules === undefined) return wholeAtEnd(redactor)
  const engine = new RedactionEngine(rules)
  return {
    get count() {
      return engine.count
    },
    push: (piece) => engine.push(piece, false),
    end: () => engine.push('', true),
  }
}

function wholeAtEnd(redactor: Redactor): StreamRedactor {
  const pieces: string[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    push: (piece) => {
      pieces.push(piece)
      return ''
    },
    end: async () => {
      const redacted = await redactor.redact(pieces.join(''))
      count = redacted.count
      return redacted.text
    },
  }
}
