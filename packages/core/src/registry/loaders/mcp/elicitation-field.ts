import { isJsonObject, type JsonObject, type JsonValue, type Question } from '../../../contract/index.ts'
import { ownValue } from '../../../contract/json.ts'

/** What a person's answer to one field of a server's form may be. */
export type FieldValue = string | number | boolean | string[]

type FieldReading =
  | { readonly ok: true /** Absent: left out. */; readonly value?: FieldValue }
  | { readonly ok: false; readonly problem: string }

/** One field of a form that a server wants filled in: a question, and how its answer is read. */
export interface FormField {
  readonly name: string
  readonly question: Question
  read(answer: string): FieldReading
}

const LEAVE_OUT = '(leave out)'
const MAX_TEXT = 2_000
const MAX_OPTIONS = 200

/** A field as the protocol describes it: text, number, yes or no, one of several, or several of several. Undefined: none of these. */
export function formField(name: string, schema: JsonValue, required: boolean): FormField | undefined {
  if (!isJsonObject(schema)) return undefined
  const type = ownValue(schema, 'type')
  const standard = ownValue(schema, 'default')
  if (type === 'boolean') {
    return choiceField(name, schema, required, [
      { label: 'yes', value: true },
      { label: 'no', value: false },
    ])
  }
  const options = optionsOf(schema)
  if (type === 'string' && options !== undefined) return choiceField(name, schema, required, options)
  if (type === 'array') return severalField(name, schema, required)
  const isNumber = type === 'number' || type === 'integer'
  if (!isNumber && type !== 'string') return undefined
  const fallback = typeof standard === 'string' || typeof standard === 'number' ? String(standard) : required ? undefined : ''
  return {
    name,
    question: { text: titleOf(name, schema, required, limitsOf(schema)), ...(fallback === undefined ? {} : { fallback }) },
    read: (answer) => {
      if (answer.trim() === '' && !required) return { ok: true }
      return isNumber ? readNumber(answer, schema, type === 'integer') : readText(answer, schema)
    },
  }
}

interface Option {
  readonly label: string
  readonly value: string | boolean
}

function choiceField(name: string, schema: JsonObject, required: boolean, options: readonly Option[]): FormField {
  const standard = ownValue(schema, 'default')
  const usual = options.find(({ value }) => value === standard)?.label ?? (required ? undefined : LEAVE_OUT)
  const choices = [...options.map(({ label }) => label), ...(required ? [] : [LEAVE_OUT])]
  return {
    name,
    question: { text: titleOf(name, schema, required, ''), choices, ...(usual === undefined ? {} : { fallback: usual }) },
    read: (answer) => {
      const said = answer.trim()
      const option = options.find(({ label, value }) => label === said || value === said)
      if (option !== undefined) return { ok: true, value: option.value }
      if (!required && (said === LEAVE_OUT || said === '')) return { ok: true }
      return { ok: false, problem: `it has to be one of ${choices.join(', ')}` }
    },
  }
}

function severalField(name: string, schema: JsonObject, required: boolean): FormField | undefined {
  const items = ownValue(schema, 'items')
  const options = items === undefined || !isJsonObject(items) ? undefined : optionsOf(items)
  if (options === undefined) return undefined
  const standard = ownValue(schema, 'default')
  const usual = Array.isArray(standard) ? options.filter(({ value }) => standard.includes(value)).map(({ label }) => label) : undefined
  const fallback = usual?.join(', ') ?? (required ? undefined : '')
  const labels = options.map(({ label }) => label).join(', ')
  const min = numberOf(schema, 'minItems') ?? 0
  const max = numberOf(schema, 'maxItems') ?? options.length
  return {
    name,
    question: {
      text: titleOf(name, schema, required, `several of: ${labels}; separated by commas`),
      ...(fallback === undefined ? {} : { fallback }),
    },
    read: (answer) => {
      const said = answer.split(',').map((word) => word.trim())
      const words = [...new Set(said.filter((word) => word !== ''))]
      if (words.length === 0 && !required) return { ok: true }
      const chosen: string[] = []
      for (const word of words) {
        const option = options.find(({ label, value }) => label === word || value === word)
        if (option === undefined) return { ok: false, problem: `${JSON.stringify(word)} is none of ${labels}` }
        chosen.push(String(option.value))
      }
      if (chosen.length < min || chosen.length > max) return { ok: false, problem: `${min} to ${max} have to be named` }
      return { ok: true, value: chosen }
    },
  }
}

