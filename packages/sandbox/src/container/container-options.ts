/** Owns what may be decided of containers by whoever makes the backend, and that it makes sense. */
import { AdjutantError, type Clock, type IdSource } from '@adjutant/core/contract'
import type { NetworkOptions } from '../network/box-network.ts'

export interface ContainerOptions {
  readonly clock: Clock
  readonly ids: IdSource
  /** Where the daemon is: the path of its socket, `unix://PATH` or `tcp://HOST:PORT`. Default: `DOCKER_HOST` of `env`, then the usual sockets. */
  readonly socket?: string
  /** Where `DOCKER_HOST`, `DOCKER_TLS_VERIFY`, `DOCKER_CERT_PATH` and `XDG_RUNTIME_DIR` are looked up. Default: nowhere. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Needs `python3` with ctypes; bash and node are used where they are. Default `python:3.13-slim`. */
  readonly image?: string
  /** Fetch the image when it is not there. Default false: say so. */
  readonly pull?: boolean
  /** Of the daemon, e.g. `runsc` or `kata`. Default: the daemon's own. */
  readonly runtime?: string
  /** Processors that one box may use at once, e.g. 0.5. Default: all. */
  readonly cpus?: number
  /** Runs at once, of all boxes. Default 32. */
  readonly runsAtOnce?: number
  /** Runs that wait for their turn before the next is refused. Default 1 000. */
  readonly runsWaiting?: number
  /** Folder of this user's hosts. Default: `/run/adjutant-sandbox` for root, else in `$XDG_RUNTIME_DIR` or the temporary folder. */
  readonly stateRoot?: string
  /** Of the way out of boxes that may reach some hosts. */
  readonly network?: NetworkOptions
}

export const DEFAULT_IMAGE = 'python:3.13-slim'

/** @throws AdjutantError CONFIG_INVALID with the name of the option */
export function checkOptions(options: ContainerOptions): void {
  for (const name of ['socket', 'image', 'runtime', 'stateRoot'] as const) {
    const value = options[name]
    if (value !== undefined && (typeof value !== 'string' || value.trim() === '' || value.length > 500 || /[\0\s]/.test(value)))
      throw new AdjutantError('CONFIG_INVALID', `container: ${name} is ${JSON.stringify(String(value).slice(0, 100))}`, {
        hint: 'Give a text without blanks, or leave it out.',
      })
  }
  const { cpus } = options
  if (cpus !== undefined && !(Number.isFinite(cpus) && cpus >= 0.01 && cpus <= 1_024))
    throw new AdjutantError('CONFIG_INVALID', `container: cpus is ${String(cpus)}`, { hint: 'Give a number from 0.01 to 1024.' })
}
