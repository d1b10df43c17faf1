/**
 * What a configuration says of protection, as the session takes it: policy, budgets, rates, loop guard, redaction, hints, audit. Opened before a
 * session, closed by it; nothing here is shared between runs but the files.
 */
import { readFile } from 'node:fs/promises'
import {
  AdjutantError,
  type AuditSink,
  auditObserver,
  type BudgetLimits,
  type Clock,
  createRedactor,
  FileAuditSink,
  type HintDictionary,
  LOCAL_PRINCIPAL,
  loadPolicy,
  mergeHintDictionaries,
  meteringObserver,
  OriginGuards,
  RateLimiter,
  type Redactor,
  ResultCache,
  type RulePolicy,
  readHintDictionary,
  rolesDocument,
  type SessionObserver,
  type SessionOptions,
} from '@adjutant/core'
import type { Store } from '@adjutant/store'
import type { CliIo } from '../cli-io.ts'
import { commandReaders } from './command-readers.ts'
import type { BudgetConfig, Config, RedactConfig } from './config.ts'

/** Millionths of a currency. */
const MICRO = 1_000_000
/** Longer dictionaries are no hints any more. */
const MAX_HINT_BYTES = 4 * 1024 * 1024

type Guards = Pick<
  SessionOptions,
  | 'policy'
  | 'strategy'
  | 'loopGuard'
  | 'budget'
  | 'pricing'
  | 'rates'
  | 'cache'
  | 'origins'
  | 'redactor'
  | 'hints'
  | 'hintLanguage'
  | 'observers'
>

export interface OpenGuardsOptions {
  readonly clock: Clock
  /** Where rates are counted and results are kept for all processes. Default: in this one. */
  readonly store?: Pick<Store, 'cache' | 'rates' | 'audit' | 'metering'>
  /** Whose records they are. Default: the person at this terminal. */
  readonly tenantId?: string
}

/** @throws AdjutantError CONFIG_INVALID with `file:line:column` */
export async function openGuards(
  config: Config,
  io: Pick<CliIo, 'env'>,
  { clock, store, tenantId = LOCAL_PRINCIPAL.tenantId }: OpenGuardsOptions,
): Promise<Guards & { readonly policy: RulePolicy }> {
  const { guards } = config
  const redactor = redactorOf(guards.redact, io)
  const [policy, hints] = await Promise.all([openPolicy(config, io), hintsOf(config.hints)])
  const { budget, pricing, rates, ratesUnanswered, origins } = guards
  // The rates that tools declare are counted there, too.
  const limited = rates !== undefined || store !== undefined
  return {
    policy,
    redactor: redactor ?? false,
    observers: [
      ...observersOf(config, io, clock, redactor, store?.audit(tenantId)),
      ...(store === undefined ? [] : [meteringObserver({ sink: store.metering })]),
    ],
    ...(guards.strategy === undefined ? {} : { strategy: guards.strategy }),
    ...(guards.loopGuard === undefined ? {} : { loopGuard: guards.loopGuard }),
    ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
    ...(pricing === undefined ? {} : { pricing: { inputMicroPrice: pricing.input * MICRO, outputMicroPrice: pricing.output * MICRO } }),
    ...(limited
      ? {
          rates: new RateLimiter({
            clock,
            rules: rates ?? [],
            ...(store === undefined ? {} : { store: store.rates }),
            ...(ratesUnanswered === undefined ? {} : { unanswered: ratesUnanswered }),
          }),
        }
      : {}),
    ...(store === undefined ? {} : { cache: new ResultCache({ clock, shared: store.cache }) }),
    ...(origins === undefined ? {} : { origins: new OriginGuards({ clock, rules: origins }) }),
    ...(hints === undefined ? {} : { hints }),
    ...(config.hintLanguage === undefined ? {} : { hintLanguage: config.hintLanguage }),
  }
}

/** The policy of the usual places and of the files that the configuration names. @throws AdjutantError CONFIG_INVALID */
export function openPolicy(config: Config, io: Pick<CliIo, 'env'>): Promise<RulePolicy> {
  return loadPolicy({
    workspace: config.workspace,
    env: io.env,
    files: config.policy,
    documents: config.roles === undefined ? [] : [rolesDocument(config.roles)],
    openCommands: commandReaders,
  })
}

function budgetOf({ seconds, money, ...rest }: BudgetConfig): BudgetLimits {
  return {
    ...rest,
    ...(seconds === undefined ? {} : { wallMs: seconds * 1_000 }),
    ...(money === undefined ? {} : { microPrice: money * MICRO }),
  }
}

function redactorOf(redact: false | RedactConfig | undefined, io: Pick<CliIo, 'env'>): Redactor | undefined {
  if (redact === false) return undefined
  const { environment = true, ...rest } = redact ?? {}
  return createRedactor({ ...rest, ...(environment ? { env: io.env } : {}) })
}

function observersOf(
  { auditFolder, auditSync, auditInStore }: Config,
  io: Pick<CliIo, 'env'>,
  clock: Clock,
  redactor: Redactor | undefined,
  inStore: AuditSink | undefined,
): readonly SessionObserver[] {
  if (auditFolder === undefined) return []
  const key = io.env.ADJUTANT_AUDIT_KEY
  return [
    auditObserver({
      sink:
        auditInStore === true && inStore !== undefined
          ? inStore
          : new FileAuditSink(auditFolder, { clock, ...(auditSync === undefined ? {} : { sync: auditSync }) }),
      clock,
      ...(redactor === undefined ? {} : { redactor }),
      ...(key === undefined || key === '' ? {} : { key }),
    }),
  ]
}

async function hintsOf(files: readonly string[]): Promise<HintDictionary | undefined> {
  if (files.length === 0) return undefined
  return mergeHintDictionaries(await Promise.all(files.map(readHints)))
}

/** @throws AdjutantError CONFIG_INVALID naming file and line */
async function readHints(file: string): Promise<HintDictionary> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new AdjutantError('CONFIG_INVALID', `${file}: ${error instanceof Error ? error.message : String(error)}`, {
      hint: 'Correct the file under "hints".',
      cause: error,
    })
  }
  if (text.length > MAX_HINT_BYTES) throw new AdjutantError('CONFIG_INVALID', `${file}: it is longer than ${MAX_HINT_BYTES} characters`)
  return readHintDictionary(text, { file })
}
