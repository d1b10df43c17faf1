import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type TurnSource, Turns } from './turns.ts'

interface Turn {
  readonly tenant: string
  readonly group: string
}

/** What waits, how much of it runs, and how it is asked for. */
class Waiting implements TurnSource<Turn> {
  readonly left = new Map<string, Map<string, number>>()
  readonly atWork = new Map<string, number>()

  add(tenant: string, group: string, count: number): void {
    const groups = this.left.get(tenant) ?? new Map<string, number>()
    groups.set(group, (groups.get(group) ?? 0) + count)
    this.left.set(tenant, groups)
  }

  groups(tenant: string): readonly string[] {
    return [...(this.left.get(tenant) ?? [])].flatMap(([group, count]) => (count > 0 ? [group] : [])).toSorted()
  }

  tenants(): readonly string[] {
    return [...this.left.keys()].filter((tenant) => this.groups(tenant).length > 0).toSorted()
  }

  async tenantAfter(after: string | undefined): Promise<string | undefined> {
    return follows(this.tenants(), after)
  }

  async groupAfter(tenant: string, after: string | undefined): Promise<string | undefined> {
    return follows(this.groups(tenant), after)
  }

  async running(tenant: string, group: string): Promise<number> {
    return this.atWork.get(`${tenant}/${group}`) ?? 0
  }

  async take(tenant: string, group: string): Promise<Turn | undefined> {
    const groups = this.left.get(tenant)
    const count = groups?.get(group) ?? 0
    if (count === 0) return undefined
    groups?.set(group, count - 1)
    this.atWork.set(`${tenant}/${group}`, (this.atWork.get(`${tenant}/${group}`) ?? 0) + 1)
    return { tenant, group }
  }
}

function follows(names: readonly string[], after: string | undefined): string | undefined {
  return names.find((name) => after === undefined || name > after) ?? names[0]
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const arrival = fc.record({ tenant: name, group: name, count: fc.integer({ min: 1, max: 6 }) })

describe('Turns', () => {
  it('lets nobody wait between two turns of another, whatever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(arrival, fc.constant('turn' as const)), { maxLength: 120 }), async (events) => {
        const waiting = new Waiting()
        const turns = new Turns()
        /** Who has had a turn since this one had its last, and who has been waiting all the while. */
        const since = new Map<string, { readonly had: Set<string>; waits: ReadonlySet<string> }>()
        const note = (who: string, others: readonly string[]): void => {
          const before = since.get(who)
          for (const other of before?.waits ?? [])
            assert.ok(other === who || before?.had.has(other), `${other} waited for two turns of ${who}`)
          for (const each of since.values()) each.had.add(who)
          since.set(who, { had: new Set(), waits: new Set(others) })
        }
        for (const event of events) {
          if (event !== 'turn') {
            waiting.add(event.tenant, event.group, event.count)
            continue
          }
          const [turn] = await turns.take(waiting, 1, undefined)
          if (turn === undefined) {
            assert.deepEqual(waiting.tenants(), [])
            continue
          }
          note(turn.tenant, waiting.tenants())
          note(
            `${turn.tenant}/${turn.group}`,
            waiting.groups(turn.tenant).map((group) => `${turn.tenant}/${group}`),
          )
          const still = new Set([
            ...waiting.tenants(),
            ...waiting.tenants().flatMap((tenant) => waiting.groups(tenant).map((group) => `${tenant}/${group}`)),
          ])
          for (const each of since.values()) each.waits = new Set([...each.waits].filter((who) => still.has(who) || each.had.has(who)))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('takes all that it may, and no more of a group than may run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (arrivals, limit, perGroup) => {
          const waiting = new Waiting()
          const counts = new Map<string, number>()
          for (const { tenant, group, count } of arrivals) {
            waiting.add(tenant, group, count)
            counts.set(`${tenant}/${group}`, (counts.get(`${tenant}/${group}`) ?? 0) + count)
          }
          const may = [...counts.values()].reduce((sum, count) => sum + Math.min(count, perGroup), 0)
          const taken = await new Turns().take(waiting, limit, perGroup)
          assert.equal(taken.length, Math.min(limit, may))
          assert.ok([...waiting.atWork.values()].every((running) => running <= perGroup))
        },
      ),
      { numRuns: 200 },
    )
  })
})
