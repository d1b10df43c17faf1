/** Owns what is said when no box can be opened: of each backend why not, and what a person can do about it. */
import { AdjutantError, type SandboxLanguage } from '@adjutant/core/contract'

export interface Refusal {
  readonly backend: string
  /** `weak`: it works here, and does not enforce or cannot do what was asked. */
  readonly kind: 'unavailable' | 'weak'
  readonly reason: string
  readonly fix?: string
}

const MOST_REASON = 300

/** One error of all refusals. */
export function refusalError(lang: SandboxLanguage, refusals: readonly Refusal[]): AdjutantError {
  const code = refusals.some((one) => one.kind === 'weak') ? 'SANDBOX_TOO_WEAK' : 'SANDBOX_UNAVAILABLE'
  const reasons = refusals.map(({ backend, reason }) => `${backend}: ${reason.slice(0, MOST_REASON)}`)
  const what = code === 'SANDBOX_TOO_WEAK' ? `no box here is strong enough to run ${lang}` : `no box here can run ${lang}`
  const fixes = refusals.flatMap(({ backend, fix }) => (fix === undefined ? [] : [`${backend}: ${fix.slice(0, MOST_REASON)}`]))
  const message = reasons.length === 0 ? `${what}: no backend is named for it` : `${what}. ${reasons.join('; ')}`
  const hint =
    fixes.length === 0
      ? 'Go on without running code and say so.'
      : `Go on without running code and say so. A person can do this: ${fixes.join(' ')}`
  return new AdjutantError(code, message, { hint })
}
