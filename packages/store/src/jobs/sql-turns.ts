/** Owns taking jobs in turns by statements that find the next one without reading what else waits. Lives in one transaction. */
import type { Claim, ClaimRequest, TurnSource } from '@adjutant/core'
import type { BodySeal, DatabaseKind, HotStatement, StoreTransaction } from '../database/index.ts'
import { groupsAfter, type HeadRow, headsOf, type LockingStatements, RUNNING, tenantsAfter } from './job-statements.ts'
import { jobOf } from './stored-job.ts'

/** What depends on how many kinds a worker does; made once for each number. */
interface KindStatements {
  readonly tenants: HotStatement<{ name: string | null }>
  readonly groups: HotStatement<{ name: string | null }>
  readonly heads: HotStatement<HeadRow>
}

const MADE = new Map<string, KindStatements>()

function statementsFor(database: DatabaseKind, kinds: number): KindStatements {
  const name = `${database} ${kinds}`
  const made = MADE.get(name) ?? { tenants: tenantsAfter(database, kinds), groups: groupsAfter(kinds), heads: headsOf(kinds) }
  MADE.set(name, made)
  return made
}

export interface SqlTurnsOptions {
  readonly tx: StoreTransaction
  readonly seal: BodySeal
  readonly locking: LockingStatements
  readonly request: ClaimRequest
  readonly now: number
}

export function sqlTurns({ tx, seal, locking, request, now }: SqlTurnsOptions): TurnSource<Claim> {
  const { kinds, worker, leaseMs } = request
  const { tenants, groups, heads } = statementsFor(tx.kind, kinds.length)
  const until = now + leaseMs
  return {
    async tenantAfter(after) {
      const rows = await tx.all(
        tenants,
        kinds.flatMap((kind) => [now, kind, after ?? '', kind, now, kind, '', kind]),
      )
      return following(rows, after)
    },
    async groupAfter(tenantId, after) {
      const rows = await tx.all(
        groups,
        kinds.flatMap((kind) => [now, kind, tenantId, after ?? '', now, kind, tenantId, '']),
      )
      return following(rows, after)
    },
    async running(tenantId, group) {
      return (await tx.get(RUNNING, [tenantId, group]))?.n ?? 0
    },
    async take(tenantId, group) {
      const kind =
        kinds.length === 1
          ? kinds[0]
          : (
              await tx.all(
                heads,
                kinds.flatMap((each) => [each, tenantId, group, now]),
              )
            ).toSorted(earlier)[0]?.kind
      if (kind === undefined) return undefined
      const row = await tx.get(locking.take, [worker, until, now, kind, tenantId, group, now])
      return row === undefined ? undefined : { job: jobOf(row, seal), fence: row.fence, until }
    },
  }
}

/** Of what each kind gave: the first that follows, else the first of all. In the order of the bytes, as the databases have it. */
function following(rows: readonly { readonly name: string | null }[], after: string | undefined): string | undefined {
  const names = rows.flatMap(({ name }) => (name === null ? [] : [Buffer.from(name)])).toSorted(Buffer.compare)
  const from = Buffer.from(after ?? '')
  const next = names.find((name) => after === undefined || Buffer.compare(name, from) > 0) ?? names[0]
  return next?.toString()
}

function earlier(a: HeadRow, b: HeadRow): number {
  return b.priority - a.priority || a.run_at - b.run_at || a.created_at - b.created_at || (a.job_id < b.job_id ? -1 : 1)
}
