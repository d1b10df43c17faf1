/**
 * Owns the choice of a backend: the first in order that works here, has the language and enforces what is required. Each backend is made and tried
 * once, when it is first needed. What is weaker is refused and not taken instead; the bare machine only where a person asked for it in words.
 * Any number of boxes may be opened at once; closing ends all backends and with them all boxes.
 */
import {
  AdjutantError,
  type Clock,
  type IdSource,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxProbe,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { BUILT_IN_BACKENDS, DEFAULT_ORDER, DEFAULT_REQUIRES, HOST, type MakeBackend } from './backends.ts'
import { hostBackend } from './host-backend.ts'
import { type Refusal, refusalError } from './refusals.ts'

export type ByLanguage<T> = Readonly<Partial<Record<SandboxLanguage, T>>>

export interface SandboxesOptions {
  readonly clock: Clock
  readonly ids: IdSource
  /** Where keys and addresses of remote services are looked up, e.g. `E2B_API_KEY`. Default: nowhere, so that no code leaves this machine. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Further backends by name, or others in the place of built-in ones. */
  readonly backends?: Readonly<Record<string, MakeBackend>>
  /** Tried in this order, for every language or for each that is named. Default: {@link DEFAULT_ORDER} for the language. */
  readonly order?: readonly string[] | ByLanguage<readonly string[]>
  /**
   * What every box must enforce, or one for each language that is named. Default: {@link DEFAULT_REQUIRES}. An empty list: nothing. A spec can
   * only ask for more.
   */
  readonly requires?: readonly SandboxGuarantee[] | ByLanguage<readonly SandboxGuarantee[]>
  /** Code may run on this machine with nothing in between, where no backend before `host` takes it. Default false. */
  readonly unsafeHost?: boolean
}

/** One backend, as it is here. */
export interface SandboxDescription {
  readonly name: string
  readonly ok: boolean
  /** What it is, or why it does not work. */
  readonly detail: string
  /** What a person can do about it. */
  readonly fix?: string
  /** Empty when it does not work. */
  readonly languages: readonly SandboxLanguage[]
  readonly enforces: readonly SandboxGuarantee[]
  /** The languages that it would be taken for, when nothing but the usual is required. */
  readonly chosenFor: readonly SandboxLanguage[]
}

export interface Sandboxes extends AsyncDisposable {
  /**
   * Opens a box in the first fitting backend.
   *
   * @throws AdjutantError SANDBOX_UNAVAILABLE, SANDBOX_TOO_WEAK with the reason of each backend; what the chosen backend says of a wrong spec
   */
  open(spec: SandboxSpec, lang: SandboxLanguage): Promise<Sandbox>
  /** Tries every backend that is named anywhere. For people. */
  describe(): Promise<readonly SandboxDescription[]>
  /** Ends all backends and their boxes. Safe to call twice. */
  close(): Promise<void>
}

export const SANDBOX_LANGUAGES: readonly SandboxLanguage[] = ['bash', 'python', 'js', 'sql']

/**
 * Boxes of whatever works here.
 *
 * @throws AdjutantError CONFIG_INVALID for a name in `order` that is no backend, or `host` without `unsafeHost`
 * @example
 * ```ts
 * await using sandboxes = openSandboxes({ clock: systemClock, ids: randomIds })
 * await using box = await sandboxes.open({ limits: { memoryMB: 256 } }, 'python')
 * const report = await box.run({ lang: 'python', code: 'print(6 * 7)' })
 * ```
 */
export function openSandboxes(options: SandboxesOptions): Sandboxes {
  return new ChosenSandboxes(options)
}

interface Tried {
  readonly backend?: SandboxBackend
  readonly probe: SandboxProbe
}

class ChosenSandboxes implements Sandboxes {
  readonly #options: SandboxesOptions
  readonly #makers: ReadonlyMap<string, MakeBackend>
  readonly #tried = new Map<string, Promise<Tried>>()
  #closed: Promise<void> | undefined

  constructor(options: SandboxesOptions) {
    this.#options = options
    this.#makers = new Map([
      ...Object.entries(BUILT_IN_BACKENDS),
      ...Object.entries(options.backends ?? {}),
      ...(options.unsafeHost === true ? ([[HOST, hostBackend]] as const) : []),
    ])
    for (const lang of SANDBOX_LANGUAGES) for (const name of given(options.order, lang) ?? []) this.#checkName(name)
  }

  async open(spec: SandboxSpec, lang: SandboxLanguage): Promise<Sandbox> {
    const refusals: Refusal[] = []
    for (const name of this.#order(lang)) {
      const opened = await this.#openIn(name, spec, lang)
      if (!('reason' in opened)) return opened
      refusals.push(opened)
    }
    throw refusalError(lang, refusals)
  }

  async describe(): Promise<readonly SandboxDescription[]> {
    const names = [...new Set(SANDBOX_LANGUAGES.flatMap((lang) => this.#order(lang)))]
    const tried = new Map(await Promise.all(names.map(async (name) => [name, await this.#try(name)] as const)))
    const chosen = SANDBOX_LANGUAGES.map((lang) => ({
      lang,
      name: this.#order(lang).find((name) => this.#fits(name, tried.get(name), lang)),
    }))
    return names.map((name) => {
      const { backend, probe } = tried.get(name) ?? NOT_SET_UP
      return {
        name,
        ok: probe.ok,
        detail: probe.detail,
        ...(probe.fix === undefined ? {} : { fix: probe.fix }),
        languages: probe.ok ? [...(backend?.languages ?? [])] : [],
        enforces: probe.ok ? [...(backend?.enforces ?? [])] : [],
        chosenFor: chosen.filter((one) => one.name === name).map(({ lang }) => lang),
      }
    })
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      const tried = await Promise.all(this.#tried.values())
      // One that cannot be ended cleanly must not keep the others alive.
      const ends = await Promise.allSettled(tried.map(({ backend }) => backend?.[Symbol.asyncDispose]()))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #order(lang: SandboxLanguage): readonly string[] {
    const order = given(this.#options.order, lang) ?? DEFAULT_ORDER[lang]
    // The SQL of a box runs in one backend only; there is nothing to fall to on the machine.
    return this.#options.unsafeHost === true && lang !== 'sql' && !order.includes(HOST) ? [...order, HOST] : order
  }

  #checkName(name: string): void {
    if (name === HOST && this.#options.unsafeHost !== true)
      throw new AdjutantError(
        'CONFIG_INVALID',
        'the backend host runs code on this machine with nothing in between, and nobody allowed it',
        {
          hint: 'Use another backend, or allow it in words: --unsafe-host.',
        },
      )
    const known = new Set([...this.#makers.keys(), ...Object.values(DEFAULT_ORDER).flat()])
    if (!known.has(name))
      throw new AdjutantError('CONFIG_INVALID', `there is no backend ${JSON.stringify(name.slice(0, 80))}`, {
        hint: `There are: ${[...known].join(', ')}.`,
      })
  }

  #fits(name: string, tried: Tried | undefined, lang: SandboxLanguage): boolean {
    if (tried?.backend === undefined || !tried.probe.ok || !tried.backend.languages.has(lang)) return false
    return this.#missing(name, tried.backend, lang, []).length === 0
  }

  /** Whoever allowed the bare machine, and said nothing of what is required, did not mean that it must enforce something. */
  #required(name: string, lang: SandboxLanguage, more: readonly SandboxGuarantee[]): readonly SandboxGuarantee[] {
    const floor = given(this.#options.requires, lang) ?? (name === HOST ? [] : DEFAULT_REQUIRES)
    return [...new Set([...floor, ...more])]
  }

  #missing(name: string, backend: SandboxBackend, lang: SandboxLanguage, more: readonly SandboxGuarantee[]): readonly SandboxGuarantee[] {
    return this.#required(name, lang, more).filter((guarantee) => !backend.enforces.has(guarantee))
  }

  async #openIn(name: string, spec: SandboxSpec, lang: SandboxLanguage): Promise<Sandbox | Refusal> {
    const { backend, probe } = await this.#try(name)
    if (backend === undefined || !probe.ok)
      return { backend: name, kind: 'unavailable', reason: probe.detail, ...(probe.fix === undefined ? {} : { fix: probe.fix }) }
    if (!backend.languages.has(lang)) return { backend: name, kind: 'unavailable', reason: `does not run ${lang} on this machine` }
    const missing = this.#missing(name, backend, lang, spec.requires ?? [])
    if (missing.length > 0)
      return {
        backend: name,
        kind: 'weak',
        reason: `does not enforce ${missing.join(', ')} on this machine`,
        ...(probe.fix === undefined ? {} : { fix: probe.fix }),
      }
    try {
      return await backend.open({ ...spec, requires: this.#required(name, lang, spec.requires ?? []) })
    } catch (error) {
      const refusal = asRefusal(name, error)
      if (refusal === undefined) throw error
      return refusal
    }
  }

  /** Never rejects. */
  #try(name: string): Promise<Tried> {
    if (this.#closed !== undefined) return Promise.resolve({ probe: { ok: false, detail: 'the boxes of this process are closed' } })
    const there = this.#tried.get(name)
    if (there !== undefined) return there
    const tried = this.#make(name)
    this.#tried.set(name, tried)
    return tried
  }

  async #make(name: string): Promise<Tried> {
    const make = this.#makers.get(name)
    if (make === undefined) return NOT_SET_UP
    try {
      const backend = await make(this.#options)
      try {
        return { backend, probe: await backend.probe() }
      } catch (error) {
        return { backend, probe: { ok: false, detail: AdjutantError.from(error, 'SANDBOX_UNAVAILABLE').message } }
      }
    } catch (error) {
      const { message, hint } = AdjutantError.from(error, 'CONFIG_INVALID')
      return { probe: { ok: false, detail: message, fix: hint } }
    }
  }
}

/** What was said for this language. */
function given<T extends string>(
  said: readonly T[] | ByLanguage<readonly T[]> | undefined,
  lang: SandboxLanguage,
): readonly T[] | undefined {
  return said === undefined || isForAll(said) ? said : said[lang]
}

function isForAll<T extends string>(said: readonly T[] | ByLanguage<readonly T[]>): said is readonly T[] {
  return Array.isArray(said)
}

const NOT_SET_UP: Tried = { probe: { ok: false, detail: 'not set up' } }

/** A backend that cannot do what is asked is passed over; a spec that is wrong, or a box that is full, is said to whoever asked. */
function asRefusal(backend: string, error: unknown): Refusal | undefined {
  if (!AdjutantError.isInstance(error)) return undefined
  const { code, message } = error
  if (code === 'SANDBOX_TOO_WEAK') return { backend, kind: 'weak', reason: message, fix: error.hint }
  if (code === 'SANDBOX_UNAVAILABLE' || code === 'UNSUPPORTED') return { backend, kind: 'unavailable', reason: message, fix: error.hint }
  return undefined
}
