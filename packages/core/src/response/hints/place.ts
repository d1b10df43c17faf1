/**
 * Owns: what is a file name and what is a number behind it. No regular expression here runs over more than one line of bounded length, and none
 * repeats what may repeat itself.
 */

export interface Place {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** What lies at the end of `text`: `file:12` or `file:12:5`, where something is in front of it. */
export interface Tail {
  readonly before: string
  readonly line: number
  readonly column?: number
}

const MOST_DIGITS = 7
const LONGEST_FILE = 400

/** Names of files that have no ending. */
const BARE_FILES =
  /^(?:Makefile|GNUmakefile|makefile|Dockerfile|Containerfile|Gemfile|Rakefile|Guardfile|Vagrantfile|Jenkinsfile|Brewfile|Procfile|Podfile|Fastfile|Berksfile|Capfile|Thorfile|Justfile|justfile|Caddyfile|Pipfile|BUILD|WORKSPACE)$/
/** What comes behind the dot of a host name and not of a file. */
const HOST_ENDINGS = /\.(?:com|org|net|edu|gov|io|internal|example|localhost|svc|cluster|localdomain)$/

/** `text` ends with `:line` or `:line:column`. */
export function tailOf(text: string): Tail | undefined {
  const last = numberBefore(text, text.length)
  if (last === undefined || text.charAt(last.start - 1) !== ':') return undefined
  const before = numberBefore(text, last.start - 1)
  if (before !== undefined && text.charAt(before.start - 1) === ':' && before.start > 1) {
    return { before: text.slice(0, before.start - 1), line: before.value, column: last.value }
  }
  return { before: text.slice(0, last.start - 1), line: last.value }
}

function numberBefore(text: string, end: number): { readonly value: number; readonly start: number } | undefined {
  let start = end
  while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--
  if (start === end || start === 0 || end - start > MOST_DIGITS) return undefined
  return { value: Number(text.slice(start, end)), start }
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** A place with a readable file and lines that count from 1. */
export function placeOf(file: string, line: number, column?: number): Place | undefined {
  const name = plainFile(file)
  if (name === undefined || !Number.isSafeInteger(line) || line < 1) return undefined
  return column === undefined || !Number.isSafeInteger(column) || column < 1 ? { file: name, line } : { file: name, line, column }
}

/** Quotes and `file://` off; `undefined` for what cannot be a file. */
function plainFile(raw: string): string | undefined {
  let file = raw.trim()
  if (/^(["'`]).*\1$/.test(file)) file = file.slice(1, -1)
  if (file.startsWith('file://')) {
    file = file.slice('file://'.length)
    // file:///C:/a.js
    if (/^\/[A-Za-z]:[\\/]/.test(file)) file = file.slice(1)
    file = decoded(file)
  }
  if (file === '' || file.length > LONGEST_FILE || /[\x00-\x1f\x7f]/.test(file)) return undefined
  return file
}

function decoded(file: string): string {
  try {
    return decodeURIComponent(file)
  } catch {
    return file
  }
}

/** Looks like a file: has an ending, or is one that has none. Hosts, times and numbers do not. */
export function isFileName(text: string): boolean {
  if (text === '' || text.length > LONGEST_FILE) return false
  if (/^https?:\/\//.test(text)) return /^https?:\/\/[^/]+\/\S/.test(text)
  const query = text.indexOf('?')
  const path = query > 0 ? text.slice(0, query) : text
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (BARE_FILES.test(name)) return true
  if (name.length === path.length && HOST_ENDINGS.test(name)) return false
  const dot = name.lastIndexOf('.')
  return dot !== -1 && /^[A-Za-z][\w+-]{0,11}$/.test(name.slice(dot + 1)) && !/^\.+$/.test(name)
}

/** What a program calls text that it was given without a file. */
export function isPseudoFile(file: string): boolean {
  return /^(?:node:.*|internal\/.*|dart:.*|<[^>]*>|\[.*|native|eval code|eval|anonymous|stdin|-|evalmachine\.<anonymous>|string|input|\(.*)$/.test(
    file,
  )
}

const LIBRARY_PARTS = [
  '/node_modules/',
  '\\node_modules\\',
  'node:',
  '/site-packages/',
  '\\site-packages\\',
  '/dist-packages/',
  '/lib/python',
  '\\lib\\python',
  '/rustc/',
  '/.cargo/registry/',
  '/rustlib/',
  '/gems/',
  '/lib/ruby/',
  '/pkg/mod/',
  '/usr/include/',
  '/usr/lib/',
  '/usr/local/go/src/',
  '/usr/local/lib/',
  '/sysdeps/',
  '/vendor/',
  '/composer/',
  '/.pub-cache/',
  '/compiler-rt/',
  'webpack/bootstrap',
  '/rc/lib/',
] as const
const LIBRARY_STARTS =
  /^(?:node:|internal\/|node_modules\/|node_modules\\|dart:|package:(?:flutter|test|test_api|stack_trace|async)\/|java\/|timers\.js|events\.js|module\.js|vm\.js|fs\.js|net\.js|<frozen |lib\/python|vendor\/|usr\/lib\/|runtime\/)/
/** Go prints the standard library by its path below some `go/src/`. */
const GO_LIBRARY =
  /(?:^|\/)go\/src\/(?:runtime|net|reflect|sync|os|io|testing|encoding|bufio|fmt|syscall|time|database|context|internal|crypto|html|text|sort|strings|bytes|log|math|appengine_internal)\//

/** Lies in a library, the language's own or an installed one: not what its user wrote. */
export function isLibraryFile(file: string): boolean {
  return LIBRARY_STARTS.test(file) || LIBRARY_PARTS.some((part) => file.includes(part)) || GO_LIBRARY.test(file)
}
