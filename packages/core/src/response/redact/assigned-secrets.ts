/**
 * Owns secrets that are known by what stands around them: a key word with a value, a header with credentials, a URL with a password.
 * The rule set has few of these; here they are told from placeholders, types, paths and words. Pure; looks at most 600 characters around.
 */
import type { Finding } from './finding.ts'

/** The word before `=` or `:`, with what may stand between. */
const PASSWORD_WORD = /(?:passw(?:or)?d|passphrase|(?:^|[^a-z])pwd)$/i
const SECRET_WORD =
  /(?:secret|token|credentials?|signature|(?:^|[^a-z])auth|(?:api|access|account|private|signing|encryption|master|shared|secret|license)[-_. ]?key|[A-Z0-9]_KEY)$/i
/** Tokens that only say where to go on: an agent needs them. And those that are public. */
const PLACE_WORD = /public[-_]?key[-_]?token$|(?:page|next|sync|continuation|cursor|resume|csrf|xsrf)[-_]?(?:page[-_]?)?token$/i
const AUTHORIZATION_WORD = /authorization$/i
const NPM_WORD = /_auth(?:Token)?$/

/** The two last letters of every word above; asked first, for most words of a JSON text are none. */
const ENDINGS = new Uint8Array(128 * 128)
for (const [first, second] of ['rd', 'wd', 'se', 'et', 'en', 'al', 'ls', 're', 'th', 'ey', 'on']) ENDINGS[pairOf(first, second)] = 1