/** `enum` with or without names beside it, or titled constants. */
function optionsOf(schema: JsonObject): readonly Option[] | undefined {
  const titled = ownValue(schema, 'oneOf') ?? ownValue(schema, 'anyOf')
  if (Array.isArray(titled)) {
    const options: Option[] = []
    for (const entry of titled.slice(0, MAX_OPTIONS)) {
      if (!isJsonObject(entry) || typeof entry.const !== 'string') return undefined
      options.push({ label: typeof entry.title === 'string' && entry.title !== '' ? entry.title : entry.const, value: entry.const })
    }
    return distinct(options)
  }
  const values = ownValue(schema, 'enum')
  if (!Array.isArray(values) || values.length === 0) return undefined
  const names = ownValue(schema, 'enumNames')
  const options: Option[] = []
  for (const [index, value] of values.slice(0, MAX_OPTIONS).entries()) {
    if (typeof value !== 'string') return undefined
    const name: unknown = Array.isArray(names) ? names[index] : undefined
    options.push({ label: typeof name === 'string' && name !== '' ? name : value, value })
  }
  return distinct(options)
}

/** Two options that look the same cannot be told apart by a person: then their values are shown. */
function distinct(options: readonly Option[]): readonly Option[] {
  const labels = new Set(options.map(({ label }) => label))
  return labels.size === options.length ? options : options.map(({ value }) => ({ label: String(value), value }))
}

function titleOf(name: string, schema: JsonObject, required: boolean, limits: string): string {
  const title = ownValue(schema, 'title')
  const description = ownValue(schema, 'description')
  const head = typeof title === 'string' && title !== '' && title !== name ? `${title} (${name})` : name
  const notes = [typeof description === 'string' ? description : '', limits, required ? '' : 'may be left out'].filter(
    (note) => note !== '',
  )
  return (notes.length === 0 ? head : `${head}: ${notes.join('; ')}`).slice(0, MAX_TEXT)
}

const FORMATS: Readonly<Record<string, { readonly words: string; readonly fits: (text: string) => boolean }>> = {
  email: { words: 'an e-mail address', fits: (text) => /^[^\s@]{1,200}@[^\s@]{1,200}$/.test(text) },
  uri: { words: 'an address with its scheme', fits: (text) => URL.canParse(text) },
  date: { words: 'a date like 2026-01-31', fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) },
  'date-time': {
    words: 'a time like 2026-01-31T09:00:00Z',
    fits: (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i.test(text) && !Number.isNaN(Date.parse(text)),
  },
}

function formatOf(schema: JsonObject): (typeof FORMATS)[string] | undefined {
  const format = ownValue(schema, 'format')
  return typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
}

function limitsOf(schema: JsonObject): string {
  const words: string[] = []
  const type = ownValue(schema, 'type')
  if (type !== 'string') words.push(type === 'integer' ? 'a whole number' : 'a number')
  const format = formatOf(schema)
  if (format !== undefined) words.push(format.words)
  const bounds = [
    ['minimum', 'at least', ''],
    ['maximum', 'at most', ''],
    ['minLength', 'at least', ' characters'],
    ['maxLength', 'at most', ' characters'],
  ] as const
  for (const [key, word, unit] of bounds) {
    const bound = numberOf(schema, key)
    if (bound !== undefined) words.push(`${word} ${bound}${unit}`)
  }
  return words.join(', ')
}

function numberOf(schema: JsonObject, key: string): number | undefined {
  const value = ownValue(schema, key)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function readNumber(answer: string, schema: JsonObject, whole: boolean): FieldReading {
  const value = answer.trim() === '' ? Number.NaN : Number(answer)
  if (!Number.isFinite(value) || (whole && !Number.isInteger(value))) {
    return { ok: false, problem: `it has to be ${whole ? 'a whole number' : 'a number'}` }
  }
  const min = numberOf(schema, 'minimum') ?? Number.NEGATIVE_INFINITY
  const max = numberOf(schema, 'maximum') ?? Number.POSITIVE_INFINITY
  return value < min || value > max ? { ok: false, problem: `it has to be ${limitsOf(schema)}` } : { ok: true, value }
}

function readText(answer: string, schema: JsonObject): FieldReading {
  const { length } = [...answer]
  const format = formatOf(schema)
  const fits = length >= (numberOf(schema, 'minLength') ?? 0) && length <= (numberOf(schema, 'maxLength') ?? Number.POSITIVE_INFINITY)
  if (!fits || (format !== undefined && !format.fits(answer))) return { ok: false, problem: `it has to be ${limitsOf(schema)}` }
  return { ok: true, value: answer }
}
