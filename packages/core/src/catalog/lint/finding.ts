/** How bad it is: a provider or a model will fail on it; a model will choose worse for it; it could be said better. */
export const LINT_SEVERITIES = ['error', 'warning', 'note'] as const
export type LintSeverity = (typeof LINT_SEVERITIES)[number]

/** Every rule, with what it is about and how bad a breach is. */
export const LINT_RULES = {
  'name-duplicate': { severity: 'error', about: 'Several tools have the same name: only one of them can be called by it.' },
  'name-long': { severity: 'error', about: 'The name has more than 64 characters, which no provider takes.' },
  'name-characters': {
    severity: 'warning',
    about: 'The name has characters other than letters, digits, _ and -: it is changed before a model sees it.',
  },
  'name-vague': { severity: 'warning', about: 'The name does not say what the tool works on.' },
  'description-empty': { severity: 'error', about: 'There is no description: a model can only guess.' },
  'description-short': { severity: 'warning', about: 'The description says no more than the name.' },
  'description-long': {
    severity: 'note',
    about: 'The description has more than 1 024 characters, which some providers refuse and every request pays for.',
  },
  'description-limits': { severity: 'note', about: 'The description does not say what the tool is not for.' },
  'parameter-undocumented': { severity: 'warning', about: 'Parameters have no description.' },
  'schema-refused': { severity: 'error', about: 'A provider refuses this schema.' },
  'overlap-same': { severity: 'warning', about: 'Several tools are described alike: a model chooses between them by chance.' },
  'overlap-near': { severity: 'warning', about: 'Two tools are described nearly alike.' },
} as const satisfies Readonly<Record<string, { readonly severity: LintSeverity; readonly about: string }>>

type LintRule = keyof typeof LINT_RULES

export interface LintFinding {
  readonly rule: LintRule
  readonly severity: LintSeverity
  /** Ids of the tools concerned; the first is the one to change. */
  readonly tools: readonly string[]
  readonly message: string
  /** What to do about it. */
  readonly hint: string
  /** Of overlapping tools: 0 … 1, and the words that only one of the two has. */
  readonly similarity?: number
  readonly separating?: readonly (readonly string[])[]
  /** Of a refused schema. */
  readonly provider?: string
}

export function finding(
  rule: LintRule,
  tools: readonly string[],
  message: string,
  hint: string,
  more: Partial<LintFinding> = {},
): LintFinding {
  return { rule, severity: LINT_RULES[rule].severity, tools, message, hint, ...more }
}

/** True when `severity` is at least as bad as `threshold`. */
export function isAtLeast(severity: LintSeverity, threshold: LintSeverity): boolean {
  return LINT_SEVERITIES.indexOf(severity) <= LINT_SEVERITIES.indexOf(threshold)
}
