import { isMap, isScalar, type Pair, parseDocument } from 'yaml'
import { isJsonObject, type JsonObject, ownValue } from '../../../contract/index.ts'
import { quotePlainScalars } from './quote-plain-scalars.ts'

/**
 * Owns the two parts of a SKILL.md: front matter between `---` lines, and what follows. Reads what authors of other readers got
 * away with, and says so; what was only guessed is marked, so that no guess ever gives a skill more than its author wrote.
 */

export type SplitText =
  | { readonly ok: true; readonly yaml: string; readonly body: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string }

export type FrontMatter =
  | {
      readonly ok: true
      readonly fields: JsonObject
      /** Members that stand there more than once, or only in the text but not at the top of what was understood. */
      readonly unsure: ReadonlySet<string>
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly message: string }

/** The specification asks for about 100 tokens; nobody writes this much by hand. */
const MAX_FRONT_MATTER = 64 * 1024
/** Enough for any front matter, few enough that aliases of aliases do not multiply. */
const MAX_ALIASES = 50

/** Line ends become `\n`; a byte order mark is dropped. The closing fence may be the end of the file. */
export function splitFrontMatter(raw: string): SplitText {
  const text = normalise(raw)
  const warnings: string[] = []
  const start = text.search(/[^\s]/)
  if (start === -1) return { ok: false, message: 'is empty' }
  const opening = /^---[ \t]*\n/.exec(text.slice(start))
  if (opening === null) {
    const first = text.slice(start).split('\n', 1)[0] ?? ''
    return { ok: false, message: `does not begin with a line of --- (it begins with ${JSON.stringify(first.slice(0, 60))})` }
  }
  if (start > 0) warnings.push('there is white space before the front matter')
  const from = start + opening[0].length
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(from))
  if (closing === null) return { ok: false, message: 'has no second line of --- that ends the front matter' }
  const yaml = text.slice(from, from + closing.index)
  if (yaml.length > MAX_FRONT_MATTER)
    return { ok: false, message: `has a front matter of ${yaml.length} characters (limit ${MAX_FRONT_MATTER})` }
  return { ok: true, yaml, body: text.slice(from + closing.index + closing[0].length).trim(), warnings }
}

export function normalise(raw: string): string {
  return raw.replace(/^\uFEFF+/, '').replace(/\r\n?/g, '\n')
}

/**
 * Reads the YAML. Where it is not valid, tries once more with plain values quoted and tabs as spaces; members that get lost on
 * the way are then named in `unsure`.
 */
export function parseFrontMatter(yaml: string): FrontMatter {
  const strict = parse(yaml)
  if (strict.ok) return strict
  const repaired = parse(quotePlainScalars(yaml))
  if (!repaired.ok) return strict
  const unsure = new Set(repaired.unsure)
  for (const key of keysInText(yaml)) if (ownValue(repaired.fields, key) === undefined) unsure.add(key)
  return {
    ...repaired,
    unsure,
    warnings: [`the front matter is not valid YAML (${strict.message}); plain values were taken as text`, ...repaired.warnings],
  }
}

function parse(yaml: string): FrontMatter {
  try {
    const document = parseDocument(yaml, { uniqueKeys: false, prettyErrors: true, logLevel: 'silent' })
    const [fault] = document.errors
    if (fault !== undefined) return { ok: false, message: oneLine(fault.message) }
    if (document.contents === null) return { ok: true, fields: {}, unsure: new Set(), warnings: [] }
    if (!isMap(document.contents)) return { ok: false, message: 'it is not a list of "name: value" lines' }
    const fields: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: MAX_ALIASES })))
    if (!isJsonObject(fields)) return { ok: false, message: 'it is not a list of "name: value" lines' }
    const twice = repeated(document.contents.items)
    const warnings = [...twice].map((key) => `${key} stands there more than once; the last one counts`)
    return { ok: true, fields: keepAsWritten(fields, document.contents.items), unsure: twice, warnings }
  } catch (error) {
    return { ok: false, message: oneLine(error instanceof Error ? error.message : String(error)) }
  }
}

function repeated(pairs: readonly Pair[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { key } of pairs) {
    const name = isScalar(key) ? String(key.value) : ''
    if (seen.has(name)) twice.add(name)
    seen.add(name)
  }
  return twice
}

/** A name or version that YAML takes for a number stays what its author wrote: `1.10` is not 1.1. */
function keepAsWritten(fields: JsonObject, pairs: readonly Pair[]): JsonObject {
  const written = new Map<string, string>()
  for (const { key, value } of pairs) {
    if (isScalar(key) && isScalar(value) && typeof value.value === 'number' && value.source !== undefined)
      written.set(String(key.value), value.source)
  }
  if (written.size === 0) return fields
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, written.get(key) ?? value]))
}

/** Whatever looks like a member at any depth: what the repair may have swallowed. */
function keysInText(yaml: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const [, key] of yaml.matchAll(/^[\s-]*["']?([A-Za-z][\w -]{0,60}?)["']?[ \t]*:/gm)) if (key !== undefined) keys.add(key)
  return keys
}

function oneLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '').slice(0, 200)
}
