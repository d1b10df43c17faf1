import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { AdjutantError } from '../contract/errors.ts'
import type { Digest } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonSchema } from '../contract/json.ts'
import { digestOf } from '../util/canonical-json.ts'
import { BoundedMap } from './bounded-map.ts'
import { EXACT_CHOICES, UNIQUE_ITEMS } from './exact-keywords.ts'
import { guardedPattern, PatternTooSlow, startPatternTime } from './guarded-pattern.ts'
import { clippedJson, hasMoreValuesThan, pointerToken } from './json-shape.ts'
import { invalid, type NormalisedSchema, normaliseSchema, type SchemaDialect } from './normalise-schema.ts'

/**
 * Owns the checking of values against JSON Schemas (2020-12, 2019-09, draft-07 and what can be read as these).
 *
 * A schema is compiled when it is first used, with a compiler of its own: two tools may use the same `$id`, and nothing of a
 * schema outlives its cache entry. Formats are annotations, as the draft says: none is asserted. References are followed inside
 * the schema only; nothing is ever fetched.
 *
 * Refuses (TOOL_INVALID with the place): a schema that cannot be compiled, or that cannot be checked to an end.
 * Synchronous; the cache is shared by everything in the process and holds nothing but compiled schemas.
 */

/** One way in which a value does not fit. */
export interface Issue {
  /** JSON Pointer into the value. */
  readonly path: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** What stands at `path`. */
  readonly value: unknown
  /** The subschema that the keyword stands in. */
  readonly schema: JsonObject | undefined
  /** The JSON Pointer of that subschema, where it is known. */
  readonly pointer: string | undefined
}

/** Something that values can be checked against: a whole schema, or a part of one. */
export interface Checker {
  accepts(value: unknown): boolean
  /** Everything that is wrong, or only the first thing when the value is large; empty when it fits. */
  issues(value: unknown): readonly Issue[]
}

export interface CompiledSchema extends Checker {
  /** In the words of its draft; what conversion and messages read. */
  readonly schema: JsonSchema
  /** The checker of the subschema at a JSON Pointer; nothing when there is none or it cannot be compiled. */
  part(pointer: string): Checker | undefined
}

/**
 * Values with more members than this (divided by the alternatives that may each tell of a fault) get their first issue only:
 * each issue costs memory, and nobody reads thousands. Ours.
 */
const MAX_VALUES_FOR_ALL_ISSUES = 20_000
/** Compiled schemas kept for other tools with an equal schema; each is some 15 KB. */
const CACHE_SIZE = 1_000

const bySchema = new WeakMap<object, CompiledSchema | AdjutantError>()
const byDigest = new BoundedMap<Digest, CompiledSchema>(CACHE_SIZE)

/**
 * Compiles a schema, or gives the one compiled before.
 *
 * @throws AdjutantError TOOL_INVALID naming the place in the schema
 * @example
 * ```ts
 * const compiled = compileSchema({ type: 'object', required: ['path'] })
 * compiled.accepts({}) // false
 * compiled.issues({})[0]?.keyword // 'required'
 * ```
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  if (typeof schema === 'boolean') return schema ? ANYTHING : NOTHING
  const known = bySchema.get(schema)
  if (known === undefined) return compileFirst(schema)
  if (known instanceof AdjutantError) throw known
  return known
}

function compileFirst(schema: JsonObject): CompiledSchema {
  try {
    const normalised = normaliseSchema(schema)
    // Of the schema as it was written: what is made of it also depends on the `$schema` that normalising takes away.
    const digest = digestOf(schema)
    let compiled = byDigest.get(digest)
    if (compiled === undefined) {
      compiled = new AjvSchema(normalised)
      byDigest.set(digest, compiled)
    }
    bySchema.set(schema, compiled)
    return compiled
  } catch (error) {
    const refusal = AdjutantError.isInstance(error) ? error : invalid('', error instanceof Error ? error.message : String(error), error)
    if (typeof schema === 'object' && schema !== null) bySchema.set(schema, refusal)
    throw refusal
  }
}

const COMPILERS = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const satisfies Record<SchemaDialect, unknown>

const OPTIONS: Options = {
  strict: false,
  logger: false,
  validateFormats: false,
  // A required `toString` is not there because Object.prototype has one.
  ownProperties: true,
  // The form of the schema is checked once before, by `checkForm`, with the whole place of what is wrong.
  validateSchema: false,
  code: { regExp: Object.assign((source: string) => guardedPattern(source), { code: 'guardedPattern' }) },
}

const ROOT = 'root'

class AjvSchema implements CompiledSchema {
  readonly schema: JsonSchema
  readonly #normalised: NormalisedSchema
  readonly #first: ValidateFunction
  #thorough: InstanceType<typeof Ajv> | InstanceType<typeof Ajv2020> | undefined
  readonly #parts = new Map<string, Checker | undefined>()

  constructor(normalised: NormalisedSchema) {
    this.schema = normalised.schema
    this.#normalised = normalised
    checkForm(normalised)
    try {
      this.#first = this.#compiler({ verbose: true }).compile(normalised.schema)
    } catch (error) {
      throw compileProblem(normalised.schema, error)
    }
  }

  accepts(value: unknown): boolean {
    startPatternTime()
    return run(this.#first, value)
  }

  issues(value: unknown): readonly Issue[] {
    startPatternTime()
    if (run(this.#first, value)) return []
    if (hasMoreValuesThan(value, MAX_VALUES_FOR_ALL_ISSUES / this.#normalised.widestUnion)) return this.#issuesOf(this.#first.errors)
    return this.part('')?.issues(value) ?? this.#issuesOf(this.#first.errors)
  }

  part(pointer: string): Checker | undefined {
    if (this.#parts.has(pointer)) return this.#parts.get(pointer)
    const part = this.#compilePart(pointer)
    this.#parts.set(pointer, part)
    return part
  }

  #compilePart(pointer: string): Checker | undefined {
    try {
      this.#thorough ??= this.#compiler({ allErrors: true, verbose: true }).addSchema(this.#normalised.schema, ROOT)
      const check = this.#thorough.getSchema(`${ROOT}#${encodeURI(pointer).replaceAll('#', '%23').replaceAll('?', '%3F')}`)
      if (check === undefined) return undefined
      return {
        accepts: (value) => run(check, value),
        issues: (value) => (run(check, value) ? [] : this.#issuesOf(check.errors)),
      }
    } catch (error) {
      if (AdjutantError.isInstance(error)) throw error
      return undefined
    }
  }

  #compiler(options: Options): InstanceType<typeof Ajv> | InstanceType<typeof Ajv2020> {
    const { dialect, usesMetaSchema, comparesObjects } = this.#normalised
    const compiler = new COMPILERS[dialect]({ ...OPTIONS, meta: usesMetaSchema, ...options })
    compiler.removeKeyword('uniqueItems').addKeyword(UNIQUE_ITEMS)
    if (comparesObjects) for (const keyword of EXACT_CHOICES) compiler.removeKeyword(String(keyword.keyword)).addKeyword(keyword)
    return compiler
  }

  #issuesOf(errors: readonly ErrorObject[] | null | undefined): readonly Issue[] {
    // What a name does wrong is said by `propertyNames` itself, with the name.
    const told = (errors ?? []).filter((error) => error.propertyName === undefined || error.keyword === 'propertyNames')
    return told.map((error) => {
      const schema: unknown = error.parentSchema
      const pointer = isJsonObject(schema) ? this.#normalised.pointers.get(schema) : undefined
      return {
        path: error.instancePath,
        keyword: error.keyword,
        params: error.params,
        value: error.data,
        schema: isJsonObject(schema) ? schema : undefined,
        pointer,
      }
    })
  }
}

function run(check: ValidateFunction, value: unknown): boolean {
  try {
    return check(value) === true
  } catch (error) {
    if (error instanceof PatternTooSlow) throw invalid('', error.message, error)
    if (error instanceof RangeError) throw invalid('', 'it refers to itself without end', error)
    throw invalid('', `checking a value failed: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

const forms = new Map<SchemaDialect, InstanceType<typeof Ajv> | InstanceType<typeof Ajv2020>>()

/**
 * Checks the schema against the meta-schema of its draft, so that nothing malformed reaches the compiler (it writes code) and
 * the message can name the place.
 */