const BEFORE_VALUE = /[ \t]{0,4}>?[ \t]{0,4}\\?["'`]?/y
const VALUE = /[^\s"'`,;)}\]\\<>|&]{8,512}/y
const CREDENTIALS = /(?:(?:bearer|basic|token|digest|negotiate|apikey|bot)[ \t]+)?([^\s"'`,;)}\]\\<>|]{8,1500})/iy
/** What only stands for a value: variables, templates, calls, dots and stars, words such as "your-token". */
const PLACEHOLDER =
  /^(?:\$[A-Za-z_{(]|%[sd({A-Z]|[{[<(/~]|\.{1,2}[/.])|[({]|\.\.\.|…|\*{3}|x{5}|(?:^|[^a-z])(?:your|example|sample|dummy|placeholder|changeme|change-me|redacted|removed|insert|undefined|null|none|true|false)(?:[^a-z]|$)|^(?:process\.env|os\.environ|import\.meta|env\.|config\.|self\.|this\.|settings\.|secrets\.|vars\.)/i
/** The same in a URL, where dots, brackets and words such as "test" may well be a password. */
const URL_PLACEHOLDER = /\{[^}]{1,50}\}|%[A-Z_]{1,30}%|\$[A-Z_]|\$\([^)]{1,50}\)|^([\s\S])\1{2,}$/
const PLAIN_WEB_PASSWORD = /password|localhost/i
const PLAIN_DATABASE_PASSWORD = /^(?:(?:my)?password|(?:my)?username|secret|root|admin|user|pass|localhost)$/i

/** A value that is assigned to a key word at the sign at `at`, `=` or `:`. */
export function assignedSecretAt(text: string, at: number): Finding | undefined {
  const wordEnd = behindWord(text, at)
  if (wordEnd < 3) return undefined
  const first = text.charCodeAt(wordEnd - 2) | 32
  const second = text.charCodeAt(wordEnd - 1) | 32
  if ((first | second) > 127 || ENDINGS[(first << 7) | second] !== 1) return undefined
  const word = text.slice(Math.max(0, wordEnd - 40), wordEnd)
  if (AUTHORIZATION_WORD.test(word)) return authorizationAt(text, at + 1)
  const isPassword = PASSWORD_WORD.test(word)
  const isNpm = NPM_WORD.test(word)
  if (!isPassword && !isNpm && (!SECRET_WORD.test(word) || PLACE_WORD.test(word))) return undefined
  const start = endOf(BEFORE_VALUE, text, at + 1) ?? at + 1
  const end = endOf(VALUE, text, start)
  if (end === undefined) return undefined
  const value = text.slice(start, end)
  if (PLACEHOLDER.test(value)) return undefined
  if (isNpm) return { start, end, kind: 'npm-auth-token' }
  if (isPassword) return isMixed(value) ? { start, end, kind: 'password' } : undefined
  return value.length >= 16 && isMixed(value) && entropy(value) >= 3 ? { start, end, kind: 'credential' } : undefined
}

function authorizationAt(text: string, at: number): Finding | undefined {
  const from = endOf(BEFORE_VALUE, text, at) ?? at
  CREDENTIALS.lastIndex = from
  const value = CREDENTIALS.exec(text)?.[1]
  if (value === undefined || PLACEHOLDER.test(value)) return undefined
  if (!/\d/.test(value) && value.length < 20) return undefined
  return { start: CREDENTIALS.lastIndex - value.length, end: CREDENTIALS.lastIndex, kind: 'authorization' }
}

/** The long word at `start` … `end` when "Bearer " stands before it. */
export function bearerToken(text: string, start: number, end: number): Finding | undefined {
  const before = text.charCodeAt(start - 1)
  if (before !== 32 || text.slice(Math.max(0, start - 7), start - 1).toLowerCase() !== 'bearer') return undefined
  const value = text.slice(start, Math.min(end, start + 1_500))
  return /\d/.test(value) && !PLACEHOLDER.test(value) ? { start, end: start + value.length, kind: 'bearer-token' } : undefined
}

const USER_INFO = /([^\s/?#"'`<>\\:@]{0,256})(?::([^\s/?#"'`<>\\]{0,512}))?@(?=[^\s/?#"'`<>\\@])/y
/** Connection strings are not always written as URLs have to be. */
const DATABASE_USER_INFO = /([^:/\s]{1,100}):([^@/\s]{1,200})@/y
const DATABASE_SCHEME = /(?:mongodb(?:\+srv)?|mysqlx?|mariadb|postgres(?:ql)?|redis|rediss|amqps?|sqlserver)$/i

/** The password, or the token in its place, of a URL whose `://` is at `at`. */
export function urlSecretAt(text: string, at: number): Finding | undefined {
  const start = at + 3
  const isDatabase = DATABASE_SCHEME.test(text.slice(Math.max(0, at - 12), at))
  const found = longerOf(matchAt(USER_INFO, text, start), isDatabase ? matchAt(DATABASE_USER_INFO, text, start) : undefined)
  if (found === undefined) return undefined
  const user = found[1] ?? ''
  const password = found[2] ?? ''
  if (/^x-oauth-basic|^x-token-auth$/i.test(password) || (password === '' && user.length >= 20 && /\d/.test(user)))
    return URL_PLACEHOLDER.test(user) || user.length < 8 ? undefined : { start, end: start + user.length, kind: 'url-token' }
  if (password.length < 3 || URL_PLACEHOLDER.test(password)) return undefined
  if (isDatabase ? PLAIN_DATABASE_PASSWORD.test(password) || password === user : PLAIN_WEB_PASSWORD.test(password)) return undefined
  const from = start + user.length + 1
  return { start: from, end: from + password.length, kind: 'url-password' }
}

/** Where the word before the sign ends: quotes and blanks between are skipped. */
function behindWord(text: string, at: number): number {
  let end = at
  for (let skipped = 0; end > 0 && skipped < 6; skipped += 1) {
    const code = text.charCodeAt(end - 1)
    if (code !== 32 && code !== 34 && code !== 39 && code !== 92 && code !== 9 && code !== 96) break
    end -= 1
  }
  return end
}

function pairOf(first = '', second = ''): number {
  return (first.charCodeAt(0) << 7) | second.charCodeAt(0)
}

/** Letters with digits or with signs that names do not have: no word, no name of a variable, no number. */
function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && (/\d/.test(value) || /[!@#$%^*+~?=]/.test(value))
}

/** Bits for each character. Random tokens have more than 3.5, prose words and repetitions less than 3. */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

function longerOf(one: RegExpExecArray | undefined, other: RegExpExecArray | undefined): RegExpExecArray | undefined {
  return (other?.[0].length ?? 0) > (one?.[0].length ?? 0) ? other : one
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
