/** Who works here, and what they may use: from `--role` and the `roles` of the configuration. */
import { AdjutantError, everybodyMayUse, LOCAL_PRINCIPAL, type MayUse, type Principal, rolesMayUse } from '@adjutant/core'
import type { Config } from './config.ts'

export interface Person {
  readonly principal: Principal
  readonly mayUse: MayUse
}

/**
 * @param asked the roles of `--role`; none: those of the configuration
 * @throws AdjutantError USAGE for a role that the configuration does not have
 */
export function personOf(config: Pick<Config, 'roles' | 'role'>, asked: readonly string[] | undefined): Person {
  const roles = asked ?? config.role
  for (const role of roles) {
    if (config.roles !== undefined && Object.hasOwn(config.roles, role)) continue
    const known = Object.keys(config.roles ?? {})
    throw new AdjutantError('USAGE', `there is no role ${JSON.stringify(role)}`, {
      hint: known.length === 0 ? 'The configuration has no "roles".' : `There are ${known.join(', ')}.`,
    })
  }
  return {
    principal: { ...LOCAL_PRINCIPAL, roles },
    mayUse: config.roles === undefined ? everybodyMayUse : rolesMayUse(config.roles),
  }
}
