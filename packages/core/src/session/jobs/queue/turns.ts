/** What is due, as whoever takes turns asks for it. All answers are of one moment. */
export interface TurnSource<T> {
  /** The tenant that follows `after` in some order and has something due; after the last one comes the first. */
  tenantAfter(after: string | undefined): Promise<string | undefined>
  /** The same for the groups of a tenant. */
  groupAfter(tenantId: string, after: string | undefined): Promise<string | undefined>
  /** How many of a group run now. */
  running(tenantId: string, group: string): Promise<number>
  /** Takes the first of a group: the highest priority, then the longest due. Undefined when others were quicker. */
  take(tenantId: string, group: string): Promise<T | undefined>
}

/** Tenants whose last group is remembered. */
const REMEMBERED = 10_000

/**
 * Owns whose turn it is at one worker: tenants take turns, and within a tenant its groups. Between two turns of one group every other one that was
 * waiting has had one, however much work the first has; many groups give a tenant no more turns. Where a worker was is forgotten with it.
 */
export class Turns {
  #tenant: string | undefined
  readonly #groups = new Map<string, string>()

  /** @param perGroup how many of one group may run at once */
  async take<T>(source: TurnSource<T>, limit: number, perGroup: number | undefined): Promise<readonly T[]> {
    const taken: T[] = []
    while (taken.length < limit) {
      const next = await this.#next(source, perGroup)
      if (next === undefined) break
      taken.push(next)
    }
    return taken
  }

  async #next<T>(source: TurnSource<T>, perGroup: number | undefined): Promise<T | undefined> {
    const tenants = new Set<string>()
    let tenant = await source.tenantAfter(this.#tenant)
    while (tenant !== undefined && !tenants.has(tenant)) {
      tenants.add(tenant)
      const groups = new Set<string>()
      let group = await source.groupAfter(tenant, this.#groups.get(tenant))
      while (group !== undefined && !groups.has(group)) {
        groups.add(group)
        const full = perGroup !== undefined && (await source.running(tenant, group)) >= perGroup
        const one = full ? undefined : await source.take(tenant, group)
        if (one !== undefined) {
          this.#remember(tenant, group)
          return one
        }
        group = await source.groupAfter(tenant, group)
      }
      tenant = await source.tenantAfter(tenant)
    }
    return undefined
  }

  #remember(tenantId: string, group: string): void {
    this.#tenant = tenantId
    this.#groups.delete(tenantId)
    this.#groups.set(tenantId, group)
    if (this.#groups.size <= REMEMBERED) return
    const [oldest] = this.#groups.keys()
    if (oldest !== undefined) this.#groups.delete(oldest)
  }
}
