import { hash } from 'node:crypto'

/**
 * Owns names: making one that providers take out of any text, and keeping the way back. Both are stable: the same raw name
 * gives the same legal name in every run, so that a recorded conversation still finds its tools.
 */

const LIMIT = 64
/** Six hex digits keep 64-letter names readable; a clash of them is caught by `taken` and counted. */
const MARK = 6

/**
 * A legal tool name (`^[A-Za-z0-9_-]{1,64}$`) that is not in `taken`. A legal free name is given back unchanged. Other letters
 * become `_`; what would lose its meaning or its uniqueness that way gets a mark computed from the raw name.
 *
 * @example
 * ```ts
 * legalToolName('admin.tools/list', new Set()) // 'admin_tools_list'
 * legalToolName('get_time', new Set(['get_time'])) // 'get_time_' and six hex digits
 * ```
 */
export function legalToolName(raw: string, taken: { has(name: string): boolean }): string {
  return makeLegal(raw, { limit: LIMIT, startsWith: /^[A-Za-z0-9_-]/, taken })
}

/** What a provider's API takes as a name. */
export type WireRule = 'openai' | 'anthropic' | 'gemini'

interface NameRule {
  readonly limit: number
  readonly startsWith: RegExp
}

/**
 * All three take letters, digits, `_` and `-`. OpenAI and Gemini stop at 64 letters, Anthropic at 128, but 64 is kept for all:
 * gateways that speak Anthropic's form apply the older limit. Gemini wants a letter or `_` first.
 */
const RULES: Readonly<Record<WireRule, NameRule>> = {
  openai: { limit: LIMIT, startsWith: /^[A-Za-z0-9_-]/ },
  anthropic: { limit: LIMIT, startsWith: /^[A-Za-z0-9_-]/ },
  gemini: { limit: LIMIT, startsWith: /^[A-Za-z_]/ },
}

/**
 * Names as a provider takes them, one to one both ways for the names it was made with. Names that are legal already are never
 * changed, also when another one would become equal to them.
 *
 * @example
 * ```ts
 * const wire = new WireNames(['2d_plot'], 'gemini')
 * wire.toWire('2d_plot') // '_2d_plot'
 * wire.fromWire('_2d_plot') // '2d_plot'
 * wire.fromWire('no_such_tool') // 'no_such_tool': admission says that it is unknown
 * ```
 */
export class WireNames {
  readonly #rule: NameRule
  readonly #toWire = new Map<string, string>()
  readonly #fromWire = new Map<string, string>()

  constructor(names: Iterable<string>, rule: WireRule) {
    this.#rule = RULES[rule]
    const changed: string[] = []
    for (const name of names) {
      if (isLegal(name, this.#rule)) this.#keep(name, name)
      else changed.push(name)
    }
    for (const name of changed) if (!this.#toWire.has(name)) this.#keep(name, this.#make(name))
  }

  /** A name it was not made with is made legal too, but has no way back. */
  toWire(name: string): string {
    return this.#toWire.get(name) ?? this.#make(name)
  }

  /** An unknown name is given back as it is. */
  fromWire(wire: string): string {
    return this.#fromWire.get(wire) ?? wire
  }

  #make(name: string): string {
    return makeLegal(name, { ...this.#rule, taken: this.#fromWire })
  }

  #keep(name: string, wire: string): void {
    this.#toWire.set(name, wire)
    this.#fromWire.set(wire, name)
  }
}

function isLegal(name: string, rule: NameRule): boolean {
  return name.length > 0 && name.length <= rule.limit && !/[^A-Za-z0-9_-]/.test(name) && rule.startsWith.test(name)
}

function makeLegal(raw: string, rule: NameRule & { readonly taken: { has(name: string): boolean } }): string {
  if (isLegal(raw, rule) && !rule.taken.has(raw)) return raw
  const plain = raw.normalize('NFKD').replace(/\p{M}+/gu, '')
  const cleaned = plain.replace(/[^A-Za-z0-9_-]+/g, '_')
  // Letters of other scripts are meaning, not punctuation: two names that differ only in them must stay apart.
  const lossy = /[^\p{ASCII}]/u.test(plain) || !/[A-Za-z0-9]/.test(cleaned)
  const trimmed = cleaned.replace(/^_+|_+$/g, '') || 'tool'
  const base = rule.startsWith.test(cleaned) && !lossy ? cleaned : rule.startsWith.test(trimmed) ? trimmed : `_${trimmed}`
  if (!lossy && base.length <= rule.limit && !rule.taken.has(base)) return base
  const mark = hash('sha256', raw).slice(0, MARK)
  for (let count = 1; ; count++) {
    const end = count === 1 ? `_${mark}` : `_${mark}_${count}`
    const name = base.slice(0, rule.limit - end.length) + end
    if (!rule.taken.has(name)) return name
  }
}
