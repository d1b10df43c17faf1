/** Stores in memory that cheat in one point each: what the conformance suite has to find. */
import { MemoryDurableStore } from '@adjutant/core'
import {
  AdjutantError,
  ApprovalConflict,
  type ApprovalDesk,
  type DurableStore,
  type JsonObject,
  type LoadedSession,
  type SessionHold,
  type StepRecord,
} from '@adjutant/core/contract'
import type { ManualClock } from '../manual-clock.ts'

export interface Cheat {
  readonly name: string
  /** The case that finds it. */
  readonly found: RegExp
  make(clock: ManualClock): DurableStore
}

type StoreOver = (honest: MemoryDurableStore) => Partial<Omit<DurableStore, 'approvals'>>
type DeskOver = (honest: ApprovalDesk) => Partial<ApprovalDesk>
type HoldOver = (honest: SessionHold) => Partial<SessionHold>

function storeWith(clock: ManualClock, over: StoreOver, deskOver: DeskOver = () => ({})): DurableStore {
  const honest = new MemoryDurableStore({ clock })
  const desk = honest.approvals
  return {
    hold: (...args) => honest.hold(...args),
    find: (...args) => honest.find(...args),
    list: (...args) => honest.list(...args),
    steps: (...args) => honest.steps(...args),
    follow: (...args) => honest.follow(...args),
    ...over(honest),
    approvals: {
      get: (...args) => desk.get(...args),
      list: (...args) => desk.list(...args),
      decide: (...args) => desk.decide(...args),
      settled: (...args) => desk.settled(...args),
      ...deskOver(desk),
    },
  }
}

function holdsWith(over: HoldOver): StoreOver {
  return (honest) => ({
    hold: async (...args) => {
      const hold = await honest.hold(...args)
      return {
        fence: hold.fence,
        lost: hold.lost,
        load: () => hold.load(),
        keep: (...kept) => hold.keep(...kept),
        close: () => hold.close(),
        [Symbol.asyncDispose]: () => hold.close(),
        ...over(hold),
      }
    },
  })
}

function deskWith(over: DeskOver): (clock: ManualClock) => DurableStore {
  return (clock) => storeWith(clock, () => ({}), over)
}

function isCode(error: unknown, code: string): boolean {
  return AdjutantError.isInstance(error) && error.code === code
}

/** Each step by itself, whatever becomes of the others. */
async function oneByOne(hold: SessionHold, steps: readonly StepRecord[], options: Parameters<SessionHold['keep']>[1]): Promise<number> {
  let count = (await hold.load()).session.steps
  for (const step of steps) count = await hold.keep([step])
  return steps.length === 0 || options !== undefined ? await hold.keep([], options) : count
}

/** As a writer of objects does that assigns members. */
function assigned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(assigned)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) copy[name] = assigned(member)
  return copy
}

function without(text: string, steps: readonly StepRecord[]): readonly StepRecord[] {
  return steps.map((step) => (step.type === 'user' ? { ...step, text: step.text.replaceAll(text, '') } : step))
}

