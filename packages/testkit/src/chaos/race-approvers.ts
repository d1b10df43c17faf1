import { ApprovalConflict, type ApprovalDesk, type ApprovalId, type DeskDecision, type StoredApproval } from '@adjutant/core/contract'

export interface ApproverRace {
  /** What each one that won was given. Of a desk that keeps its word: one. */
  readonly won: readonly StoredApproval[]
  /** What each of the others was told. */
  readonly lost: readonly ApprovalConflict[]
  /** Whatever else happened. */
  readonly failed: readonly unknown[]
}

/**
 * Lets several decide one approval at the same moment. From one process each desk should have connections of its own; for approvers in several
 * processes see `ChaosProcess`.
 *
 * @example
 * ```ts
 * const race = await raceApprovers([first.approvals, second.approvals], 'local', id, [yes, no])
 * assert.equal(race.won.length, 1)
 * ```
 */
export async function raceApprovers(
  desks: readonly ApprovalDesk[],
  tenantId: string,
  id: ApprovalId,
  decisions: readonly DeskDecision[],
): Promise<ApproverRace> {
  const ends = await Promise.allSettled(
    decisions.map(async (decision, index) => {
      const desk = desks[index % desks.length]
      if (desk === undefined) throw new RangeError('a race needs a desk')
      return await desk.decide(tenantId, id, decision)
    }),
  )
  const won: StoredApproval[] = []
  const lost: ApprovalConflict[] = []
  const failed: unknown[] = []
  for (const end of ends) {
    if (end.status === 'fulfilled') won.push(end.value)
    else if (end.reason instanceof ApprovalConflict) lost.push(end.reason)
    else failed.push(end.reason)
  }
  return { won, lost, failed }
}
