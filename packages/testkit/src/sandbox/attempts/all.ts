/** The whole list, in the order in which it is tried. */
import type { SandboxAttempt } from '../attempt.ts'
import { ENVIRONMENT_ATTEMPTS } from './environment.ts'
import { FILE_ATTEMPTS } from './files.ts'
import { JAVASCRIPT_ATTEMPTS } from './javascript.ts'
import { KERNEL_ATTEMPTS } from './kernel.ts'
import { NETWORK_ATTEMPTS } from './network.ts'
import { PRIVILEGE_ATTEMPTS } from './privileges.ts'
import { PROCESS_ATTEMPTS } from './processes.ts'
import { RESOURCE_ATTEMPTS } from './resources.ts'
import { SQL_ATTEMPTS } from './sql.ts'

/** Every attempt of the attack part. Ids are unique and never change. */
export const SANDBOX_ATTEMPTS: readonly SandboxAttempt[] = [
  ...FILE_ATTEMPTS,
  ...ENVIRONMENT_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...NETWORK_ATTEMPTS,
  ...KERNEL_ATTEMPTS,
  ...PRIVILEGE_ATTEMPTS,
  ...RESOURCE_ATTEMPTS,
  ...JAVASCRIPT_ATTEMPTS,
  ...SQL_ATTEMPTS,
]