export const CHEATS: readonly Cheat[] = [
  {
    name: 'says that a sleeper has written',
    found: /asleep/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({
          keep: (...kept) => hold.keep(...kept).catch((error: unknown) => (isCode(error, 'SESSION_LOST') ? 1 : Promise.reject(error))),
        })),
      ),
  },
  {
    name: 'never tells that a hold is lost',
    found: /tells a holder/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith(() => ({ lost: new AbortController().signal })),
      ),
  },
  {
    name: 'gives a session to two',
    found: /who take it at the same/,
    make: (clock) => {
      const given = new Map<string, SessionHold>()
      return storeWith(clock, (honest) => ({
        hold: async (key, options) => {
          const known = given.get(JSON.stringify(key))
          const hold = await honest.hold(key, options).catch((error: unknown) => known ?? Promise.reject(error))
          given.set(JSON.stringify(key), hold)
          return hold
        },
      }))
    },
  },
  {
    name: 'does not let go',
    found: /one holder at a time/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith(() => ({ close: async () => {} })),
      ),
  },
  {
    name: 'keeps half of what belongs together',
    found: /or none of them/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({ keep: (steps, options) => oneByOne(hold, steps, options) })),
      ),
  },
  {
    name: 'loses the first step after a checkpoint',
    found: /together they are the whole log/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({
          load: async (): Promise<LoadedSession> => {
            const loaded = await hold.load()
            return loaded.checkpoint === undefined ? loaded : { ...loaded, steps: loaded.steps.slice(1) }
          },
        })),
      ),
  },
  {
    name: 'loses a member called __proto__',
    found: /odd texts/,
    make: (clock) =>
      storeWith(clock, (honest) => ({
        steps: async function* (key): AsyncGenerator<StepRecord, void, void> {
          for await (const step of honest.steps(key)) {
            if (step.type !== 'asked') yield step
            else {
              const shown = assigned(step.approval.shown)
              yield { ...step, approval: { ...step.approval, shown: isObject(shown) ? shown : {} } }
            }
          }
        },
      })),
  },
  {
    name: 'leaves NUL out',
    found: /odd texts/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({ keep: (steps, options) => hold.keep(without('\u0000', steps), options) })),
      ),
  },
  {
    name: 'leaves out of long texts what is beyond a megabyte',
    found: /five million/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({
          keep: (steps, options) =>
            hold.keep(
              steps.map((step) => (step.type === 'user' ? { ...step, text: step.text.slice(0, 1_048_576) } : step)),
              options,
            ),
        })),
      ),
  },
  {
    name: 'lets a call begin again',
    found: /enters each call once/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({
          keep: (steps, options) =>
            hold.keep(steps, options).catch((error: unknown) => {
              if (!isCode(error, 'CONFLICT') || !steps.some(({ type }) => type === 'started')) throw error
              return hold.keep(
                steps.filter(({ type }) => type !== 'started'),
                options,
              )
            }),
        })),
      ),
  },
  {
    name: 'gives a follower who comes late one step twice',
    found: /followed from any number/,
    make: (clock) =>
      storeWith(clock, (honest) => ({
        follow: (key, { after = 0, signal }) => honest.follow(key, { after: after > 40 ? after - 1 : after, signal }),
      })),
  },
  {
    name: 'tells a follower only what was there',
    found: /followed from any number/,
    make: (clock) =>
      storeWith(clock, (honest) => ({
        follow: async function* (key, { after = 0 }) {
          const steps = await Array.fromAsync(honest.steps(key))
          for (const [index, step] of steps.entries()) if (index >= after) yield { number: index + 1, step }
        },
      })),
  },
  {
    name: 'shows the last of a page again on the next',
    found: /lists sessions page by page/,
    make: (clock) => {
      let last: Awaited<ReturnType<DurableStore['list']>>['items'] = []
      return storeWith(clock, (honest) => ({
        list: async (tenant, filter) => {
          const page = await honest.list(tenant, filter)
          const items = filter?.after === undefined ? page.items : [...last.slice(-1), ...page.items].slice(0, filter.limit)
          last = page.items
          return { ...page, items }
        },
      }))
    },
  },
  {
    name: 'lets the last of several decide',
    found: /goes to one of many who decide/,
    make: deskWith((desk) => ({
      decide: (tenant, id, decision) =>
        desk.decide(tenant, id, decision).catch((error: unknown) => {
          if (!(error instanceof ApprovalConflict) || error.current.state === 'expired') throw error
          return { ...error.current, decidedBy: decision.by, decision: decision.decision }
        }),
    })),
  },
  {
    name: 'does not say who was first',
    found: /whoever is late learns/,
    make: deskWith((desk) => ({
      decide: (...args) =>
        desk.decide(...args).catch((error: unknown) => {
          throw error instanceof ApprovalConflict ? new AdjutantError('CONFLICT', 'too late') : error
        }),
    })),
  },
  {
    name: 'decides on a question that has changed since it was looked at',
    found: /whoever is late learns/,
    make: deskWith((desk) => ({ decide: (tenant, id, { decision, by }) => desk.decide(tenant, id, { decision, by }) })),
  },
  {
    name: 'lets somebody decide at the instant of the end',
    found: /very instant/,
    make: (clock) => {
      const late: ManualClock = Object.create(clock, { now: { value: () => clock.now() - 1 } })
      return new MemoryDurableStore({ clock: late })
    },
  },
  {
    name: 'lets an answer be taken twice',
    found: /taken once/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({
          keep: (steps, options) =>
            hold.keep(steps, options).catch((error: unknown) => {
              if (!isCode(error, 'CONFLICT') || !(error instanceof Error && /taken already/.test(error.message))) throw error
              return hold.keep(
                steps.filter(({ type }) => type !== 'answered'),
                options,
              )
            }),
        })),
      ),
  },
  {
    name: 'says of what is pending that it has settled',
    found: /heard of by whoever waits/,
    make: deskWith((desk) => ({
      settled: async (tenant, id, { signal }) => (await desk.get(tenant, id)) ?? (await desk.settled(tenant, id, { signal })),
    })),
  },
  {
    name: 'leaves questions of a session that has ended',
    found: /cancelled when its session ends/,
    make: (clock) =>
      storeWith(
        clock,
        holdsWith((hold) => ({
          keep: (steps, options) => {
            const { state: _, ...rest } = options ?? {}
            return hold.keep(steps, options?.state === 'ended' ? rest : options)
          },
        })),
      ),
  },
  {
    name: 'gives back what its caller may change',
    found: /is changed neither by/,
    make: (clock) => {
      const given = new Map<string, LoadedSession>()
      return storeWith(
        clock,
        holdsWith((hold) => ({
          load: async () => {
            const fresh = await hold.load()
            const key = `${fresh.session.tenantId} ${fresh.session.sessionId}`
            const loaded = given.get(key) ?? fresh
            given.set(key, loaded)
            return loaded
          },
        })),
      )
    },
  },
  {
    name: 'shows approvals to whoever knows their id',
    found: /tenants apart/,
    make: deskWith((desk) => ({
      get: async (tenant, id) => (await desk.get(tenant, id)) ?? (await desk.get(tenant.replace(/ other$/, ''), id)),
    })),
  },
  {
    name: 'lists the sessions of all tenants',
    found: /tenants apart/,
    make: (clock) => storeWith(clock, (honest) => ({ list: (tenant, filter) => honest.list(tenant.replace(/ other$/, ''), filter) })),
  },
]

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
