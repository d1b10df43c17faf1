import type { ExitStatus } from '../../../util/process-tree.ts'
import type { HttpServerConfig, StdioServerConfig } from './config.ts'

const MAX_ARGUMENTS = 12
const MAX_ARGUMENT = 80
const SECRET_FLAG = /^-{1,2}[\w-]*(key|token|secret|password|passwd|credential|auth)[\w-]*$/i

/** The command line for a message, shortened, with what looks like a secret left out. */
export function describeCommand(config: StdioServerConfig): string {
  const words: string[] = [config.command]
  let secret = false
  for (const argument of config.args ?? []) {
    if (words.length > MAX_ARGUMENTS) {
      words.push('…')
      break
    }
    words.push(secret ? '***' : describeArgument(argument))
    secret = SECRET_FLAG.test(argument)
  }
  return words.join(' ')
}

function describeArgument(argument: string): string {
  const equals = argument.indexOf('=')
  const plain = equals > 0 && SECRET_FLAG.test(argument.slice(0, equals)) ? `${argument.slice(0, equals)}=***` : argument
  const safe = plain.replace(/\/\/[^/@\s]*@/g, '//***@').replace(/\p{Cc}+/gu, ' ')
  return safe.length > MAX_ARGUMENT ? `${safe.slice(0, MAX_ARGUMENT)}…` : safe
}

/** The address without what may be a secret in it: user, password and query. */
export function describeUrl(config: HttpServerConfig): string {
  const { origin, pathname } = new URL(config.url)
  return `${origin}${pathname}`
}

/** `exit code 3`, `signal SIGKILL`. */
export function describeExit(exit: ExitStatus): string {
  return exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`
}
