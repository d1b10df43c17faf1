/**
 * Owns the form of a tool's limits. Cheap, like all looks at a tool's form: the registry takes ten thousand in milliseconds.
 */

export interface LimitsFault {
  readonly message: string
  readonly hint: string
}

const CLIP: readonly unknown[] = ['auto', 'head-tail', 'head', 'tail', 'json', 'table', 'errors']
const RATE_PER: readonly unknown[] = ['session', 'user', 'tenant']

/** What may stand there, in words, and how that is told apart. */
interface Form {
  readonly words: string
  fits(value: unknown): boolean
}

const positive: Form = { words: 'a number above 0', fits: (value) => isNumber(value) && value > 0 }
const notNegative: Form = { words: 'a number of at least 0', fits: (value) => isNumber(value) && value >= 0 }
const whole = (least: number, most = Number.MAX_SAFE_INTEGER): Form => ({
  words: most === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${least}` : `a whole number from ${least} to ${most}`,
  fits: (value) => Number.isSafeInteger(value) && isNumber(value) && value >= least && value <= most,
})
const oneOf = (values: readonly unknown[]): Form => ({ words: `one of ${values.join(', ')}`, fits: (value) => values.includes(value) })
const text: Form = { words: 'a text', fits: (value) => typeof value === 'string' && value !== '' }
const flag: Form = { words: 'true or false', fits: (value) => typeof value === 'boolean' }

type Forms = ReadonlyMap<string, Form | Forms>

const LIMITS: Forms = new Map<string, Form | Forms>([
  ['timeoutMs', positive],
  ['maxResultChars', positive],
  ['maxResultTokens', positive],
  ['clip', oneOf(CLIP)],
  ['retries', whole(0, 3)],
  ['cacheTtlMs', positive],
  ['cacheScope', text],
  [
    'rate',
    new Map<string, Form>([
      ['calls', whole(1)],
      ['perMs', positive],
      ['per', oneOf(RATE_PER)],
    ]),
  ],
  [
    'cost',
    new Map<string, Form>([
      ['units', notNegative],
      ['unit', text],
      ['microPrice', notNegative],
    ]),
  ],
  [
    'loop',
    new Map<string, Form>([
      ['identical', whole(2)],
      ['watched', flag],
    ]),
  ],
])

/**
 * The first fault of a tool's limits; undefined when there is none. A member that is not known is one: a limit that is misspelt limits nothing.
 *
 * @example
 * ```ts
 * findLimitsFault({ timeoutMs: -1 }) // { message: 'limits.timeoutMs is -1', hint: 'Give a number above 0, or leave it out.' }
 * ```
 */
export function findLimitsFault(limits: unknown): LimitsFault | undefined {
  return limits === undefined ? undefined : look(limits, LIMITS, 'limits')
}

function look(value: unknown, forms: Forms, place: string): LimitsFault | undefined {
  if (!isRecord(value))
    return { message: `${place} is ${shown(value)}`, hint: `Give { ${[...forms.keys()].map((key) => `${key}?`).join(', ')} }.` }
  for (const [key, member] of Object.entries(value)) {
    const form = forms.get(key)
    const here = `${place}.${key}`
    if (form === undefined) return { message: `${here} is unknown`, hint: `Use ${[...forms.keys()].join(', ')}.` }
    if (member === undefined) continue
    if (form instanceof Map) {
      const fault = look(member, form, here)
      if (fault !== undefined) return fault
    } else if (isForm(form) && !form.fits(member))
      return { message: `${here} is ${shown(member)}`, hint: `Give ${form.words}, or leave it out.` }
  }
  return undefined
}

function isForm(form: Form | Forms): form is Form {
  return 'words' in form
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 100))
    : typeof value === 'number'
      ? String(value)
      : `of type ${typeof value}`
}
