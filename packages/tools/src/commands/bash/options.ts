/**
 * Owns how the words of a program are told apart. Errs on one side: a word that could be a harmful option is one, also behind `--` or where another
 * option might have taken it as its value.
 */
import type { Reader } from './data/readers.ts'
import { type Effect, read, type Verdict, worst } from './verdict.ts'
import type { Word } from './word.ts'

/**
 * Whether an option could come out of a word that is only known when it runs. Names of files and values of the caller's own variables are taken as operands; not so
 * where such a variable may be empty and a dash comes after it, or where it would be a part of an option.
 *
 * @param values letters whose value follows in the same word
 */
export function mayBecomeOption(word: Word, values = ''): boolean {
  if (word.text !== undefined) return false
  const first = word.pattern.search(/[^\0]/)
  const opening = first === -1 ? word.pattern.length : first
  if (word.opens.slice(0, opening).includes('script')) return true
  if (!/^[-+]/.test(word.pattern.slice(opening))) return false
  if (opening > 0) return true
  const known = word.pattern.split('\0', 1)[0] ?? ''
  if (known.length === word.pattern.length || known.includes('=') || word.opens.every((kind) => kind === 'number' || kind === 'file'))
    return false
  for (let at = 1; at < known.length; at++) if (values.includes(known.charAt(at))) return known.startsWith('--')
  return true
}

/** The word if all that is open in it were empty. */
function collapsed(word: Word): string {
  return word.text ?? word.pattern.replaceAll('\0', '')
}

/** What the words of a program on the list of readers do. */
export function judgeReader(reader: Reader, words: readonly Word[]): Verdict {
  let found: Verdict = read(reader.reason)
  let operands = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    const isOption = /^[-+]./.test(collapsed(word))
    // What a command prints, not quoted, may be any number of words.
    if (!isOption) operands += word.splits && word.opens.includes('script') ? 100 : 1
    if (reader.network === true && word.text === undefined && word.opens.some((kind) => kind === 'script' || kind === 'environment'))
      found = worst(found, { effect: 'write', reason: 'sends what it reads to another machine' })
    if (reader.harm === undefined) continue
    if (mayBecomeOption(word, reader.values))
      found = worst(found, { effect: 'write', reason: 'has options that are only known when it runs' })
    else if (isOption) {
      const harm = harmOf(reader, reader.harm, word)
      if (harm !== undefined) found = worst(found, { effect: harm[0], reason: `${harm[1]} (${shown(word.lead)})` })
      // It takes the next word whatever that is, as long as that is one word.
      const value = words[at + 1]
      if (reader.nextWords?.includes(word.text ?? '') === true && value !== undefined && !value.splits) at++
    }
  }
  if (reader.operands !== undefined && operands > reader.operands[0])
    found = worst(found, { effect: reader.operands[1], reason: reader.operands[2] })
  return found
}

function harmOf(reader: Reader, harm: NonNullable<Reader['harm']>, word: Word): readonly [Effect, string] | undefined {
  const lead = collapsed(word)
  if (lead.startsWith('--') || reader.wholeWords === true) {
    const name = lead.split('=', 1)[0] ?? lead
    if (harm[name] !== undefined) return harm[name]
    for (const [option, entry] of Object.entries(harm)) {
      if (name.length > 2 && option.startsWith('--') && (option.startsWith(name) || name.startsWith(option))) return entry
      if (reader.wholeWords === true && !option.startsWith('--') && lead.startsWith(option)) return entry
    }
    return undefined
  }
  if (lead.startsWith('+')) return harm['+'] ?? (lead.startsWith('+!') ? harm['+!'] : undefined)
  for (const letter of lead.slice(1)) {
    const entry = harm[`-${letter}`]
    if (entry !== undefined) return entry
    if (reader.values?.includes(letter) === true) return undefined
  }
  return undefined
}

function shown(option: string): string {
  return option.length > 40 ? `${option.slice(0, 40)}…` : option
}

export interface OptionGrammar {
  /** Letters that take a value: in the same word or the next. */
  readonly values: string
  /** Letters that take a value only in the same word. */
  readonly attached?: string
  readonly flags: string
  /** Long options that take a value; `--x=value` needs no listing. */
  readonly longValues?: readonly string[]
  readonly longFlags?: readonly string[]
}

export interface SplitWords {
  /** Letters and long names, each with its value where it has one. */
  readonly options: readonly { readonly name: string; readonly value?: Word | string }[]
  readonly operands: readonly Word[]
}

/**
 * Takes the options in front of the first operand apart, as a wrapper does. Undefined where a word is not in the grammar: what the wrapper runs cannot
 * be told then.
 */
export function splitWords(words: readonly Word[], grammar: OptionGrammar): SplitWords | undefined {
  const options: { name: string; value?: Word | string }[] = []
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    if (mayBecomeOption(word)) return undefined
    const { lead, text } = word
    if (!lead.startsWith('-') || text === '-') break
    if (text === '--') {
      at++
      break
    }
    if (lead.startsWith('--')) {
      const [name = '', ...value] = lead.split('=')
      if (value.length > 0) options.push({ name, value: value.join('=') })
      else if (text === undefined) return undefined
      else if (grammar.longFlags?.includes(name) === true) options.push({ name })
      else if (grammar.longValues?.includes(name) === true) {
        const value = words[++at]
        options.push(value === undefined ? { name } : { name, value })
      } else return undefined
      continue
    }
    for (let letter = 1; letter < lead.length; letter++) {
      const name = lead.charAt(letter)
      if (grammar.values.includes(name)) {
        const rest = lead.slice(letter + 1)
        const inWord = rest !== '' || text === undefined
        const value = inWord ? rest : words[++at]
        options.push(value === undefined ? { name } : { name, value })
        break
      } else if (grammar.attached?.includes(name) === true) {
        options.push({ name, value: lead.slice(letter + 1) })
        break
      } else if (grammar.flags.includes(name)) {
        if (text === undefined && letter === lead.length - 1) return undefined
        options.push({ name })
      } else return undefined
    }
  }
  return { options, operands: words.slice(at) }
}
