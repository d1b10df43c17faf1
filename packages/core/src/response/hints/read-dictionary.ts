import { LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { AdjutantError, type ErrorGrade } from '../../contract/errors.ts'
import { DEFAULT_RANK, type HintEntry, type HintExit } from './hint.ts'
import { HintDictionary } from './hint-dictionary.ts'
import { compileLinePattern } from './line-pattern.ts'

/**
 * Owns: the dictionary that a user writes, in YAML or JSON. Every fault is told at once, each with file and line; nothing of a faulty file is used.
 * Its patterns are the ones of the built-in dictionary (line-pattern.ts): none can take long, so none has to be judged.
 */

/** Characters; more is no dictionary. */
const LARGEST_TEXT = 1_000_000
const MOST_ENTRIES = 2_000
const MOST_PATTERNS = 20_000
const MOST_FAULTS = 20
const LONGEST_HINT = 500
const FIELDS = ['code', 'grade', 'patterns', 'exits', 'commands', 'rank', 'hint']

/**
 * @param file shown in messages
 * @throws AdjutantError CONFIG_INVALID with every fault, its file and line
 * @example
 * ```ts
 * readHintDictionary('hints:\n  - code: VPN_DOWN\n    grade: final\n    patterns: ["no route to build-{1:number}"]\n    hint: Ask for the VPN.\n', { file: 'hints.yaml' })
 * ```
 */
export function readHintDictionary(text: string, { file }: { readonly file: string }): HintDictionary {
  if (text.length > LARGEST_TEXT) throw invalid(file, [`it has ${text.length} characters, at most ${LARGEST_TEXT} are read`])
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const broken = [...document.errors, ...document.warnings].map((error) => `line ${lines.linePos(error.pos[0]).line}: ${error.message}`)
  if (broken.length > 0) throw invalid(file, broken)
  let content: unknown
  try {
    content = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw invalid(file, [error instanceof Error ? error.message : 'cannot be read'])
  }
  const reader = new EntryReader((path) => {
    const node = document.getIn(path, true)
    return isNode(node) && node.range !== null && node.range !== undefined ? lines.linePos(node.range[0]).line : undefined
  })
  const entries = reader.readAll(content)
  const patterns = entries.reduce((sum, entry) => sum + (entry.patterns?.length ?? 0), 0)
  if (patterns > MOST_PATTERNS) reader.faults.push(`${MOST_PATTERNS} patterns at most, these are ${patterns}`)
  if (reader.faults.length > 0) throw invalid(file, reader.faults)
  return new HintDictionary(entries)
}

function isNode(value: unknown): value is ParsedNode {
  return typeof value === 'object' && value !== null && 'range' in value
}

function invalid(file: string, faults: readonly string[]): AdjutantError {
  const shown = faults.slice(0, MOST_FAULTS).map((fault) => `${file}: ${fault}`)
  if (faults.length > MOST_FAULTS) shown.push(`and ${faults.length - MOST_FAULTS} more`)
  return new AdjutantError('CONFIG_INVALID', shown.join('\n'), {
    hint: 'Correct the dictionary at the lines named; docs/reference/hints.md shows its form.',
  })
}

type Path = readonly (string | number)[]

class EntryReader {
  readonly faults: string[] = []
  readonly #lineOf: (path: Path) => number | undefined

  constructor(lineOf: (path: Path) => number | undefined) {
    this.#lineOf = lineOf
  }

  readAll(content: unknown): readonly HintEntry[] {
    if (!isObject(content) || !Array.isArray(content.hints)) {
      this.#fault([], '"hints" with a list of entries is expected')
      return []
    }
    for (const key of Object.keys(content)) if (key !== 'hints') this.#fault([key], `"${shortened(key)}" is not known here, only "hints"`)
    if (content.hints.length > MOST_ENTRIES) this.#fault(['hints'], `${MOST_ENTRIES} entries at most, these are ${content.hints.length}`)
    else return content.hints.flatMap((entry: unknown, at) => this.#entry(entry, ['hints', at]) ?? [])
    return []
  }

  #fault(path: Path, message: string): undefined {
    for (let length = path.length; length >= 0; length--) {
      const line = this.#lineOf(path.slice(0, length))
      if (line === undefined) continue
      this.faults.push(`line ${line}: ${message}`)
      return undefined
    }
    this.faults.push(message)
    return undefined
  }

  #entry(entry: unknown, path: Path): HintEntry | undefined {
    if (!isObject(entry)) return this.#fault(path, 'an entry has code, grade, patterns and hint')
    for (const key of Object.keys(entry)) {
      if (!FIELDS.includes(key)) this.#fault([...path, key], `"${shortened(key)}" is not known here; an entry has ${FIELDS.join(', ')}`)
    }
    const { code, grade, rank = DEFAULT_RANK } = entry
    if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{1,59}$/.test(code)) {
      this.#fault([...path, 'code'], 'a code is capital letters, digits and _, such as VPN_DOWN')
    }
    if (!isGrade(grade)) this.#fault([...path, 'grade'], 'the grade is one of retry, clarify, final')
    if (typeof rank !== 'number' || !(rank >= 0 && rank <= 100)) this.#fault([...path, 'rank'], 'the rank is a number from 0 to 100')
    const patterns = this.#patterns(entry.patterns, [...path, 'patterns'])
    const exits = this.#exits(entry.exits, [...path, 'exits'])
    const commands = entry.commands === undefined ? undefined : this.#texts(entry.commands, [...path, 'commands'])
    if (patterns.length === 0 && exits.length === 0) this.#fault(path, 'an entry needs patterns or exits, or it is never found')
    const hint = this.#hint(entry.hint, [...path, 'hint'])
    if (typeof code !== 'string' || !isGrade(grade) || typeof rank !== 'number' || hint === undefined) return undefined
    return { code, grade, rank, patterns, exits, hint, ...(commands === undefined ? {} : { commands }) }
  }

  #texts(value: unknown, path: Path): readonly string[] {
    if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')) return value
    this.#fault(path, `"${path.at(-1)}" is a list of texts that are not empty`)
    return []
  }

  #patterns(value: unknown, path: Path): readonly string[] {
    if (value === undefined) return []
    const texts = this.#texts(value, path)
    for (const [at, source] of texts.entries()) {
      try {
        compileLinePattern(source)
      } catch (error) {
        this.#fault([...path, at], `pattern ${JSON.stringify(shortened(source))}: ${error instanceof Error ? error.message : 'unusable'}`)
      }
    }
    return texts
  }

  #exits(value: unknown, path: Path): readonly HintExit[] {
    if (value === undefined) return []
    if (!Array.isArray(value)) return this.#fault(path, '"exits" is a list of { codes, commands? }') ?? []
    return value.flatMap((one: unknown, at): HintExit[] => {
      if (!isObject(one) || !isCodes(one.codes)) {
        this.#fault([...path, at], '"codes" is a list of exit codes from 1 to 255')
        return []
      }
      return [
        { codes: one.codes, ...(one.commands === undefined ? {} : { commands: this.#texts(one.commands, [...path, at, 'commands']) }) },
      ]
    })
  }

  /** One text for both languages, or a text for each. */
  #hint(value: unknown, path: Path): HintEntry['hint'] | undefined {
    const { en, zh } =
      typeof value === 'string' ? { en: value, zh: value } : isObject(value) ? { en: value.en, zh: value.zh ?? value.en } : {}
    if (isHintText(en) && isHintText(zh)) return { en, zh }
    return this.#fault(path, `the hint is a text of 1 to ${LONGEST_HINT} characters on one line, or { en, zh }`)
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isGrade(value: unknown): value is ErrorGrade {
  return value === 'retry' || value === 'clarify' || value === 'final'
}

function isCodes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => Number.isInteger(one) && one >= 1 && one <= 255)
}

function isHintText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_HINT && !/[\r\n]/.test(value)
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
