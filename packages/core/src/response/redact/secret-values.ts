/**
 * Owns the exact values that must not be shown: those that the host names, and those of environment variables whose name says that they
 * are secret; and the forms in which they may appear. What is a secret by its name but a path, a number or a common word stays as it is.
 */
import { AdjutantError } from '../../contract/errors.ts'
import { LiteralSearch } from './literal-search.ts'

export interface SecretValue {
  /** What the label says, e.g. `env GITHUB_TOKEN`. */
  readonly kind: string
  readonly value: string
}

/** Shorter ones would blank out half of every text. */
const MIN_CONFIGURED = 4
const MIN_ENVIRONMENT = 8
/** Longer ones are looked for in pieces, so that a stream holds back no more than a piece. */
const PIECE = 512

const SECRET_NAME =
  /(?:^|_|-|:|\/)(?:TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PAT|KEY|APIKEY|CREDENTIALS?|CREDS?|AUTH|AUTHTOKEN|SIGNATURE|SALT|COOKIE|DSN|WEBHOOK)(?:$|_|-|\d)|(?:TOKEN|SECRET|PASSWORD|APIKEY|API_KEY|CREDENTIALS?)$/i
/** Their names have a secret word in them, their values say where or how. */
const HARMLESS_NAME =
  /^(?:OLD)?PWD$|SSH_AUTH_SOCK|_(?:FILE|PATH|DIR|HOST|PORT|TYPE|METHOD|SCHEME|MODE|NAME|LENGTH|TTL|EXPIRY|EXPIRES|ENABLED|TIMEOUT|LIMIT)$|KEYBOARD|AUTHOR/i
const PATH_LIKE = /^(?:[./~]|[A-Za-z]:[\\/])/
const COMMON =
  /^(?:password|changeme|change-me|production|development|localhost|disabled|enabled|undefined|required|optional|automatic|anonymous|default|internal|external|\d+(?:\.\d+)*|([\s\S])\1*)$/i

export function configuredValues(values: readonly string[]): readonly SecretValue[] {
  return values.map((value, index) => {
    if (typeof value !== 'string' || value.length < MIN_CONFIGURED) {
      throw new AdjutantError('CONFIG_INVALID', `redaction: values[${index}] has fewer than ${MIN_CONFIGURED} characters`, {
        hint: 'Leave it out: so short a text stands in harmless places as well.',
      })
    }
    return { kind: 'configured value', value }
  })
}

export function environmentValues(env: Readonly<Record<string, string | undefined>>): readonly SecretValue[] {
  const found: SecretValue[] = []
  for (const [name, given] of Object.entries(env)) {
    const value = given?.trim() ?? ''
    if (value.length < MIN_ENVIRONMENT || !SECRET_NAME.test(name) || HARMLESS_NAME.test(name)) continue
    if (PATH_LIKE.test(value) || COMMON.test(value)) continue
    found.push({ kind: `env ${name.replace(/[^\w./:-]/g, '_').slice(0, 80)}`, value })
  }
  return found
}

/** Searches for the values in all their forms. */
export class ValueSearch {
  readonly #search: LiteralSearch
  readonly #owners: readonly SecretValue[]

  private constructor(words: readonly string[], owners: readonly SecretValue[]) {
    this.#search = new LiteralSearch(words)
    this.#owners = owners
  }

  /** Undefined where there is nothing to look for. */
  static of(values: readonly SecretValue[], allow: ReadonlySet<string>): ValueSearch | undefined {
    const owners = new Map<string, SecretValue>()
    for (const value of values) {
      if (allow.has(value.value)) continue
      for (const form of formsOf(value.value)) {
        for (const piece of piecesOf(form)) if (!owners.has(piece)) owners.set(piece, value)
      }
    }
    return owners.size === 0 ? undefined : new ValueSearch([...owners.keys()], [...owners.values()])
  }

  /** Whether any of them begins there; asked first, as nearly always none does. */
  isIn(text: string, from: number, to: number): boolean {
    return this.#search.isIn(text, from, to)
  }

  each(text: string, from: number, to: number, visit: (start: number, end: number, owner: SecretValue) => void): void {
    this.#search.each(text, from, to, (start, end, index) => {
      const owner = this.#owners[index]
      if (owner !== undefined) visit(start, end, owner)
    })
  }
}

/** As it is; in JSON once and twice; in a URL; in base64 at each of its three alignments, both alphabets; in hex. */
function formsOf(given: string): ReadonlySet<string> {
  const value = given.toWellFormed()
  const bytes = Buffer.from(value)
  const forms = new Set([given, value])
  const json = JSON.stringify(value).slice(1, -1)
  const url = encodeURIComponent(value)
  forms.add(json).add(JSON.stringify(json).slice(1, -1))
  forms
    .add(url)
    .add(url.replaceAll('%20', '+'))
    .add(url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  if (bytes.length >= 6) {
    for (const before of [0, 1, 2]) {
      const inBase64 = Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .replace(/=+$/, '')
      // The first and the last digit are shared with the neighbours.
      const first = Math.ceil((before * 8) / 6)
      const whole = Math.floor(((before + bytes.length) * 8) / 6)
      const own = inBase64.slice(first, whole)
      forms.add(own).add(own.replaceAll('+', '-').replaceAll('/', '_'))
    }
  }
  const hex = bytes.toString('hex')
  forms.add(hex).add(hex.toUpperCase())
  return forms
}

function piecesOf(form: string): readonly string[] {
  if (form.length <= PIECE) return [form]
  const pieces: string[] = []
  for (let at = 0; at + PIECE < form.length; at += PIECE) pieces.push(form.slice(at, at + PIECE))
  pieces.push(form.slice(-PIECE))
  return pieces
}
