import type { JsonObject } from './json.ts'

/** On whose behalf a call runs. Approvals and namespaces are bound to it. */
export interface Principal {
  readonly tenantId: string
  readonly userId: string
  readonly roles: readonly string[]
  readonly attributes?: JsonObject
}

/** The person at this terminal: one tenant, one user, no roles. */
export const LOCAL_PRINCIPAL: Principal = Object.freeze({ tenantId: 'local', userId: 'local', roles: Object.freeze([]) })