function checkForm(normalised: NormalisedSchema): void {
  let form = forms.get(normalised.dialect)
  if (form === undefined) {
    form = new COMPILERS[normalised.dialect]({ strict: false, logger: false, validateFormats: false })
    forms.set(normalised.dialect, form)
  }
  if (form.validateSchema(normalised.schema) === true) return
  const error = deepest(form.errors ?? [])
  throw invalid(error?.instancePath ?? '', `${error?.message ?? 'it is no JSON Schema'}${choices(error)}`)
}

/** A meta-schema tells of one fault many times; the deepest place is the one to look at. */
function deepest(errors: readonly ErrorObject[]): ErrorObject | undefined {
  let best: ErrorObject | undefined
  for (const error of errors) if (best === undefined || error.instancePath.length > best.instancePath.length) best = error
  return best
}

function choices(error: ErrorObject | undefined): string {
  const allowed: unknown = error?.keyword === 'enum' ? error.params.allowedValues : undefined
  return allowed === undefined ? '' : `: ${clippedJson(allowed, 120)}`
}

function compileProblem(schema: JsonSchema, error: unknown): AdjutantError {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Error && 'missingRef' in error && typeof error.missingRef === 'string') {
    const reference = error.missingRef
    const pointer = placeOf(
      schema,
      '',
      (key, value) => /^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && isSameReference(value, reference),
    )
    const local = reference.startsWith('#')
    return invalid(
      pointer ?? '',
      local
        ? `the reference ${clippedJson(reference)} points at nothing`
        : `the reference ${clippedJson(reference)} is outside the schema, and nothing is fetched; put what it refers to under $defs`,
      error,
    )
  }
  if (error instanceof RangeError) return invalid('', 'its references lead in a circle that cannot be compiled', error)
  if (error instanceof SyntaxError) {
    const pointer = placeOf(schema, '', (key, value) => key === 'pattern' && typeof value === 'string' && message.includes(`/${value}/`))
    return invalid(pointer ?? '', message, error)
  }
  return invalid('', message, error)
}

/** The compiler names a reference resolved against its base; the schema has it as it was written. */
function isSameReference(written: unknown, resolved: string): boolean {
  return typeof written === 'string' && (written === resolved || resolved.endsWith(written))
}

function placeOf(value: unknown, pointer: string, found: (key: string, value: unknown) => boolean): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const place = `${pointer}/${pointerToken(key)}`
    if (found(key, member)) return place
    const below = placeOf(member, place, found)
    if (below !== undefined) return below
  }
  return undefined
}

const ANYTHING: CompiledSchema = Object.freeze({ schema: true, accepts: () => true, issues: () => [], part: () => undefined })
const NOTHING: CompiledSchema = Object.freeze({
  schema: false,
  accepts: () => false,
  issues: (value: unknown) => [{ path: '', keyword: 'false schema', params: {}, value, schema: undefined, pointer: '' }],
  part: () => undefined,
})
