/** Owns how the outcome of the attack part is shown: one line a guarantee, and the attempts about which something is to be said. */
import type { SandboxBackend, SandboxGuarantee } from '@adjutant/core/contract'
import type { AttackResult } from './attack-bench.ts'

/** The order of the table. */
export const GUARANTEES: readonly SandboxGuarantee[] = [
  'filesystem',
  'network',
  'processes',
  'environment',
  'memory',
  'cpu',
  'process-count',
  'disk',
  'file-count',
  'kernel',
]

/** Lines of plain text. */
export function attackTable(backend: Pick<SandboxBackend, 'name' | 'enforces'>, results: readonly AttackResult[]): readonly string[] {
  const rows = GUARANTEES.map((guarantee) => {
    const of = results.filter((result) => result.attempt.guarantee === guarantee)
    const count = (outcome: AttackResult['outcome']): number => of.filter((result) => result.outcome === outcome).length
    const tried = of.length - count('no-language') - count('declared-absent')
    const state = backend.enforces.has(guarantee)
      ? tried === 0
        ? 'claimed, untried'
        : count('held') < tried
          ? 'CLAIMED, NOT HELD'
          : 'enforced'
      : 'declared-absent'
    const proven = of.filter((result) => result.provenBy !== undefined).length
    return `${guarantee.padEnd(14)} ${state.padEnd(18)} tried ${tried}, held ${count('held')}, escaped ${count('escaped')}, proven ${proven}`
  })
  const made = results.filter((result) => result.outcome !== 'no-language' && result.outcome !== 'declared-absent')
  const bad = results.filter((result) => result.outcome === 'escaped' || result.outcome === 'broken')
  const unproven = results.filter((result) => result.outcome === 'held' && result.unproven !== undefined)
  return [
    `${backend.name}: ${made.filter((result) => result.outcome === 'held').length} of ${made.length} attempts held, ${results.length - made.length} not made`,
    ...rows,
    ...bad.map((result) => `${result.outcome.toUpperCase()} ${result.attempt.id}: ${result.detail}`),
    ...unproven.map((result) => `held, without proof that it works here: ${result.attempt.id} (${result.unproven?.slice(0, 160) ?? ''})`),
  ]
}
